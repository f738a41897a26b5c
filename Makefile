# The front door: `make help`. The build itself is CMake's (CMakePresets.json, cmake/).
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 300
PEERS ?=
# Open MPI refuses root unless told twice
MPIRUN ?= OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun
# what installs missing packages; DEPS=: trusts that all are there
DEPS ?= tools/deps

SOURCES = $(shell find include src web bench tests examples -name '*.[ch]')
# $(call preset,NAME): configure and build; $(call run_tests,NAME): its tests
preset = cmake --preset $(1) && cmake --build --preset $(1) -j$(JOBS)
run_tests = ctest --preset $(1) -j$(JOBS)

.PHONY: all build test check asan f64 arm web web-driver web-test parity bench fuzz torture install demo deps clean help
all: build

help:
	@echo 'make            build the library and the program: build/release/bin/bex'
	@echo 'make demo       build, train two policies, let them explore: runs/demo/report.html'
	@echo 'make test       install what is missing, build, run every test (also in double)'
	@echo 'make check      format, include order, sizes, headers, warnings as errors, libbex without OpenMP, the pages'
	@echo 'make asan       the tests under AddressSanitizer and UBSan'
	@echo 'make f64        the gradient checks: the double build and its tests'
	@echo 'make arm        libbex for aarch64, its tests under qemu (installs a cross compiler)'
	@echo 'make web        the playground: build/web/playground.html (installs emscripten)'
	@echo 'make web-test   its test in Chromium (installs that and playwright-core)'
	@echo 'make parity     compare with PyTorch, live (installs python3-torch)'
	@echo 'make bench      measure; PEERS=1 installs PyTorch to compare with'
	@echo 'make fuzz       fuzz the readers for FUZZ_SECONDS=300 each'
	@echo 'make torture    kills, full disks, starts at once, damaged files: TORTURE_SCALE=1, 25 minutes'
	@echo 'make install    PREFIX=/usr/local, DESTDIR='
	@echo 'make clean      remove build/'

deps:
	@$(DEPS)

build: deps
	$(call preset,release)

test: build
	$(call run_tests,release)
	$(MAKE) f64

f64: deps
	$(call preset,f64)
	$(call run_tests,f64)

asan: deps
	$(call preset,asan)
	$(call run_tests,asan)

# the second build is libbex alone, without OpenMP: it must neither need it nor the lab
check: deps
	clang-format --dry-run -Werror $(SOURCES)
	tools/layers
	tools/size
	$(call preset,check)
	$(call preset,noomp)
	$(call run_tests,noomp) -R '^(api|install|coverage)/'
	tools/words --build build/check

arm:
	@$(DEPS) $(if $(filter tools/deps,$(DEPS)),--arm)
	$(call preset,arm)
	$(call run_tests,arm)

web:
	@$(DEPS) $(if $(filter tools/deps,$(DEPS)),--web)
	$(call preset,release) --target bex-cli web_pack_demonstrations
	$(call preset,web)
	web/build

# what drives the browser in the playground's test
web-driver:
	mkdir -p build/web && cp tests/web/package.json build/web/
	cd build/web && npm install --silent --no-audit --no-fund --no-package-lock

web-test: web web-driver
	$(call preset,release) --target web_reference test_web_ball test_web_ini test_serve_http test_serve_server
	ctest --preset release -R '^(web|serve)/'

parity: build
	@$(DEPS) $(if $(filter tools/deps,$(DEPS)),--peers)
	tests/parity/run

bench: build
	$(if $(PEERS),tools/deps --peers)
	for what in kernels coverage env data scaling; do build/release/bin/bex bench $$what || exit; done
	for what in train act rl; do build/release/bin/bex bench $$what $(if $(PEERS),--peer torch) || exit; done
	$(if $(shell command -v mpirun),$(MPIRUN) -n 2 --oversubscribe build/release/bin/bex bench reduce)

fuzz: deps
	FUZZ_SECONDS=$(FUZZ_SECONDS) tools/fuzz

torture: build
	$(call preset,asan) --target torture_mutant
	tools/torture

install: build
	DESTDIR='$(DESTDIR)' cmake --install build/release --prefix '$(PREFIX)'

demo: build
	tools/demo

clean:
	rm -rf build

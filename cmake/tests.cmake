# tests/x/test_y.c mirrors src/x/y.c: one program, one ctest entry named x/y.
# A test that cannot run prints a line starting with SKIP and exits 77: ctest reports it as skipped.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
set(BEX_TREES BEX_SOURCE_DIR="${PROJECT_SOURCE_DIR}" BEX_BINARY_DIR="${CMAKE_BINARY_DIR}")

set(BEX_TEST_SECONDS 600)
if(CMAKE_CROSSCOMPILING)
  set(BEX_TEST_SECONDS 3600) # an emulated machine
endif()
# what libraries keep until the end is no leak of ours
set(BEX_LEAKS LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0)
set(BEX_TESTED $<IF:$<BOOL:${BEX_LAB}>,bexcli,bex_static>)

# bex_test(name source [more sources]): a cmocka program
function(bex_test name)
  string(REPLACE "/" "_" target test_${name})
  add_executable(${target} ${ARGN})
  target_include_directories(${target} PRIVATE tests)
  target_compile_definitions(${target} PRIVATE ${BEX_TREES})
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    # gcc 12 for aarch64 ends in an internal error where it vectorises the largest of several differences
    target_compile_options(${target} PRIVATE -fno-tree-vectorize)
  endif()
  target_link_libraries(${target} PRIVATE ${BEX_TESTED} PkgConfig::CMOCKA ${CMAKE_DL_LIBS})
  if(name MATCHES "^web/")
    target_link_libraries(${target} PRIVATE bexweb)
  endif()
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${BEX_TEST_SECONDS}
    ENVIRONMENT ${BEX_LEAKS})
endfunction()

# bex_script_test(name script [arguments]): a shell script under tests/
function(bex_script_test name script)
  add_test(NAME ${name} COMMAND bash ${PROJECT_SOURCE_DIR}/tests/${script} ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT ${BEX_LEAKS})
endfunction()

# the double build exists to check gradients: only what computes is worth running there
file(GLOB BEX_TEST_SOURCES CONFIGURE_DEPENDS tests/*/test_*.c)
if(BEX_F64)
  list(FILTER BEX_TEST_SOURCES INCLUDE REGEX "/tests/((base|kernel|nn|model)/|policy/test_parity|agent/test_actor_critic)")
endif()
if(NOT BEX_LAB)
  list(FILTER BEX_TEST_SOURCES INCLUDE REGEX "/tests/(base|kernel|nn|model|coverage|policy|api)/")
endif()
foreach(source IN LISTS BEX_TEST_SOURCES)
  get_filename_component(folder ${source} DIRECTORY)
  get_filename_component(folder ${folder} NAME)
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "^test_" "" name ${name})
  bex_test(${folder}/${name} ${source})
endforeach()

# the examples, as users build them: the public header and the shared library
if(NOT BEX_F64)
  file(GLOB BEX_EXAMPLES CONFIGURE_DEPENDS examples/*.c)
  foreach(source IN LISTS BEX_EXAMPLES)
    get_filename_component(name ${source} NAME_WE)
    add_executable(example_${name} ${source})
    set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name}
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/examples INSTALL_RPATH ${CMAKE_BINARY_DIR})
    target_link_libraries(example_${name} PRIVATE bex m)
  endforeach()
endif()

# the arena once more with a malloc per allocation: its own copy precedes the library's
bex_test(base/arena_malloc tests/base/test_arena.c src/base/arena.c)
target_compile_definitions(test_base_arena_malloc PRIVATE BEX_ARENA_MALLOC)

# tools/torture: a library that kills, a fork server of mutations, and a small sample of each part as a test
if(BEX_LAB AND NOT BEX_F64)
  add_library(torture_shim MODULE tests/torture/shim.c)
  set_target_properties(torture_shim PROPERTIES PREFIX "")
  target_link_libraries(torture_shim PRIVATE ${CMAKE_DL_LIBS})
  add_executable(torture_mutant tests/torture/mutant.c)
  target_link_libraries(torture_mutant PRIVATE bexcli)
  if(TARGET bex_HDF5)
    add_executable(torture_seeds tests/torture/seeds.c)
    target_include_directories(torture_seeds PRIVATE tests)
    target_compile_definitions(torture_seeds PRIVATE ${BEX_TREES})
    target_link_libraries(torture_seeds PRIVATE bexlab PkgConfig::CMOCKA)
  endif()
  set(parts starts disks mutations)
  if(NOT BEX_SANITIZE) # a sanitizer must be the first library that is loaded, and so must the shim
    list(APPEND parts kills)
  endif()
  foreach(part IN LISTS parts)
    add_test(NAME torture/${part} COMMAND ${PROJECT_SOURCE_DIR}/tools/torture --sample --build ${CMAKE_BINARY_DIR} ${part})
    set_tests_properties(torture/${part} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600 ENVIRONMENT ${BEX_LEAKS})
  endforeach()
endif()

# the playground in a browser; the page is built by `make web`, without which this is skipped
if(BEX_LAB AND NOT BEX_F64)
  add_executable(web_reference tests/web/reference.c)
  target_link_libraries(web_reference PRIVATE bexweb)
  if(NOT BEX_SANITIZE)
    bex_script_test(web/playground web/playground.sh ${CMAKE_BINARY_DIR})
    set_tests_properties(web/playground PROPERTIES TIMEOUT 1800)
  endif()
endif()

# what needs the program, or this machine's compiler and Python
if(BEX_LAB AND NOT BEX_F64)
  bex_script_test(cli/smoke cli/smoke.sh $<TARGET_FILE:bex-cli>)
  bex_script_test(cli/train cli/train.sh $<TARGET_FILE:bex-cli>)
  bex_script_test(cli/ranks cli/ranks.sh $<TARGET_FILE:bex-cli>)
  # Open MPI's plugins leak and are unloaded before leaks are looked for: no suppression finds their names
  set_tests_properties(cli/ranks PROPERTIES ENVIRONMENT ASAN_OPTIONS=detect_leaks=0 TIMEOUT 1200)
  bex_script_test(tools/demo tools/test_demo.sh)
  bex_script_test(tools/deps tools/test_deps.sh)
  bex_script_test(tools/layers tools/test_layers.sh)
  bex_script_test(tools/size tools/test_size.sh)
  bex_script_test(results/tables results/tables.sh)
  bex_script_test(results/workflow results/workflow.sh)
  bex_script_test(tools/words tools/test_words.sh $<TARGET_FILE:bex-cli>)
  bex_script_test(cli/pictures cli/pictures.sh $<TARGET_FILE:bex-cli>)
  set_tests_properties(cli/pictures PROPERTIES
    ENVIRONMENT LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp:print_suppressions=0)
  add_test(NAME docs/generated COMMAND ${PROJECT_SOURCE_DIR}/tools/pages --check $<TARGET_FILE:bex-cli>)
  bex_script_test(tools/pages tools/test_pages.sh $<TARGET_FILE:bex-cli>)
endif()
# what a student compiles: by any compiler of C, without us
if(NOT BEX_F64 AND NOT BEX_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  bex_script_test(examples/be_in_one_file examples/be_in_one_file.sh ${PROJECT_SOURCE_DIR})
endif()
# a sanitized library exports more, and cannot be linked into a plain program
if(NOT BEX_F64 AND NOT BEX_SANITIZE)
  bex_script_test(install/symbols install/symbols.sh $<TARGET_FILE:bex> $<IF:$<BOOL:${BEX_OPENMP}>,openmp,plain>)
  if(BEX_LAB)
    bex_script_test(install/runpath install/runpath.sh $<TARGET_FILE:bex-cli> $<TARGET_FILE:bex>)
    bex_script_test(install/consumer install/consumer.sh ${CMAKE_BINARY_DIR})
  endif()
endif()

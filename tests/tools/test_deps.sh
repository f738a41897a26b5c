#!/bin/bash
# tools/deps against a made-up dpkg and apt that write down how they were called.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAIL: $*" >&2
    sed 's/^/  | /' "$scratch"/{out,err,calls} >&2
    exit 1
}

# a system of our own: real tools by link, package tools made up
bin=$scratch/bin
mkdir "$bin"
for tool in bash env awk grep sed cut paste cat; do ln -s "$(command -v $tool)" "$bin/$tool"; done
cat >"$bin/id" <<'FAKE'
#!/bin/bash
echo "$FAKE_UID"
FAKE
cat >"$bin/dpkg-query" <<'FAKE'
#!/bin/bash
grep -qxF -- "${!#}" "$FAKE/installed" && echo 'ii ' || exit 1
FAKE
cat >"$bin/apt-cache" <<'FAKE'
#!/bin/bash
grep -qxF -- "${!#}" "$FAKE/unknown" || echo "Package: ${!#}"
FAKE
cat >"$bin/apt-get" <<'FAKE'
#!/bin/bash
echo "$DEBIAN_FRONTEND apt-get $*" >>"$FAKE/calls"
[ "$FAKE_APT_FAILS" = no ] || exit 100
install=
for a; do
    [ -n "$install" ] && [ "${a:0:1}" != - ] && echo "$a" >>"$FAKE/installed"
    [ "$a" = install ] && install=1
done
exit 0
FAKE
cat >"$bin/sudo" <<'FAKE'
#!/bin/bash
echo sudo >>"$FAKE/calls"
exec "$@"
FAKE
cat >"$bin/dpkg" <<'FAKE'
#!/bin/bash
case $1 in
--print-foreign-architectures) cat "$FAKE/architectures" ;;
--add-architecture) echo "$2" >>"$FAKE/architectures"; echo "dpkg $*" >>"$FAKE/calls" ;;
esac
FAKE
chmod +x "$bin"/{id,dpkg,dpkg-query,apt-cache,apt-get,sudo}

export FAKE=$scratch FAKE_UID=0 FAKE_APT_FAILS=no
code=0
deps() { # runs it; leaves $code and the files out, err, calls
    : >"$scratch/calls"
    code=0
    PATH=$bin "$root/tools/deps" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
}
everything() { "$root/tools/deps" --list | awk '{sub(/\|.*/, "", $1); print $1}' >"$scratch/installed"; }
calls() { grep -c "$1" "$scratch/calls" || true; }
: >"$scratch/unknown"
: >"$scratch/architectures"

# the list
deps --list
[ $code = 0 ] && grep -q '^libjansson-dev .*needed' "$scratch/out" || fail "--list"
grep -q python3-torch "$scratch/out" && fail "--list shows peers unasked"
deps --list --peers
grep -q python3-torch "$scratch/out" || fail "--list --peers"

# nothing missing: silent, and nothing called
everything
deps
[ $code = 0 ] && [ ! -s "$scratch/out" ] && [ ! -s "$scratch/err" ] || fail "not silent"
[ ! -s "$scratch/calls" ] || fail "called apt for nothing"
# either name of a row will do
sed -i 's/^libclang-rt-dev$/libclang-rt-14-dev/' "$scratch/installed"
deps
[ $code = 0 ] && [ ! -s "$scratch/calls" ] || fail "the other name of libclang-rt-dev does not count"

# two missing: updated once, those two installed, then silent again
sed -i '/^cmake$/d; /^libhdf5-dev$/d' "$scratch/installed"
deps
[ $code = 0 ] || fail "install"
[ "$(calls update)" = 1 ] && [ "$(calls install)" = 1 ] || fail "one update, one install"
grep -q '^noninteractive apt-get .*install --no-install-recommends cmake libhdf5-dev$' "$scratch/calls" ||
    fail "not exactly the missing two"
[ "$(calls sudo)" = 0 ] || fail "root needs no sudo"
deps
[ ! -s "$scratch/calls" ] && [ ! -s "$scratch/err" ] || fail "not idempotent"

# peers only when asked
deps --peers
grep -q 'install --no-install-recommends python3-torch libopenblas0-pthread python3-h5py python3-numpy$' "$scratch/calls" ||
    fail "--peers"

# the other machine's only when asked: its architecture first, once, before the lists are fetched
deps --arm
[ $code = 0 ] || fail "--arm"
[ "$(sed -n 1p "$scratch/calls")" = 'dpkg --add-architecture arm64' ] || fail "--arm: the architecture comes first"
[ "$(calls add-architecture)" = 1 ] || fail "--arm: the architecture once"
grep -q 'install .*qemu-user libinih-dev:arm64 libcmocka-dev:arm64' "$scratch/calls" || fail "--arm: packages"
sed -i '/^libinih-dev:arm64$/d' "$scratch/installed"
deps --arm
[ "$(calls add-architecture)" = 0 ] && [ "$(calls install)" = 1 ] || fail "--arm again"

# a user goes through sudo; without it, one line and 1
sed -i '/^cmake$/d' "$scratch/installed"
FAKE_UID=1000 deps
[ $code = 0 ] && [ "$(calls sudo)" = 2 ] || fail "sudo"
sed -i '/^cmake$/d' "$scratch/installed"
mv "$bin/sudo" "$bin/no-sudo"
FAKE_UID=1000 deps
[ $code = 1 ] && grep -q 'not root and no sudo' "$scratch/err" || fail "no sudo"
mv "$bin/no-sudo" "$bin/sudo"

# a release without a package: fatal if needed, told if optional; an apt that fails is a failure
echo cmake >"$scratch/unknown"
deps
[ $code = 1 ] && grep -q 'no cmake, which is needed' "$scratch/err" || fail "needed and unknown"
echo libmujoco-dev >"$scratch/unknown"
sed -i '/^libmujoco-dev$/d' "$scratch/installed"
deps
[ $code = 0 ] && grep -q 'no libmujoco-dev: going on without (physics)' "$scratch/err" ||
    fail "optional and unknown"
everything
sed -i '/^make$/d' "$scratch/installed"
FAKE_APT_FAILS=yes deps
[ $code != 0 ] || fail "a failing apt passes"

# another system: the list, and 1
rm "$bin/apt-get"
deps
[ $code = 1 ] && grep -q 'not Debian' "$scratch/err" && grep -q libcairo2-dev "$scratch/err" ||
    fail "another system"
[ "$(calls .)" = 0 ] || fail "another system: something was called"
deps --nonsense
[ $code = 2 ] || fail "unknown option"
echo ok

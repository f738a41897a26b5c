#!/bin/bash
# Install the build into a scratch prefix, then build and run a consumer against it, as a user would:
# CMake's find_package and pkg-config, shared and static.
#   consumer.sh BUILD_DIR
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d "$build/install-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# a prefix other than the configured one, staged first and moved after: nothing may remember a path
stage=$scratch/stage
prefix=$scratch/moved
DESTDIR=$stage cmake --install "$build" --prefix /opt/bex >"$scratch/log"
mv "$stage/opt/bex" "$prefix"

fail() {
    echo "FAIL: $*" >&2
    exit 1
}
want=$("$prefix/bin/bex" --version)
expect() { # what it was, command...
    local what=$1 got
    shift
    got=$("$@") || fail "$what does not run"
    [ "$got" = "$want" ] || fail "$what says '$got', not '$want'"
    echo "ok: $what"
}
pc=$(dirname "$(find "$prefix" -name bex.pc)")
lib=$(dirname "$pc")
export PKG_CONFIG_PATH=$pc

# CMake
cmake -S "$here/consumer" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" >>"$scratch/log" ||
    fail "find_package: see above"
cmake --build "$scratch/cmake" >>"$scratch/log" || fail "the CMake consumer does not build"
expect "find_package, bex::bex" "$scratch/cmake/consumer"
expect "find_package, bex::bex_static" "$scratch/cmake/consumer_static"
readelf -d "$scratch/cmake/consumer" | grep -q 'NEEDED.*libbex' || fail "bex::bex is not shared"
readelf -d "$scratch/cmake/consumer_static" | grep -q 'NEEDED.*libbex' && fail "bex_static is shared"

# pkg-config; word splitting of its answers is meant
# shellcheck disable=SC2046
cc "$here/consumer/consumer.c" $(pkg-config --cflags --libs bex) -o "$scratch/shared"
expect "pkg-config" env LD_LIBRARY_PATH="$lib" "$scratch/shared"
# shellcheck disable=SC2046
cc -static "$here/consumer/consumer.c" -Wl,--whole-archive "$lib/libbex.a" -Wl,--no-whole-archive \
    $(pkg-config --static --cflags --libs bex) -o "$scratch/static"
expect "pkg-config --static" "$scratch/static"
[ "bex $(pkg-config --modversion bex)" = "$want" ] || fail "bex.pc has another version"

# its own controller, not the one among the sources: spoilt, it is missed
walk() { "$prefix/bin/bex" data gen antmaze-umaze-diverse --steps 5 --out "$scratch/ant.hdf5" 2>&1; }
if [ "$("$prefix/bin/bex" doctor | grep -cE '^(MuJoCo|HDF5) +[0-9]')" = 2 ]; then
    walk >>"$scratch/log" || fail "data gen finds no controller"
    rm "$scratch/ant.hdf5"
    echo spoilt >"$prefix/share/bex/models/ant-walker.safetensors"
    walk | grep -q "$prefix/share/bex" || fail "data gen takes another controller"
    echo "ok: models"
fi

# nothing remembers where it was built or staged
grep -rlE "$build|$stage" "$prefix/include" "$lib/cmake" "$pc" && fail "a build path was installed"
[ -z "$(find "$prefix/include" -type f ! -path '*/include/bex/*.h')" ] || fail "stray headers"
exit 0

#!/bin/bash
# tools/pages: its help, and its mistakes in a line instead of a traceback; a stale page is named.
#   test_pages.sh BEX
set -eu
bex=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
run() { # expected code, arguments...
    local want=$1 code=0
    shift
    "$scratch/tools/pages" "$@" >"$scratch/said" 2>&1 || code=$?
    [ $code = "$want" ] && ! grep -q Traceback "$scratch/said" && return
    echo "FAIL: tools/pages $*: code $code, not $want" >&2
    cat "$scratch/said" >&2
    exit 1
}
says() {
    grep -qF -- "$1" "$scratch/said" || { echo "FAIL: no '$1'" >&2; cat "$scratch/said" >&2; exit 1; }
}
mkdir "$scratch/tools" "$scratch/docs"
cp "$root/tools/pages" "$scratch/tools/"
run 0 --help
says 'tools/pages --check'
run 1 --chek
says 'tools/pages --check'
run 1 "$scratch/none"
says "is no program"
run 0 "$bex"
run 0 --check "$bex"
echo more >>"$scratch/docs/commands.md"
run 1 --check "$bex"
says 'docs/commands.md is not what the program says'

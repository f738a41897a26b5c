#!/bin/bash
# tools/size: a long file, a long function and a wide line, planted, are caught.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAIL: $*" >&2
    "$root/tools/size" "$scratch" >&2 || true
    exit 1
}
mkdir -p "$scratch/src/base"
file=$scratch/src/base/a.c
says() { # text, or nothing: expect success
    if out=$("$root/tools/size" "$scratch"); then
        [ -z "${1-}" ] || fail "expected '$1'"
    else
        [ -n "${1-}" ] || fail "expected success"
        grep -qF "$1" <<<"$out" || fail "expected '$1'"
    fi
}
lines() { for ((i = 0; i < $1; i++)); do echo "$2"; done; }
# a comment and a function of $1 lines with a label, a directive and a signature over two lines in it
function_of() {
    printf '// comment\nint bex_first(int a,\n              int b) {\n'
    lines $(($1 - 5)) '    a += b;'
    printf '#if 1\ndone:\n}\n'
}

# files
lines 600 '// x' >"$file"
says
grep -qE '^src/base +1 +600 +a.c 600$' <<<"$out" || fail "the table"
lines 601 '// x' >"$file"
says 'src/base/a.c: 601 lines, at most 600'
(echo '/* tools/size: table */' && lines 700 '// x') >"$file"
says

# lines; letters are counted, not bytes
wide=$(lines 107 é | tr -d '\n')
echo "// $wide" >"$file"
says
printf '// x\n// %sx\n' "$wide" >"$file"
says 'src/base/a.c:2: 111 columns, at most 110'

# a first line that says no more than the name
(echo '/* kernel/a.c */' && lines 3 '// x') >"$file"
mkdir -p "$scratch/src/kernel" && mv "$file" "$scratch/src/kernel/a.c"
says 'src/kernel/a.c:1: say what the file does'
rm -r "$scratch/src/kernel"

# functions
function_of 60 >"$file"
says
(function_of 20 && function_of 61) >"$file"
says 'src/base/a.c:23: bex_first has 61 lines, at most 60'
(function_of 61 | sed '5s,$, /* tools/size: table */,') >"$file"
says
# the mark in one function excuses neither the next nor the file
(function_of 61 | sed '5s,$, /* tools/size: table */,' && function_of 70) >"$file"
says 'bex_first has 70 lines'
(function_of 61 | sed '5s,$, /* tools/size: table */,' && lines 600 '// x') >"$file"
says '662 lines'
# a long table, struct or enum is no function
for head in 'static const int table[] = {' 'struct bex_a {' 'typedef struct bex_b {' 'enum {'; do
    (echo "$head" && lines 80 '    1,' && echo '};' && function_of 10) >"$file"
    says
done

# paths
path() { # line, then what is said of it
    printf '%s\n' "$1" >"$file"
    says "${2-}"
}
path '    char path[1024];' 'src/base/a.c:1: path[1024]: a path has BEX_PATH_SIZE bytes'
path '    char *text, store_path[1100], name[80];' 'store_path[1100]'
path '    static char folder[4200];' 'folder[4200]'
path '    snprintf(x, n, "%.1000s/%s", a, b);' '%.1000s cuts a path'
path '    snprintf(x, n, "data/%.500s", a);' '/%.500s cuts a path'
path '    char path[BEX_PATH_SIZE], name[80];'
path '    bex_fail("tensor %.200s: no", name);'
path '    const char *path[2];'
echo ok

#!/bin/bash
# tools/layers: each kind of fault, planted, is caught.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAIL: $*" >&2
    exit 1
}
plant() { # file, line
    rm -rf "$scratch/src" "$scratch/include"
    mkdir -p "$scratch/include/bex" "$scratch/$(dirname "$1")"
    printf '#include <stdio.h>\n  #  include %s\n' "$2" >"$scratch/$1"
}
caught() {
    plant "$@"
    if out=$("$root/tools/layers" "$scratch"); then fail "$1 may include $2"; fi
    grep -q "^$1:2: " <<<"$out" || fail "$1, $2: no place in '$out'"
}
passes() {
    plant "$@"
    "$root/tools/layers" "$scratch" >/dev/null || fail "$1 may not include $2"
}

caught src/base/a.c '"kernel/gemm.h"'       # upwards
caught src/kernel/ref/a.c '"nn/tape.h"'     # upwards from a subfolder
caught src/nn/a.h '"model/mlp.h"'
caught src/coverage/a.c '"policy/memory.h"' # peers
caught src/policy/a.c '"data/window.h"'
caught src/env/a.c '"data/window.h"'
caught src/data/a.c '"policy/session.h"'
caught src/agent/a.c '"run/run.h"'
caught src/report/a.c '"run/run.h"'         # report sees only what draws
caught src/report/a.c '"kernel/gemm.h"'
caught src/api/a.c '"data/episode.h"'       # libbex and the lab
caught src/api/a.c '"agent/imitation/be.h"'
caught src/explore/a.c '"cli/options.h"'
caught src/model/a.c '"bench/bench.h"'
caught src/model/a.c '<hdf5.h>'
caught src/kernel/a.c '<dnnl.h>'
caught src/nn/a.c '<bex/bex.h>'
caught src/base/a.c '"file.h"'              # no folder
caught include/bex/bex.h '"base/error.h"'
caught include/bex/bex.h '<mujoco/mujoco.h>'

plant src/utils/a.c '<math.h>'
if "$root/tools/layers" "$scratch" >/dev/null; then fail "an unknown folder passes"; fi

# a real number read where the locale decides what a point is
reads() { # file, line of code
    plant "$1" '<stdlib.h>'
    printf '%s\n' "$2" >>"$scratch/$1"
    out=$("$root/tools/layers" "$scratch")
}
for code in 'x = strtod(text, &end);' 'x = atof(text);' 'sscanf(text, "%d %lf", &n, &x);' 'strtof (text, 0);' \
    'fscanf(file, "%5g", &x);'; do
    if reads src/theory/a.c "$code"; then fail "'$code' passes"; fi
    grep -q '^src/theory/a.c:3: ' <<<"$out" || fail "'$code': no place in '$out'"
done
reads src/base/number.c 'x = strtod(text, &end);' || fail "base/number.c may not read numbers"
reads src/theory/a.c '// strtod would follow the locale' || fail "a comment is no call"
reads src/theory/a.c 'n = strtol(text, &end, 10), sscanf(text, "%d,%lld", &a, &b);' || fail "whole numbers"

# a header of one folder that another folder alone includes
homes() { # folders that include it
    plant src/env/maze.h '<math.h>'
    echo '#include "env/maze.h"' >"$scratch/src/env/maze.c"
    for folder in "$@"; do
        mkdir -p "$scratch/src/$folder"
        echo '#include "env/maze.h"' >"$scratch/src/$folder/user.c"
    done
    out=$("$root/tools/layers" "$scratch")
}
if homes demo; then fail "a header that demo alone includes passes"; fi
grep -q '^src/env/maze.h: only demo includes it' <<<"$out" || fail "no such header in '$out'"
homes demo agent || fail "two folders share it: $out"
homes demo env || fail "its own folder needs it: $out"
homes cli || fail "the program may use what nobody else does: $out"

passes src/base/a.c '"base/error.h"'
passes src/kernel/ref/a.c '"kernel/gemm.h"'
passes src/model/a.c '"nn/tape.h"'
passes src/policy/a.c '"coverage/feature.h"'
passes src/env/a.c '<mujoco/mujoco.h>'
passes src/agent/a.c '"env/batch.h"'
passes src/run/a.c '"agent/learner.h"'
passes src/report/a.c '"host/json.h"'
passes src/api/a.c '"policy/session.h"'
passes src/cli/a.c '"bench/bench.h"'
passes include/bex/more.h '<bex/bex.h>'
passes tests/x/a.c '"anything/goes.h"'
echo ok

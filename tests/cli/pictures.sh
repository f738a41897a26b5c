#!/bin/bash
# Pictures of explorations: bex compare --film and bex plans --panels, and their mistakes, with the published policies.
#   pictures.sh BEX
set -eu
bex=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
fail() {
    echo "FAIL: $*" >&2
    cat out err >&2
    exit 1
}
run() { # expected code, arguments...
    local want=$1 code=0
    shift
    "$bex" "$@" >out 2>err </dev/null || code=$?
    [ $code = "$want" ] || fail "bex $*: code $code, not $want"
}
says() { grep -qF -- "$1" err || fail "no '$1'"; }
if "$bex" doctor | grep -Eqi '^(cairo|giflib|hdf5|mujoco) .*MISSING'; then
    echo "SKIP: nothing to draw with"
    exit 77
fi
explore() { # name, policy, episodes, arguments...
    run 0 explore "$root/results/maze2d-medium/$2/model.safetensors" --env maze2d-medium --start 3,3 --trials 2 \
        --episode-length 60 --episodes "$3" --seed 3 --out "$1" "${@:4}"
}
explore be be1 3 --candidates 4
explore bc bc1 2

# a film: GIF, as many frames as it should have, the same bytes again; the shorter of the two ends it
run 0 compare be bc --names BE,BC --film race.gif --trial 2
python3 - race.gif <<'PY' || fail "race.gif"
import sys
data = open(sys.argv[1], "rb").read()
assert data[:6] == b"GIF89a"
frames = data.count(b"\x21\xf9\x04")
# 180 rows are 2 a frame, and two episodes of 60 rows are played
assert 55 <= frames <= 65, frames
PY
run 0 compare be bc --names BE,BC --film again.gif --trial 2
cmp -s race.gif again.gif || fail "a film differs from itself"
run 0 compare be bc --film first.gif
! cmp -s race.gif first.gif || fail "trials 1 and 2 look the same"

# mistakes
run 1 compare be bc --film race.gif --trial 3
says "'be' has 2 trials, no trial 3"
run 1 compare be bc --film race.gif --env.splits=3
says '104 regions were counted'
run 1 compare be/results.json bc/results.json --film race.gif
says 'a film is of directories of bex explore --out'
run 2 compare be bc --film race.png
says "--film draws a .gif, not 'race.png'"
run 2 compare be bc --trial 0
says '--trial'

# choices of an episode
run 0 plans be --episode 2 --panels 1 --picture one.png
run 0 plans be --episode 2 --panels 3 --picture three.png
[ "$(wc -c <three.png)" -gt "$(wc -c <one.png)" ] || fail "three panels are no more than one"
run 2 plans be --panels 9 --picture nine.png
says '--panels'
echo ok

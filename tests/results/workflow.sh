#!/bin/bash
# results/run: the whole of it can be planned, and one world is made with a stand-in for the program that is stopped once in a training
# and once in an exploration: both go on, nothing is made twice.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v snakemake >/dev/null || {
    echo "SKIP: no snakemake (tools/deps --runs)"
    exit 77
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAIL: $*" >&2
    [ ! -e "$scratch/log" ] || tail -30 "$scratch/log" >&2
    exit 1
}
# a tree of its own: snakemake keeps its notes where it works
mkdir "$scratch/tree"
cp -r "$root/results" "$scratch/tree/"
cd "$scratch/tree"

results/run -n all --config out=plan >"$scratch/log" 2>&1 || fail "all of it cannot be planned"
for kind in demonstrations policy exploration past evaluation; do
    grep -q "^$kind  *[1-9]" "$scratch/log" || fail "$kind is not in the plan"
done
results/run -n {maze2d-medium,antmaze-medium,antmaze-large,kitchen}{,-seed1,-paper} {antmaze-medium,antmaze-large,kitchen}{-aside,-sweep,-rivals} \
    publish-{maze2d-medium,antmaze-medium,antmaze-large,kitchen} smoke >"$scratch/log" 2>&1 || fail "a target cannot be planned"
! results/run -n antmaze-huge >"$scratch/log" 2>&1 || fail "there is no antmaze-huge"

cat >"$scratch/bex" <<'PROGRAM'
#!/bin/bash
# a stand-in: writes what the real one leaves, notes what it was asked, and stops once in each command that $STOP names
set -eu
here=$(dirname "$0")
echo "$*" >>"$here/asked"
out='' resume='' save='' steps=''
command=$1
set -- "$@"
while [ $# -gt 0 ]; do
    case $1 in
    --out | -o) out=$2 ;;
    --resume) resume=$2 ;;
    --save-history) save=$2 ;;
    --train.steps=*) steps=${1#*=} ;;
    esac
    shift
done
stops() { [[ " ${STOP:-} " == *" $1 "* ]] && [ ! -e "$here/stopped-$1" ] && touch "$here/stopped-$1"; }
refuse() {
    echo "$*" >&2
    exit 1
}
case $command in
data) [ ! -e "$out" ] && echo x >"$out" ;;
train)
    if [ -n "$resume" ]; then
        [ -e "$resume/config.ini" ] || refuse "not a run: $resume"
        steps=$(cat "$resume/config.ini")
        out=$resume
    else
        [ ! -e "$out" ] || refuse "exists: $out"
        mkdir "$out"
        echo "$steps" >"$out/config.ini"
        ! stops train || kill -9 $$
    fi
    mkdir -p "$out/checkpoints/$steps"
    ;;
explore)
    if [ -n "$save" ]; then
        echo x >"$save"
        exit
    fi
    if [ -n "$resume" ]; then
        [ -e "$resume/unfinished/request.json" ] || refuse "nothing to resume in $resume"
        out=$resume
    else
        [ ! -e "$out" ] || refuse "exists: $out"
        mkdir -p "$out/unfinished"
        echo x >"$out/unfinished/request.json"
        ! stops explore || kill -9 $$
    fi
    rm -r "$out/unfinished"
    echo '{"trials": 1, "map": "long"}' >"$out/results.json"
    ;;
report) mkdir -p "$out" && echo page >"$out/report.html" ;;
esac
PROGRAM
chmod +x "$scratch/bex"
make_one() { results/run maze2d-medium-seed1 report-maze2d-medium --config seeds=1 "bex=$scratch/bex" threads=1 "$@" >"$scratch/log" 2>&1; }
if STOP="train explore" make_one; then fail "a program that dies goes unnoticed"; fi
[ -e "$scratch/stopped-train" ] || fail "no training was stopped"
STOP=explore make_one || STOP=explore make_one || fail "what was stopped does not go on"
[ -e "$scratch/stopped-explore" ] || fail "no exploration was stopped"
make_one || fail "the third time"
[ "$(grep -c '^train --resume' "$scratch/asked")" = 1 ] || fail "not one training went on"
[ "$(grep -c '^explore --resume' "$scratch/asked")" = 1 ] || fail "not one exploration went on"
[ -e runs/maze2d-medium/report/report.html ] || fail "no page"
grep -q '"trials": 1' runs/maze2d-medium/explored/alone1.json || fail "an exploration is not there"
! grep -q long runs/maze2d-medium/explored/alone1.json || fail "it is not slimmed"
[ -z "$(sort "$scratch/asked" | uniq -d)" ] || fail "made twice: $(sort "$scratch/asked" | uniq -d)"
before=$(wc -l <"$scratch/asked")
make_one
[ "$(wc -l <"$scratch/asked")" = "$before" ] || fail "what was there is made again"
touch results/Snakefile configs 2>/dev/null || true
make_one
[ "$(wc -l <"$scratch/asked")" = "$before" ] || fail "an edited table makes all of it again"

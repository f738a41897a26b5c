#!/bin/bash
# `mpirun -n R bex train`: the bits of one process, one voice, and what is left when a rank is killed.
#     ranks.sh path/to/bex
set -u
bex=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

"$bex" data gen maze2d-umaze --steps 3000 --episode-length 100 --out d.hdf5 >log 2>&1 ||
    { grep -q "cannot read or write HDF5\|no MuJoCo" log && { echo "SKIP: $(tail -1 log)"; exit 77; }; cat log; exit 1; }
if ! "$bex" doctor | grep -q '^MPI *[0-9]'; then
    # each process would take itself for the only one
    OMPI_COMM_WORLD_SIZE=2 "$bex" train --data d.hdf5 --out x >out 2>err && { echo "FAIL: trained alone"; exit 1; }
    grep -q "this build has no MPI" err || { echo "FAIL: says $(cat err)"; exit 1; }
    echo "SKIP: this build has no MPI"
    exit 77
fi
command -v mpirun >/dev/null || { echo "SKIP: no mpirun"; exit 77; }

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
over() { local n=$1; shift; timeout 300 mpirun -n "$n" --oversubscribe "$bex" train "$@"; }
# five lanes: no number of ranks but 1 and 5 divides them
small="--data d.hdf5 --model.width=16 --model.heads=2 --model.blocks=1 --model.feedforward=32 --model.time_width=16
    --model.history=8 --model.dropout=0.1 --coverage.dims=0,1 --coverage.features=8 --coverage.future=20 --coverage.bank=8
    --train.batch=32 --train.samples_per_history=4 --train.lanes=5 --train.threads=1 --train.steps=40 --train.warmup=2
    --train.evaluate_windows=32 --train.save_every=15 --train.log_every=7 --train.ema=0.9 --train.clip=1"

# same A B: the same newest checkpoint, byte by byte, and the same metrics but for the columns of time
same() {
    for file in model.safetensors state.safetensors loop.json; do
        cmp -s "$1/checkpoints/last/$file" "$2/checkpoints/last/$file" || fail "$1 and $2 differ in $file"
    done
    diff <(cut -d, -f1-7 "$1/metrics.csv") <(cut -d, -f1-7 "$2/metrics.csv") || fail "$1 and $2 differ in metrics.csv"
}
loop_without_time() { sed -i 's/"\(windows_per_second\|data_share\)": [^,}]*/"\1": 0/' "$1"/checkpoints/*/loop.json; }

# the same bits
"$bex" train $small --out one --quiet >/dev/null || fail "one process"
for ranks in 2 3; do
    over $ranks $small --out over$ranks >out 2>err || fail "$ranks ranks: $(cat err)"
    loop_without_time one; loop_without_time over$ranks
    same one over$ranks
    [ "$(grep -c '^done: ' out)" = 1 ] && [ "$(grep -c '^parameters' out)" = 1 ] || fail "said more than once: $(cat out)"
    [ "$(grep -c '40/40' err)" = 1 ] || fail "progress more than once: $(cat err)"
    [ "$(cat over$ranks/status)" = finished ] || fail "status $(cat over$ranks/status)"
    [ "$(wc -l <over$ranks/command.txt)" = 1 ] || fail "command.txt: $(cat over$ranks/command.txt)"
done
"$bex" train $small --agent bc --out bc --quiet >/dev/null || fail "bc"
over 2 $small --agent bc --out bc2 --quiet >/dev/null 2>err || fail "bc over 2: $(cat err)"
loop_without_time bc; loop_without_time bc2
same bc bc2
cmp -s one/checkpoints/last/model.safetensors bc/checkpoints/last/model.safetensors && fail "be is bc"

# mistakes: one line of ours, the exit code, no run
refuse() {
    local code=$1 text=$2
    shift 2
    "$@" >out 2>err
    local got=$?
    [ $got -eq "$code" ] || fail "$*: exit code $got, expected $code"
    [ "$(grep -c '^bex train: ' err)" -eq 1 ] || fail "$*: not one line: $(cat err)"
    grep '^bex train: ' err | grep -qF -- "$text" || fail "$*: '$text' not in: $(cat err)"
    [ -e x ] && [ "$(cat x/status)" = running ] && fail "$*: left a run"
    rm -rf x
}
refuse 1 "6 ranks for 5 lanes: a rank takes whole lanes (mpirun -n 5, or more train.lanes)" over 6 $small --out x
refuse 2 "unknown option --agnet (did you mean --agent?)" over 2 $small --agnet be --out x
refuse 2 "train.lr = 'fast'" over 2 $small --train.lr=fast --out x
refuse 1 "exists" over 2 $small --out one
refuse 1 "no/such.hdf5" over 2 $small --data no/such.hdf5 --out x
"$bex" data gen maze2d-umaze --steps 3000 --episode-length 100 --seed 1 --out e.hdf5 >/dev/null 2>&1
two() { timeout 300 mpirun --oversubscribe -n 1 "$bex" train $small --out x $1 : -n 1 "$bex" train $small --out x $2; }
refuse 1 "rank 1: " two "" "--data no/such.hdf5"
refuse 1 "rank 1 has other states than rank 0" two "" "--data e.hdf5"
refuse 1 "rank 1 has other settings than rank 0" two "" "--train.lr=2e-3"
over 2 $small --dry-run >out 2>err || fail "--dry-run: $(cat err)"
[ "$(grep -c 'ms an update' out)" = 1 ] || fail "--dry-run: $(cat out)"

# a rank is killed, or all are asked to stop: the job ends, and the run goes on to the same bits with any number of ranks
long="$small --train.steps=2000 --train.warmup=20 --train.save_every=50"
"$bex" train $long --out whole --quiet >/dev/null || fail "whole"
loop_without_time whole
# rank_of PID RANK: the process that mpirun started as this rank
rank_of() {
    local p
    for p in $(cat /proc/"$1"/task/*/children); do
        tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$2" && echo "$p"
    done
}
# interrupt RUN SIGNAL RANK|all: train over 2 until there is a checkpoint, then send it. The ranks stand still meanwhile, and
# hear it from us: mpirun takes seconds to pass on what it is told, and a fast machine is done by then
interrupt() {
    # mpirun gives those it ends a second, which a busy machine may not
    mpirun -n 2 --oversubscribe --mca odls_base_sigkill_timeout 3 "$bex" train $long --out "$1" --quiet >out 2>err &
    local job=$! i
    for ((i = 0; i < 1200; i++)); do
        [ -e "$1/checkpoints/last" ] && break
        sleep 0.05
    done
    local ranks=("$(rank_of $job 0)" "$(rank_of $job 1)")
    kill -STOP "${ranks[@]}" || fail "$1: had finished already"
    if [ "$3" = all ]; then kill -"$2" "${ranks[@]}"; else kill -"$2" "${ranks[$3]}"; fi
    kill -CONT "${ranks[@]}" 2>/dev/null
    for ((i = 0; i < 600; i++)); do
        kill -0 $job 2>/dev/null || break
        sleep 0.1
    done
    kill -0 $job 2>/dev/null && { fail "$1: hangs"; kill -9 $job; }
    wait $job
    code=$?
    [ -e "$1/checkpoints/2000" ] && fail "$1: had finished already"
}
resume() { # RUN RANKS
    if [ "$2" = 1 ]; then "$bex" train --resume "$1" --quiet >out 2>err; else over "$2" --resume "$1" --quiet >out 2>err; fi ||
        fail "--resume $1 over $2: $(cat err)"
    loop_without_time "$1"
    same whole "$1"
}
interrupt killed KILL 1
[ $code != 0 ] || fail "killed: exit code 0"
grep -q "^bex train: .*another rank.*the checkpoint of step [0-9]* is intact: --resume killed" err || fail "killed: $(cat err)"
grep -q "^failed: .*another rank" killed/status || fail "killed: status $(cat killed/status)"
resume killed 3
interrupt headless KILL 0
[ $code != 0 ] && grep -q "rank 0 .*Killed" err || fail "headless: $code $(cat err)"
resume headless 1
interrupt stopped TERM all
[ "$(grep -c 'stopped and saved; go on with: bex train --resume stopped' out)" = 1 ] || fail "stopped: $(cat out err)"
[ "$(cat stopped/status)" = stopped ] || fail "stopped: status $(cat stopped/status)"
resume stopped 2

[ $failures -eq 0 ] && echo "ranks: ok"
exit $((failures > 0))

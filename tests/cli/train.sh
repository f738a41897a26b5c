#!/bin/bash
# `bex train` as a user meets it: listing, dry run, overfitting, and every mistake as one line with its exit code.
#     train.sh path/to/bex
set -u
bex=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

if ! "$bex" data gen maze2d-umaze --steps 3000 --episode-length 100 --out d.hdf5 >log 2>&1; then
    grep -q "cannot read or write HDF5\|no MuJoCo" log && { echo "SKIP: $(tail -1 log)"; exit 77; }
    cat log; exit 1
fi
small="--model.chunk=8 --model.width=16 --model.heads=2 --model.blocks=1 --model.feedforward=32 --model.time_width=16 --model.history=8
    --coverage.dims=0,1 --coverage.features=8 --coverage.future=20 --coverage.bank=8 --train.batch=32 --train.lanes=4
    --train.samples_per_history=8 --train.steps=30 --train.warmup=2 --train.evaluate_windows=32 --train.threads=1"

# refuse CODE TEXT ARGUMENTS: that exit code, one line on stderr with TEXT, nothing on stdout, no run
refuse() {
    local code=$1 text=$2
    shift 2
    "$bex" train "$@" >out 2>err
    local got=$?
    [ $got -eq "$code" ] || fail "train $*: exit code $got, expected $code"
    [ "$(wc -l <err)" -eq 1 ] || fail "train $*: not one line: $(cat err)"
    grep -qF -- "$text" err || fail "train $*: '$text' not in: $(cat err)"
    [ -s out ] && fail "train $*: printed $(cat out)"
    [ -e runs ] && fail "train $*: left a run"
    rm -rf runs
}
refuse 1 "no demonstrations: data.path is empty"
refuse 1 "no/such.hdf5" --data no/such.hdf5
refuse 2 "no/such.ini" no/such.ini
refuse 2 "train.lrr" --data d.hdf5 --train.lrr=1
refuse 2 "did you mean" --data d.hdf5 --train.lrr=1
refuse 2 "train.lr = 'fast'" --data d.hdf5 --train.lr=fast
refuse 2 "model.mode" --data d.hdf5 --model.mode=half
refuse 2 "train.batch" --data d.hdf5 --train.batch=0
refuse 2 "train.agent" --data d.hdf5 --agent bx
refuse 2 "--sed" --data d.hdf5 --sed 1
refuse 2 "is not a run" --resume no/run
refuse 1 "not a multiple of train.samples_per_history" --data d.hdf5 $small --train.batch=30
refuse 1 "train.warmup 500 exceeds train.steps 50" --data d.hdf5 --train.steps=50 --train.warmup=500
refuse 1 "no episode holds a whole future of 100 + 1 states" --data d.hdf5 $small --coverage.future=100 --coverage.truncate=false
refuse 1 "model.task: the demonstrations have no task labels" --data d.hdf5 $small --model.task=true
refuse 1 "coverage.dims" --data d.hdf5 $small --coverage.dims=7
printf '[train]\nsteps = many\n' >bad.ini
refuse 2 "bad.ini:2: train.steps = 'many'" bad.ini
printf 'not hdf5\n' >text.hdf5
refuse 1 "text.hdf5" --data text.hdf5
if /usr/bin/python3 -c 'import h5py, numpy' 2>/dev/null; then
    /usr/bin/python3 - <<'PY'
import h5py, shutil
for name, column, value in (('nan', 1, float('nan')), ('constant', 2, 3.0)):
    shutil.copy('d.hdf5', name + '.hdf5')
    with h5py.File(name + '.hdf5', 'r+') as f:
        x = f['observations'][:]
        x[(slice(None) if name == 'constant' else 17), column] = value
        f['observations'][:] = x
PY
    refuse 1 "nan" --data nan.hdf5 $small
    refuse 1 "observation dim 2 is constant (3) (--data.drop_constant=true" --data constant.hdf5 $small --data.drop_constant=false
    "$bex" train --data constant.hdf5 $small --out dropped --quiet >/dev/null || fail "drop_constant"
fi

# values that came apart from their keys, files that are data
refuse 2 "'--model.width' has no value" --data d.hdf5 --model.width 128
refuse 2 "demonstrations? --data d.hdf5" d.hdf5
# what a session would refuse, at once
refuse 1 "exp '0.95'" --data d.hdf5 $small --deploy.exp=0.95
refuse 1 "deploy.action_steps 99: a chunk has 8 actions" --data d.hdf5 $small --deploy.action_steps=99
refuse 1 "needs model.waypoints" --data d.hdf5 $small --model.waypoints=false --deploy.candidates=8
refuse 1 "coverage.dims: dims 'hand'" --data d.hdf5 $small --coverage.dims=hand

# without a config file settings choose themselves, one line each; with one, or asked otherwise, they do not
"$bex" train --data d.hdf5 $small --out chosen >out 2>err || fail "auto: $(cat err)"
for key in coverage.bandwidth model.waypoints deploy.candidates; do
    [ "$(grep -c "^  $key " out)" = 1 ] || fail "no line of $key: $(cat out)"
done
grep -q "^  coverage.dims " out && fail "coverage.dims was given"
grep -q "^waypoints = true" chosen/config.ini && grep -q "^candidates = 8" chosen/config.ini || fail "auto is not saved"
grep -q "= auto" chosen/config.ini && fail "config.ini says auto"
printf '[model]\nwaypoints = auto\nchunk = 8\n[coverage]\nfuture = 20\n[train]\nsteps = 30\nwarmup = 2\n' >some.ini
"$bex" train some.ini --data d.hdf5 --dry-run --coverage.dims=auto >out || fail "auto in a file"
[ "$(grep -c "^  [a-z]*\.[a-z_]* " out)" = 2 ] || fail "two keys were auto: $(cat out)"
"$bex" data suggest d.hdf5 --plot suggest.svg >out || fail "data suggest"
grep -q "what counts: 0,1" out && [ -s suggest.svg ] || fail "suggest says $(cat out)"

# --keys lists every section, and what it lists is what a run saves
"$bex" train --keys >keys || fail "--keys"
for key in path lr samples_per_history width future normalise guidance denoising_steps; do
    grep -qw "$key" keys || fail "--keys lacks $key"
done

# --dry-run prints sizes and time, writes nothing
"$bex" train --data d.hdf5 $small --dry-run >dry || fail "--dry-run"
for word in agent episodes tokens parameters GFLOP "ms an update"; do
    grep -q "$word" dry || fail "--dry-run lacks $word: $(cat dry)"
done
"$bex" train --data d.hdf5 $small --model.waypoints=true --dry-run >dry || fail "--dry-run with waypoints"
grep -q "state 4 (+ 8 features), action 2 (+ 2 of a waypoint);" dry || fail "--dry-run: waypoints are no actions: $(grep ^data dry)"
ls | grep -q runs && fail "--dry-run left a run"

# --overfit goes below what predicting nothing costs (8 actions: 8)
"$bex" train --data d.hdf5 $small --agent bc --overfit 4 --train.steps=300 --train.lr=1e-2 --out over --quiet >/dev/null ||
    fail "--overfit"
tail -1 over/metrics.csv | awk -F, '{exit !($2 < 4)}' || fail "--overfit ends at $(tail -1 over/metrics.csv)"
grep -q "^overfit = 4" over/config.ini || fail "config.ini lacks overfit"

# the short options, default names, --force, and what is printed
"$bex" train --data d.hdf5 $small --agent bc-history --seed 3 >out 2>err || fail "bc-history: $(cat err)"
[ -d runs/bc-history-3 ] || fail "no runs/bc-history-3"
grep -q "agent        bc-history, prefix mode" out || fail "describes $(head -1 out)"
grep -q "30/30 100.0%.* loss .* lr .* data " err || fail "progress: $(cat err)"
"$bex" train --data d.hdf5 $small --agent bc-history --seed 3 >out 2>err && fail "overwrote a run"
grep -q "exists" err || fail "says $(cat err)"
"$bex" train --data d.hdf5 $small --agent bc-history --seed 3 --force --quiet >/dev/null 2>err || fail "--force: $(cat err)"
[ -s err ] && fail "--quiet is not: $(cat err)"
[ "$(cat runs/bc-history-3/status)" = finished ] || fail "status $(cat runs/bc-history-3/status)"

# eval: a policy beside what was held out from it, and one line where it cannot
"$bex" eval runs/bc-history-3 --windows 16 --json >eval 2>err || fail "eval: $(cat err)"
grep -q '"as trained"' eval && grep -q '"another history"' eval || fail "eval prints $(cat eval)"
grep -q '"coverage hidden"' eval && fail "eval hides the coverage of a policy that has none"
# a file of it beside the run itself: the same episodes, no difference
"$bex" compare eval runs/bc-history-3 --windows 16 >compared 2>err || fail "compare: $(cat err)"
grep -q "paired by episode" compared && grep -q "error of a chunk .* 0 +- 0 " compared || fail "compare prints $(cat compared)"
"$bex" eval nowhere 2>err && fail "eval of nothing"
[ "$(wc -l <err)" = 1 ] && grep -q "nowhere" err || fail "eval says $(cat err)"
# nothing held out: of itself it cannot tell; a file that is named is taken whole, its own too
"$bex" train --data d.hdf5 $small --agent bc --data.held_out=0 --out all --quiet >/dev/null 2>err || fail "all: $(cat err)"
"$bex" eval all 2>err && fail "eval of nothing held out"
[ "$(wc -l <err)" = 1 ] && grep -q -- "--data FILE" err || fail "eval says $(cat err)"
"$bex" eval all --data d.hdf5 --windows 16 >eval 2>err || fail "eval of all: $(cat err)"
grep -q "^all [0-9]* episodes of d.hdf5" eval || fail "eval prints $(cat eval)"

# eval of a policy alone on any file, with a verdict; of states of another size one line
"$bex" export chosen --out p.safetensors >/dev/null
"$bex" eval p.safetensors --data d.hdf5 --windows 16 >eval 2>err || fail "eval --data: $(cat err)"
grep -q "^verdict: " eval && grep -q "all 30 episodes of d.hdf5" eval || fail "eval --data prints $(cat eval)"
"$bex" eval chosen --data d.hdf5 --windows 16 | grep -q "held out of its own" || fail "eval of its own data"
"$bex" eval p.safetensors >out 2>err && fail "eval without data"
grep -q -- "--data FILE names some" err || fail "eval says $(cat err)"

# a session refuses false readings; a simulator has none, so an exploration heeds the bound only where it is asked to
"$bex" export chosen --deploy.farthest=1 --out strict.safetensors >/dev/null || fail "export --deploy.farthest"
walk="--env maze2d-medium --trials 1 --episodes 1 --episode-length 40 --seed 1"
"$bex" explore strict.safetensors $walk >out 2>err || fail "explore of a strict policy: $(cat err)"
"$bex" explore strict.safetensors $walk --deploy.farthest=1 >out 2>err && fail "deploy.farthest is not heeded"
grep -q "standard deviations from the demonstrations" err || fail "explore beyond farthest says $(cat err)"

# what things are, how much states explore, two explorations side by side
"$bex" show chosen --fast >out || fail "show"
grep -q "judge it" out && grep -q "candidates  *8" out || fail "show says $(cat out)"
"$bex" show p.safetensors --json | grep -q '"latency"' || fail "show --json"
"$bex" show d.hdf5 | grep -q "episodes" || fail "show of data"
"$bex" coverage chosen --states d.hdf5 --data d.hdf5 --plot c.svg --out c1 >out 2>err || fail "coverage: $(cat err)"
grep -q "0 are still unseen" out && [ -s c.svg ] && [ -s c1/results.json ] || fail "coverage says $(cat out)"
"$bex" report c1 >/dev/null 2>err && [ -s c1/report.html ] || fail "report: $(cat err)"
"$bex" coverage chosen --states c1 --json | grep -q '"quantile"' || fail "coverage of an exploration"
"$bex" compare c1 c1 --plot d.svg >out 2>err || fail "compare: $(cat err)"
grep -q "paired by trial" out && grep -q "0 +- 0" out && [ -s d.svg ] || fail "compare says $(cat out)"
"$bex" coverage chosen --states p.safetensors 2>err && fail "coverage of a policy"
grep -q "not what one saw" err || fail "coverage says $(cat err)"
"$bex" compare c1 chosen 2>err && fail "compare with a run"

[ $failures -eq 0 ] && echo "train: ok"
exit $((failures > 0))

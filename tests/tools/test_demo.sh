#!/bin/bash
# tools/demo: killed anywhere and started again, it does every step to its end. The program is a stand-in that leaves
# what the real one leaves, and dies before each of its writes in turn.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAIL: $*" >&2
    exit 1
}
mkdir -p "$scratch/tools" "$scratch/build/release/bin" "$scratch/configs"
cp "$root/tools/demo" "$scratch/tools/"
cat >"$scratch/build/release/bin/bex" <<'PROGRAM'
#!/bin/sh
# a stand-in: the file $STATE counts writes; number $KILL_AT dies instead
write() {
    n=0
    [ ! -e "$STATE" ] || read -r n <"$STATE"
    n=$((n + 1))
    echo "$n" >"$STATE"
    [ "$n" != "${KILL_AT:-0}" ] || exit 9
    [ -d "${1%/*}" ] || mkdir -p "${1%/*}"
    echo x >"$1"
}
refuse() {
    echo "$*"
    exit 1
}
out='' resume='' save='' steps=''
command=$1
while [ $# -gt 0 ]; do
    case $1 in
    --out | -o) out=$2 ;;
    --resume) resume=$2 ;;
    --save-history) save=$2 ;;
    --train.steps=*) steps=${1#*=} ;;
    esac
    shift
done
case $command in
data) write "$out" ;;
train)
    if [ -n "$resume" ]; then
        [ -e "$resume/config.ini" ] || refuse "not a run: $resume"
        out=$resume
    else
        [ ! -e "$out" ] || refuse "exists: $out"
        write "$out/config.ini"
    fi
    write "$out/checkpoints/$steps"
    ;;
explore)
    if [ -n "$save" ]; then
        [ ! -e "$save" ] || refuse "exists: $save"
        write "$save"
        exit
    fi
    if [ -n "$resume" ]; then
        [ -e "$resume/unfinished/request.json" ] || refuse "nothing to resume in $resume"
        out=$resume
    else
        [ ! -e "$out/unfinished/request.json" ] || refuse "unfinished: $out"
        [ ! -e "$out/results.json" ] || refuse "exists: $out"
        write "$out/unfinished/request.json"
    fi
    write "$out/results.json"
    rm -r "$out/unfinished"
    ;;
report) write "$out/report.html" ;;
esac
PROGRAM
chmod +x "$scratch/build/release/bin/bex"
export STATE=$scratch/state DEMO_STEPS=10
"$scratch/tools/demo" >/dev/null || fail "the demo itself"
whole=$(cd "$scratch/runs" && find . | sort)
writes=$(cat "$STATE")
[ "$writes" -gt 30 ] || fail "only $writes writes"
for ((at = 1; at <= writes; at++)); do
    rm -rf "$scratch/runs" "$STATE"
    ! KILL_AT=$at "$scratch/tools/demo" >/dev/null 2>&1 || fail "not killed at $at"
    said=$("$scratch/tools/demo" 2>&1) || fail "killed at write $at it does not go on: $(tail -1 <<<"$said")"
    [ "$(cd "$scratch/runs" && find . | sort)" = "$whole" ] || fail "killed at write $at something is missing"
done
echo ok

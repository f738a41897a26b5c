#!/bin/bash
# The program from outside: help, version and mistakes of every command; codes 0, 1, 2; one line on
# stderr and nothing on stdout when it is the user's mistake.
#   smoke.sh BEX
set -eu
bex=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAIL: $*" >&2
    sed 's/^/  stdout | /' "$scratch/out" >&2
    sed 's/^/  stderr | /' "$scratch/err" >&2
    exit 1
}
run() { # expected code, arguments...
    local want=$1 code=0
    shift
    "$bex" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || code=$?
    [ $code = "$want" ] || fail "bex $*: code $code, not $want"
}
out() { grep -qF -- "$1" "$scratch/out" || fail "stdout lacks '$1'"; }
mistake() { # message, arguments...
    local message=$1
    shift
    run 2 "$@"
    [ ! -s "$scratch/out" ] || fail "bex $*: prints on stdout"
    [ "$(wc -l <"$scratch/err")" = 1 ] || fail "bex $*: not one line on stderr"
    grep -qF -- "$message" "$scratch/err" || fail "bex $*: no '$message'"
}

run 0 --version
grep -qE '^bex [0-9]+\.[0-9]+\.[0-9]+$' "$scratch/out" || fail "--version"
for help in --help -h help; do
    run 0 $help
    out 'usage: bex COMMAND'
    out 'Exit codes: 0 ok, 1 failed, 2 usage'
    [ ! -s "$scratch/err" ] || fail "help on stderr"
done

# every command of the list
commands=$(sed -n 's/^  \([a-z]*\)  .*/\1/p' "$scratch/out")
[ "$(wc -w <<<"$commands")" -ge 2 ] || fail "no commands in the help"
for command in $commands; do
    run 0 "$command" --help
    out "usage: bex $command"
    out 'example:'
    out "  bex $command"
    mistake "bex $command: unknown option --no-such-option" "$command" --no-such-option
    mistake "unknown option -q" "$command" -q
done

mistake 'no command'
mistake "unknown command 'docter' (did you mean doctor?)" docter
mistake "unknown command 'frobnicate' (try bex --help)" frobnicate
mistake "unknown command 'a?b'" "$(printf 'a\nb')"
mistake "unknown command ''" ''
mistake '--json takes no value' doctor --json=1
mistake 'did you mean --json?' doctor --jsno
mistake "unexpected argument 'extra'" doctor extra
mistake 'which benchmark?' bench
mistake "--port must be in [0, 65535]" serve --port 70000
run 1 serve "$scratch/no-such-page.html"
grep -qF "cannot read '$scratch/no-such-page.html'" "$scratch/err" || fail 'serve: which page?'
run 1 serve "$bex" --address nowhere --port 0
grep -qF "'nowhere' is no address" "$scratch/err" || fail 'serve: which address?'
mistake 'of which run?' report
mistake 'several runs need -o DIR' report a b
mistake "no benchmark 'kernel' (did you mean kernels?)" bench kernel
mistake "no peer 'tensorflow' (torch)" bench train --peer tensorflow

run 0 doctor
out jansson
[ ! -s "$scratch/err" ] || fail "doctor complains"
run 0 doctor --json
python3 - "$scratch/out" <<'PYTHON' || fail "doctor --json"
import json, sys
d = json.load(open(sys.argv[1]))
assert d["precision"] in ("f32", "f64") and d["cpu"]["usable_cores"] >= 1
assert any(x["name"] == "jansson" and x["present"] for x in d["libraries"])
PYTHON

# output that cannot be written is a failure
if [ -w /dev/full ]; then
    for line in 'doctor' 'doctor --json' '--help' '--version'; do
        code=0
        # shellcheck disable=SC2086
        "$bex" $line >/dev/full 2>"$scratch/err" || code=$?
        [ $code = 1 ] || fail "bex $line on a full disk: code $code"
        grep -q 'standard output' "$scratch/err" || fail "bex $line on a full disk says nothing"
    done
fi
echo ok

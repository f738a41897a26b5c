#!/bin/bash
# tools/words: each kind of fault, planted in a page, is named with its line; a page without one passes.
#   test_words.sh BEX
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(dirname "$(dirname "$1")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAIL: $*" >&2
    "$root/tools/words" --build "$build" "$scratch" >&2 || true
    exit 1
}
says() { # text, or nothing: expect success
    if out=$("$root/tools/words" --build "$build" "$scratch"); then
        [ -z "${1-}" ] || fail "expected '$1'"
    else
        [ -n "${1-}" ] || fail "expected success"
        grep -qF -- "$1" <<<"$out" || fail "expected '$1'"
    fi
}
page() { # text, fault
    printf '# Top\n\n%s\n' "$1" >"$scratch/README.md"
    says "${2-}"
}
long() { printf 'x%.0s' $(seq "$1"); }
mkdir -p "$scratch/docs" "$scratch/src/policy"
printf 'all:\ncheck: all\n' >"$scratch/Makefile"
touch "$scratch/src/policy/choice.h"
echo 'x = "coverage.head";  y = {.was = "data.keys"};' >"$scratch/src/policy/choice.c"

# links
page 'See [a](docs/a.md).' 'README.md:3: link to docs/a.md: no such file'
printf '# A page\n\n## Two `words`, here\n' >"$scratch/docs/a.md"
page 'See [a](docs/a.md), [b](docs/a.md#two-words-here), [c](#top), [d](https://example.org/none).'
page 'See [a](docs/a.md#three).' 'link to docs/a.md#three: no such heading'
page 'See nothing.' 'docs/a.md:1: no link leads here'
rm "$scratch/docs/a.md"

# commands: in a block, in a fence, in backticks; explained, piped, with values
page '    bex train --data x.hdf5 --model.width=8      then --nonsense is prose'
page '    bex trian --data x.hdf5' "no command 'bex trian'"
page '    bex explore RUN --exp q:1 --deploy.candidates=8 --env.splits=2 && bex data suggest x.hdf5 --plot y.png'
page '    bex explore RUN --env maze2d-medium --depoly.candidates=8' 'bex explore takes no --depoly.KEY'
page '    bex explore RUN --deploy.candidate=8' 'no key deploy.candidate'
page 'Call `bex eval --best` and `bex COMMAND --help`.'
page 'Call `bex eval --bset`.' 'bex eval has no option --bset'
page '    bex train --train.stesp=5' 'no key train.stesp'
page '    bex data gen libero-90 --count 3'
page '    bex data gen maze2d-medium --count 3' 'bex data gen has no option --count'
page "$(printf '```\nbex data sugest x\n```')" "no command 'bex data sugest'"
page '    make check PREFIX=/usr'
page '    make chekc' 'make has no target chekc'
page '    docs/nothing.sh --yes' 'docs/nothing.sh: no such file'

# keys and files
page 'Set `deploy.commit`, `deploy.commit = 20`, `env.start`; the tensor `coverage.head`; `policy/choice.h`, `choice.h`.'
page 'Set `deploy.comit`.' 'no key deploy.comit'
page 'Set `data.keys`.' 'no key data.keys'
page 'In `policy/chioce.h`.' 'policy/chioce.h: no such file'
page 'In `chioce.h`.' 'chioce.h: no such file'

# sizes
page "$(long 240)"
page "$(long 241)" 'a line of 241 characters, at most 240'
page "| $(long 300) |"
page "$(for _ in $(seq 99); do long 119 && echo; done)" # 11,889 bytes and the heading
page "$(for _ in $(seq 101); do long 119 && echo; done)" 'at most 12000'
page 'See [r](docs/experiments/r.md).' 'no such file'
mkdir -p "$scratch/docs/experiments"
(for _ in $(seq 51); do long 119 && echo; done) >"$scratch/docs/experiments/r.md"
says 'at most 6000'
echo ok

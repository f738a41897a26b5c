#!/bin/bash
# examples/be_in_one_file.c as a student meets it: one command of a C compiler, no warning, no library of ours; and
# what it prints holds: BE covers more than BC and than itself without a history, and more is covered where more is
# asked for, each by ten standard errors of the larger one.
#   be_in_one_file.sh SOURCE_DIR
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"${CC:-cc}" -std=c11 -O3 -Wall -Wextra -Werror "$1/examples/be_in_one_file.c" -lm -o "$scratch/be"
"$scratch/be" | tee "$scratch/out"
last() { # of the row with this name: mean and error after the last episode
    grep -F "$1   " "$scratch/out" | tail -1 | awk '{print $(NF-2), $NF}'
}
more() { # A covers more than B
    echo "$1: $(last "$1"); $2: $(last "$2")"
    echo "$(last "$1") $(last "$2")" |
        awk 'NF != 4 || !($1 - $3 > 10 * ($2 > $4 ? $2 : $4)) || $2 <= 0 {exit 1}' || {
        echo "FAIL: $1 does not cover more than $2" >&2
        exit 1
    }
}
grep -q '^loss 0\.' "$scratch/out"
more "BE, c = 1" "BC"
more "BE, c = 1" "BE, c = 1, no history"
more "BE, c = 1" "BE, c = 0.5"
more "BE, c = 0.5" "BE, c = 0"

#!/bin/bash
# results/tables.py: the tables in the pages are those of results/*/explored, and a page that is not is found.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAIL: $*" >&2
    exit 1
}
"$root/results/tables.py" --check || fail "run results/tables.py"

page=$scratch/page.md
printf 'before\n<!-- table d4rl -->\n<!-- end -->\nbetween\n<!-- table maze2d -->\n| old |\n<!-- end -->\nafter\n' >"$page"
cp "$page" "$scratch/was.md"
! "$root/results/tables.py" --check "$page" >"$scratch/out" || fail "a stale page passes"
[ "$(grep -c 'is stale' "$scratch/out")" = 2 ] || fail "not both tables are named: $(cat "$scratch/out")"
cmp -s "$page" "$scratch/was.md" || fail "--check wrote"
"$root/results/tables.py" "$page"
"$root/results/tables.py" --check "$page" || fail "stale again"
grep -q '^| Kitchen: tasks completed, % | 92.2' "$page" || fail "no table was made"
! grep -q '^| old |' "$page" || fail "the old table stays"
[ "$(grep -c -x -e before -e between -e after "$page")" = 3 ] || fail "the rest of the page changed"
sed -i 's/^| Kitchen: tasks completed, % | 92.2/| Kitchen: tasks completed, % | 92.3/' "$page" # one digit
! "$root/results/tables.py" --check "$page" >/dev/null || fail "a wrong digit passes"

printf '<!-- table no-such -->\n<!-- end -->\n' >"$page"
! "$root/results/tables.py" "$page" 2>"$scratch/err" || fail "an unknown table passes"
grep -q 'no table is called no-such; there are: ' "$scratch/err" || fail "it is not named: $(cat "$scratch/err")"
printf '<!-- table d4rl -->\ntext\n' >"$page"
! "$root/results/tables.py" "$page" 2>"$scratch/err" || fail "a table without an end passes"

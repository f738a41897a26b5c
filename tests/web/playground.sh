#!/bin/bash
# tests/web/playground.sh BUILD [test|film|measure] - the playground in a browser: its test (playground.mjs) with
# screenshots in build/web/shots, the pictures of its film (film.mjs), its speed (measure.mjs).
# SKIP without the page (`make web`), Chromium, Node.js or playwright-core, which tools/deps --web and npm bring.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
web=$root/build/web build=$1
skip() { echo "SKIP: $*"; exit 77; }
chromium=${CHROMIUM:-$(command -v chromium || true)}
[ -n "$chromium" ] || skip "no chromium (tools/deps --web)"
command -v node >/dev/null || skip "no Node.js (tools/deps --web)"
[ -f "$web/playground.html" ] || skip "no build/web/playground.html (make web)"
[ -d "$web/node_modules/playwright-core" ] || skip "no playwright-core (make web-test)"
# a module is looked for beside the script that wants it
cp "$root"/tests/web/*.mjs "$web"
parts=$web/demos.bin
for policy in "$web"/policy*.safetensors; do parts=$parts,$policy; done
export CHROMIUM=$chromium
case ${2:-test} in
test) node "$web/playground.mjs" "$web/playground.html" "$build/web_reference" "$parts" "$build/bin/bex" "$web/shots" ;;
film) node "$web/film.mjs" "$web/playground.html" "$web/frames" ;;
measure) node "$web/measure.mjs" "$web/playground.html" ;;
esac

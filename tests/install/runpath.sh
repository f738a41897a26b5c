#!/bin/bash
# The program and the library look for libraries in absolute directories only: an empty or relative entry of the RUNPATH
# is the current directory, where anybody may have put a file of that name.
#   runpath.sh FILE...
set -eu
command -v readelf >/dev/null || { echo "SKIP: no readelf"; exit 77; }
code=0
for file in "$@"; do
    path=$(readelf -d "$file" | sed -n 's/.*(R\(UN\)\?PATH).*\[\(.*\)\]$/\2/p')
    [ -n "$path" ] || continue
    # a last separator begins an empty entry
    while IFS= read -r -d: entry; do
        case $entry in
        /*) ;;
        *) echo "FAIL: $file: RUNPATH '$path' has the entry '$entry'" && code=1 ;;
        esac
    done <<<"$path:"
done
[ $code = 1 ] || echo ok
exit $code

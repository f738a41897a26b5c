#!/bin/bash
# What libbex.so needs and shows: none of the lab's libraries, no OpenMP where it is built plain, and only what
# include/bex declares.
#   symbols.sh LIBBEX_SO [openmp|plain]
set -eu
library=$1
refused='hdf5|mujoco|cairo|dnnl|mpi|jansson'
[ "${2:-openmp}" = openmp ] || refused="$refused|omp"
root=$(cd "$(dirname "$0")/../.." && pwd)

needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
echo "needs:" $needed
if grep -iE "$refused" <<<"$needed"; then
    echo "FAIL: libbex must not link the libraries above" >&2
    exit 1
fi

exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | sort -u)
declared=$(sed -n 's/^BEX_API .*[ *]\(bex_[a-z0-9_]*\)(.*/\1/p' "$root"/include/bex/*.h | sort -u)
if [ "$exported" != "$declared" ]; then
    echo "FAIL: exported (<) is not what the headers declare (>):" >&2
    diff <(echo "$exported") <(echo "$declared") >&2
    exit 1
fi
echo "exports: $(wc -l <<<"$exported") functions, all declared"

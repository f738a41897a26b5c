"""h5py reading what `bex bench data` reads: peer_data.py FILE ROUNDS -> {"seconds": best}.

"make FILE gzip|plain" writes the file: D4RL's layout, 1,000,000 x 29 and 8, chunked as h5py chooses.
"""
import json
import sys
import time

import h5py
import numpy as np

KEYS = ("observations", "actions", "rewards", "terminals", "timeouts")


def make(path, kind, rows=1_000_000, columns=29, actions=8):
    rng = np.random.default_rng(0)
    options = {"compression": "gzip"} if kind == "gzip" else {}
    # a walk, so that it compresses about as simulated states do
    observations = np.cumsum(rng.standard_normal((rows, columns), dtype=np.float32) * 0.05, axis=0)
    with h5py.File(path, "w") as f:
        f.create_dataset("observations", data=observations, **options)
        f.create_dataset("actions", data=rng.uniform(-1, 1, (rows, actions)).astype("f4"), **options)
        f.create_dataset("rewards", data=np.zeros(rows, "f4"), **options)
        f.create_dataset("terminals", data=np.zeros(rows, bool), **options)
        f.create_dataset("timeouts", data=np.arange(rows) % 1001 == 1000, **options)


def read(path):
    with h5py.File(path, "r") as f:
        return [f[k][:] for k in KEYS]


if sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3])
    print(json.dumps({"made": 1}))
else:
    best = 1e9
    for _ in range(int(sys.argv[2])):
        start = time.perf_counter()
        arrays = read(sys.argv[1])
        best = min(best, time.perf_counter() - start)
        del arrays
    print(json.dumps({"seconds": best}))

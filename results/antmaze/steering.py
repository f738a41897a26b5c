#!/usr/bin/python3
"""steering.py medium|large FILE...: how straight ants walk, from demonstrations or trajectories.hdf5 of explorations. A row a file: of the episodes that begin in the
start cell, cut at the protocol's length, the cells they see, net over walked metres of 100 upright steps, and the three cells (row, column) where most of them end; of
explorations also goals found, with the goals' squares as in docs/environments/antmaze.md and centred on their cells (the state after an episode's last action is not in the file, so now and then one goal
fewer than in results.json). Needs h5py and numpy."""
import os
import sys
from collections import Counter

import h5py
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import antmaze_goals

world, files = sys.argv[1], sys.argv[2:]
print("| | episodes | cells an episode | net / walked, 100 steps | end in | goals | goals, squares centred |\n|" + "---|" * 7)
for path in files:
    with h5py.File(path) as f:
        states = f["observations"][:]
        trial = f["infos/trial"][:] if "infos/trial" in f else None
        episode = f["infos/episode"][:] if trial is not None else None
    xy, up = states[:, :2].astype(float), 1 - 2 * (states[:, 4] ** 2 + states[:, 5] ** 2) > 0  # quaternion wxyz: the torso's z axis
    if trial is None:
        cut = np.linalg.norm(np.diff(xy, axis=0), axis=1) > 1  # an ant does not jump
    else:
        cut = (np.diff(trial) != 0) | (np.diff(episode) != 0)
    first = np.append(0, np.flatnonzero(cut) + 1)
    last = np.minimum(np.append(first[1:], len(xy)), first + antmaze_goals.LENGTHS[world])
    cells = np.rint(xy / 4).astype(int)[:, ::-1] + 1  # row, column
    here = np.flatnonzero((cells[first] == 1).all(axis=1))
    ends, seen, net, walked = Counter(), [], 0.0, 0.0
    for e in here:
        c = list(map(tuple, cells[first[e]:last[e]].tolist()))
        ends[c[-1]] += 1
        seen.append(len(set(c)))
        for a in range(first[e], last[e] - 100, 100):
            if up[a:a + 101].all():
                net += np.linalg.norm(xy[a + 100] - xy[a])
                walked += np.linalg.norm(np.diff(xy[a:a + 101], axis=0), axis=1).sum()
    row = [f"{np.mean(seen):.1f}", f"{net / walked:.2f}", ", ".join(f"({r},{c}) {n / len(here):.2f}" for (r, c), n in ends.most_common(3))]
    for low in (0.0, -0.75):
        found = antmaze_goals.found(xy, world, low) if trial is not None else None
        row.append("-" if trial is None else f"{np.mean([found[:, trial == t].any(axis=1) for t in np.unique(trial)]):.3f}")
    name = os.path.basename(os.path.dirname(path)) if path.endswith("/trajectories.hdf5") else os.path.basename(path)
    print(f"| {name} | {len(here)} | " + " | ".join(row) + " |")

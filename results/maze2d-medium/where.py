#!/usr/bin/python3
"""where.py RUNS: which half-cells the explorations of RUNS reach after 40 episodes, by how the demonstrations use them. Needs h5py."""
import os, sys
import h5py
import numpy as np

runs = sys.argv[1]
OFFSET = 0.7  # of D4RL's medium maze: where a cell begins


def half_cells(states):
    return np.floor((states[:, :2] + OFFSET) * 2).astype(int)


with h5py.File(os.path.join(runs, "demos.hdf5")) as f:
    demos = half_cells(f["observations"][:])
count = np.zeros((20, 20))
np.add.at(count, tuple(demos.T), 1)
share = count / len(demos)
common, rare = share >= 1e-3, (share > 0) & (share < 1e-3)
print(f"\n| half-cells after 40 episodes | in at least 0.1 % of demonstration states: {common.sum()} | in fewer: {rare.sum()} | in none: {104 - (share > 0).sum()} |")
print("|---|---|---|---|")
for label, who in (("BE, the network alone", "alone#"), ("the same, history = its first state", "alone-first#"),
                   ("BE, choice among 8 candidates", "online#"), ("BC", "bc-policy#"), ("BC with cosines of x and y", "bc-features#"),
                   ("retrieval, one of the 6 best", "retrieval"), ("retrieval, random neighbour", "retrieval-random")):
    names = [who.replace("#", s) for s in "123"] if "#" in who else [who]
    names = [n for n in names if os.path.exists(os.path.join(runs, n, "trajectories.hdf5"))]
    if not names:
        continue
    reached = []
    for name in names:
        with h5py.File(os.path.join(runs, name, "trajectories.hdf5")) as f:
            cells, trial = half_cells(f["observations"][:]), f["infos/trial"][:]
        for t in np.unique(trial):
            seen = np.zeros((20, 20), bool)
            seen[tuple(cells[trial == t].T)] = True
            reached.append([(seen & common).sum(), (seen & rare).sum(), (seen & (share == 0)).sum()])
    mean, error = np.mean(reached, 0), np.std(reached, 0, ddof=1) / np.sqrt(len(reached))
    print(f"| {label} | " + " | ".join(f"{m:.1f} +- {e:.1f}" for m, e in zip(mean, error)) + " |")

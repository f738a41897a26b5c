#!/usr/bin/python3
"""demonstrators.py FILE medium|large|kitchen: what replaying demonstrations would find in a trial. Draws as many of the demonstrations that begin
where trials do as a trial has episodes, cuts them at an episode's length and counts as the protocol does; 2,000 such trials. Also the share of all demonstrations that find each goal. Needs h5py and numpy."""
import sys

import h5py
import numpy as np

import antmaze_goals

TRIALS = 2000
TASKS = [  # observation entries, where they shall be
    ([17, 18], [-0.69, -0.05]), ([19], [0.37]), ([22], [-0.75]), ([23, 24, 25, 26, 27, 28, 29], [-0.23, 0.75, 1.62, 0.99, 0, 0, -0.06])]
path, world = sys.argv[1:]
with h5py.File(path) as f:
    states = f["observations"][:]
    ends = np.flatnonzero(f["timeouts"][:] | f["terminals"][:]) if world == "kitchen" else None
if world == "kitchen":
    budget, length = 3000, 280
    found = np.array([np.linalg.norm(states[:, i] - np.array(g), axis=1) < 0.3 for i, g in TASKS])
    regions = None
    begins = np.ones(len(states), bool)
else:
    budget, length = antmaze_goals.BUDGET, antmaze_goals.LENGTHS[world]
    xy = states[:, :2]
    ends = np.flatnonzero(np.append(np.linalg.norm(np.diff(xy, axis=0), axis=1) > 1, True))  # an ant does not jump
    found = antmaze_goals.found(xy, world)
    cells = np.rint(xy / 4).astype(int)
    regions = cells[:, 0] * 100 + cells[:, 1]
    begins = regions == 0
first = np.append(0, ends[:-1] + 1)
here = np.flatnonzero(begins[first])
lengths = [length] * (budget // length) + [budget % length] * (budget % length > 0)  # of a trial's episodes: the last is cut where the budget ends
anywhere = np.mean([found[:, a:b + 1].any(axis=1) for a, b in zip(first, ends)], axis=0)
parts = {n: [slice(first[e], min(ends[e] + 1, first[e] + n)) for e in here] for n in set(lengths)}
each_found = {n: [found[:, p].any(axis=1) for p in parts[n]] for n in parts}
each_cells = {n: [set(regions[p]) for p in parts[n]] for n in parts} if regions is not None else None
rng = np.random.default_rng(1)
share, count, by_goal = [], [], np.zeros(len(found))
for _ in range(TRIALS):
    drawn = list(zip(lengths, rng.integers(len(here), size=len(lengths))))
    got = np.any([each_found[n][i] for n, i in drawn], axis=0)
    share.append(got.mean())
    by_goal += got
    if each_cells:
        count.append(len(set().union(*(each_cells[n][i] for n, i in drawn))))
print(f"{world}: {len(here)} of {len(first)} demonstrations begin where trials do; {len(lengths)} of them find {np.mean(share):.3f} (deviation {np.std(share):.3f}), "
      f"each of the four {', '.join(f'{g / TRIALS:.2f}' for g in by_goal)}; of all demonstrations, at full length, {', '.join(f'{g:.3f}' for g in anywhere)} do" + (f"; regions {np.mean(count):.1f} (deviation {np.std(count):.1f})" if count else ""))

#!/usr/bin/env python3
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
    episodes, length = 10, 280
    found = np.array([np.linalg.norm(states[:, i] - np.array(g), axis=1) < 0.3 for i, g in TASKS])
    regions = None
    begins = np.ones(len(states), bool)
else:
    episodes, length = antmaze_goals.EPISODES[world], antmaze_goals.LENGTHS[world]
    xy = states[:, :2]
    ends = np.flatnonzero(np.append(np.linalg.norm(np.diff(xy, axis=0), axis=1) > 1, True))  # an ant does not jump
    found = antmaze_goals.found(xy, world)
    cells = np.rint(xy / 4).astype(int)
    regions = cells[:, 0] * 100 + cells[:, 1]
    begins = regions == 0
first = np.append(0, ends[:-1] + 1)
last = np.minimum(ends + 1, first + length)
here = np.flatnonzero(begins[first])
anywhere = np.mean([found[:, a:b + 1].any(axis=1) for a, b in zip(first, ends)], axis=0)
each_found = [found[:, first[e]:last[e]].any(axis=1) for e in here]
each_cells = [set(regions[first[e]:last[e]]) for e in here] if regions is not None else None
rng = np.random.default_rng(1)
share, count, by_goal = [], [], np.zeros(len(found))
for _ in range(TRIALS):
    drawn = rng.integers(len(here), size=episodes)
    got = np.any([each_found[i] for i in drawn], axis=0)
    share.append(got.mean())
    by_goal += got
    if each_cells:
        count.append(len(set().union(*(each_cells[i] for i in drawn))))
print(f"{world}: {len(here)} of {len(first)} demonstrations begin where trials do; {episodes} of them find {np.mean(share):.3f} (deviation {np.std(share):.3f}), "
      f"each of the four {', '.join(f'{g / TRIALS:.2f}' for g in by_goal)}; of all demonstrations, at full length, {', '.join(f'{g:.3f}' for g in anywhere)} do" + (f"; regions {np.mean(count):.1f} (deviation {np.std(count):.1f})" if count else ""))

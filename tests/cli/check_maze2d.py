"""Reads a generated Maze2D file as h5py users do; prints OK or what is wrong.
Usage: check_maze2d.py FILE ROWS EPISODE_LENGTH (0: continuing)"""
import sys

import h5py
import numpy as np

path, rows, length = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
PIECE = 20000
with h5py.File(path, "r") as f:
    shapes = {"observations": (rows, 4), "actions": (rows, 2), "rewards": (rows,), "terminals": (rows,),
              "timeouts": (rows,), "infos/goal": (rows, 2), "infos/qpos": (rows, 2), "infos/qvel": (rows, 2)}
    for key, shape in shapes.items():
        assert f[key].shape == shape, (key, f[key].shape)
        assert f[key].compression == "gzip", key
        flag = key in ("terminals", "timeouts")
        assert f[key].dtype == (np.bool_ if flag else np.float32), (key, f[key].dtype)
    obs, act, goal = f["observations"][:], f["actions"][:], f["infos/goal"][:]
    reward, terminal, timeout = f["rewards"][:], f["terminals"][:], f["timeouts"][:]
    assert (np.concatenate([f["infos/qpos"][:], f["infos/qvel"][:]], 1) == obs).all()
    command = f["metadata/command"][()]
    assert b"maze2d-medium" in command, command

assert np.isfinite(obs).all() and np.abs(act).max() <= 1 and not terminal.any()
# the true boundaries: a reset moves the ball, a step moves it by 0.01 v'
predicted = obs[:-1, :2] + 0.01 * obs[1:, 2:]
jump = np.abs(predicted - obs[1:, :2]).max(1) > 1e-4
every = length or PIECE
at = np.arange(rows - 1)
assert not jump[at % every != every - 1].any(), "a jump inside a run"
assert jump.sum() == (rows - 1) // every, jump.sum()
ends = np.arange(every - 1, rows, every)
assert timeout[ends].all() and timeout[-1]
if length:
    assert timeout.sum() == -(-rows // length), timeout.sum()
else:
    # D4RL's way: timeouts are where the goal changes
    changes = (goal[1:] != goal[:-1]).any(1)
    assert (changes == timeout[:-1])[~jump].all()
    assert timeout.sum() > rows / 400
# reward of the state after the action, goal (6, 6)
near = np.hypot(*(obs[1:, :2] - 6).T) <= 0.5
assert ((reward[:-1] == 1) == near)[~jump].all()
# motion in the open: m = 4.18879 kg, damping 1, force 100 u, away from every wall
v = np.clip(obs[:-1, 2:], -5, 5)
free = v + 0.01 * (100 * act[:-1] - v) / (4.18879 + 0.01)
fits = np.abs(free - obs[1:, 2:]).max(1) < 1e-4
assert fits[~jump].mean() > 0.9, fits[~jump].mean()
print("OK")

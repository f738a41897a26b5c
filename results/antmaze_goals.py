"""antmaze_goals.py: AntMaze's protocol as the scripts of this folder count it (docs/protocols.md, docs/environments/antmaze.md)."""
import numpy as np

BUDGET = 20000  # steps of a trial
LENGTHS = {"medium": 500, "large": 750}  # steps of an episode
GOALS = {"medium": [(6, 6), (1, 5), (6, 1), (6, 3)], "large": [(7, 9), (7, 2), (1, 10), (7, 6)]}  # cells (row, column)


def found(xy, maze, low=0.0):
    """(goals, rows): no further than 0.5 m from a goal's square of side 1.5 m, whose least corner is `low` off the cell's centre"""
    off = [xy - 4 * np.array([c - 1, r - 1]) - low for r, c in GOALS[maze]]
    return np.array([np.hypot(*np.where(d < 0, d, np.maximum(d - 1.5, 0)).T) <= 0.5 for d in off])

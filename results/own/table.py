#!/usr/bin/env python3
"""results/own/table.py OUT PAGE - what `auto` reaches of the tuned presets, from OUT/WORLD-SEED.json (bex compare), between the
markers of PAGE."""
import json
import pathlib
import re
import sys

WORLDS = {  # name, what is reached, the measure of bex compare
    "maze2d": ("Maze2D-medium", "half-cells after 12 episodes", "regions after 12 episodes"),
    "antmaze": ("AntMaze-large", "regions", "regions after "),
    "kitchen": ("Kitchen", "share of tasks done", "share of goals found"),
}
BEGIN, END = "<!-- results/own/run -->", "<!-- end -->"


def measure(comparison, name):
    """The last row whose name begins so: of regions after so many episodes, the most."""
    return [m for m in comparison["measures"] if m["name"].startswith(name)][-1]


def updates(folder):
    return int((folder / "checkpoints" / "last").resolve().name)


def pair(side):
    return f"{side['mean']:.3g} +- {side['error']:.2g}"


def main(out, page):
    rows = []
    for world, (name, what, key) in WORLDS.items():
        for path in sorted(out.glob(f"{world}-[0-9].json")):
            m = measure(json.loads(path.read_text()), key)
            seed = path.stem.split("-")[1]
            share = m["a"]["mean"] / m["b"]["mean"] if m["b"]["mean"] else float("nan")
            # of a ratio: the error of the paired difference over the preset's mean
            error = m["error"] / m["b"]["mean"] if m["b"]["mean"] else float("nan")
            rows.append(f"| {name} | {updates(out / f'{world}-auto{seed}'):,} | {what} | {pair(m['a'])} | {pair(m['b'])} | "
                        f"{share:.2f} +- {error:.2f} |")
    table = ["| world | updates | reached | `auto` | tuned preset | `auto` / preset |", "|---|---|---|---|---|---|", *rows]
    text = page.read_text()
    old = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.S)
    if not old.search(text):
        sys.exit(f"{page}: no markers {BEGIN} .. {END}")
    page.write_text(old.sub(lambda _: "\n".join([BEGIN, *table, END]), text))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))

#!/usr/bin/python3
"""tables.py [--check] [PAGE...]: fills the tables of the pages from results/*/explored/*.json and evaluated/*.json.

A page (README.md, docs, results) holds a table between two lines, which stay:

    <!-- table NAME -->
    <!-- end -->

Below, a function marked @table makes each NAME. --check writes nothing, names the tables that are stale and exits 1.

Numbers are the mean and the standard error over all trials of all training seeds, as if independent. Shares of goals or tasks are in %.
A rate, trials of n in which something happened, has Wilson's 95 % interval in brackets.
"""
import functools
import glob
import json
import math
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TABLES = {}


def table(name):
    def keep(make):
        TABLES[name] = make
        return make
    return keep


def each(worlds, name):
    """The same table for several worlds: NAME-WORLD."""
    def keep(make):
        for w in worlds:
            TABLES[f"{name}-{w}"] = functools.partial(make, w)
        return make
    return keep


# ---- runs --------------------------------------------------------------------------------------------------------------------------------
@functools.cache
def loaded(folder, kind="explored"):
    files = sorted(glob.glob(f"{ROOT}/results/{folder}/{kind}/*.json"))
    return {os.path.basename(f)[:-5]: json.load(open(f)) for f in files}


FOLDERS = {"maze2d": ("maze2d-medium", ""), "medium": ("antmaze", "medium-"), "large": ("antmaze", "large-"), "kitchen": ("kitchen", "")}
PROTOCOLS = ("medium", "large", "kitchen")


def runs(world, who, seed=r"\d"):
    """Of each training seed the exploration called so, without it for one that has no seeds (seed "")."""
    folder, prefix = FOLDERS[world]
    return [r for n, r in loaded(folder).items() if re.fullmatch(prefix + who.replace("#", seed), n)]


def spread(values):
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, math.nan
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


def cell(values, digits=1, scale=1):
    if not values:
        return "-"
    mean, error = spread([v * scale for v in values])
    return f"{mean:.{digits}f}" + ("" if math.isnan(error) else f" +- {error:.{digits}f}")


def wilson(hits, n, z=1.959964):
    """Of a rate: its 95 % interval."""
    p = hits / n
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def rate(hits, n):
    low, high = wilson(hits, n)
    return f"{100 * hits / n:.0f} [{100 * low:.0f}, {100 * high:.0f}]"


def after_episode(run, episode):
    """Of each trial: regions after so many episodes."""
    return run["by_episode"]["regions"]["trials"][episode - 1] if run["episodes"] >= episode else []


def goals(run, step=None):
    """Of each trial: the share of the goals or tasks found within so many steps, of the budget if none is said."""
    step = step or run["budget"]
    return [sum(s is not None and s <= step for s in trial) / len(trial) for trial in run["goals"]["first_step"]]


def regions(run):
    return run["by_episode"]["regions"]["trials"][-1]


def found(group, goal):
    first = [trial[goal] for r in group for trial in r["goals"]["first_step"]]
    return sum(s is not None for s in first), len(first)


def pool(group, of):
    return [v for r in group for v in of(r)]


def after_step(group, step):
    """Mean and standard error of the regions after so many steps, over all trials of runs that keep only their own mean and error."""
    parts = []
    for r in group:
        by = r["by_step"]["regions"]
        at = by["step"].index(step)
        parts.append((r["trials"], by["mean"][at], by["error"][at]))
    n = sum(p[0] for p in parts)
    mean = sum(p[0] * p[1] for p in parts) / n
    squares = sum(k * (k - 1) * e * e + k * (m - mean) ** 2 for k, m, e in parts)
    return f"{mean:.1f} +- {math.sqrt(squares / (n - 1) / n):.1f}"


def both_mazes(who, of, digits, scale=1):
    """Mean over both mazes, each counting half, and its standard error."""
    parts = [[v * scale for v in pool(runs(m, who), of)] for m in ("medium", "large")]
    if not all(parts):
        return "-"
    (a, e), (b, f) = map(spread, parts)
    return f"{(a + b) / 2:.{digits}f} +- {math.hypot(e, f) / 2:.{digits}f}"


def counted(*groups):
    return str(sum(r["trials"] for g in groups for r in g))


def drawn(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(r) + " |" for r in rows])


# ---- Maze2D ------------------------------------------------------------------------------------------------------------------------------
MAZE2D = {"alone#": "**BE, the network alone**", "alone-first#": "the same, history = its first state",
          "online#": "BE, choice among 8 candidates", "first#": "the same, history = its first state",
          "bc-policy#": "BC", "bc-features#": "BC with cosines of x and y",
          "retrieval": "retrieval, one of the 6 best", "retrieval-first": "the same, history = its first state",
          "retrieval-random": "retrieval, random neighbour", "z-alone#": "BE with the z label, the network alone",
          "z-alone-first#": "the same, history = its first state", "z-online#": "BE with the z label, choice among 8 candidates",
          "z-first#": "the same, history = its first state", "z-bc#": "BC with cosines of all four numbers, 30,000 updates"}
NONE = "No run is published yet."


def half_cells(who, episode, seed=r"\d"):
    return [v for r in runs("maze2d", who, seed) for v in after_episode(r, episode)]


def maze2d(rows, episodes, head="half-cells of 104, after episodes"):
    return drawn([head, "trials"] + [str(e) for e in episodes],
                 [[label, counted(runs("maze2d", who))] + [cell(half_cells(who, e)) for e in episodes]
                  for who, label in rows.items() if runs("maze2d", who)])


def maze2d_kinds():
    """Of README's rows: BE as its preset acts, the same without its past, BE acting the other way, BC; of the rank label where its runs are
    published, else of the z label."""
    if runs("maze2d", "alone#"):
        be = ["alone#", "alone-first#", "online#"]
    else:
        be = ["z-online#", "z-first#", "z-alone#"]
    return be + ["bc-policy#" if runs("maze2d", "bc-policy#") else "z-bc#"]


def mean_half_cells(who, episode):
    return spread(half_cells(who, episode))[0]


@table("maze2d-sentence")
def maze2d_sentence():
    be, _, _, bc = (f"{mean_half_cells(w, 12):.0f}" if runs("maze2d", w) else "" for w in maze2d_kinds())
    how = "8 candidates" if maze2d_kinds()[0] == "z-online#" else "one candidate"
    return (f"**In the maze below BE has seen {be} of 104 squares after 12 episodes on average (with {how}), "
            f"plain imitation of the same demonstrations {bc}.**")


@table("maze2d")
def maze2d_in_short():
    be, first, other, bc = maze2d_kinds()
    old = be == "z-online#"
    how, else_how = ("8 candidates", "one candidate") if old else ("one candidate", "8 candidates")
    rows = {be: f"**BE**, {how}", first: f"BE without its past, {how}", other: f"BE, {else_how}", bc: "BC", "retrieval": "Retrieval"}
    text = maze2d(rows, (1, 5, 12, 40), "squares visited of 104, after episodes") + "\n"
    if old:
        text += "\nBE is of an older training here (the z label). "
        text += "[Trained on ranks](docs/experiments/maze2d.md), one candidate does what these eight do (runs not kept).\n"
    elif bc == "z-bc#":
        text += "\nBC is of [an earlier training](docs/experiments/maze2d.md).\n"
    if runs("maze2d", first):
        kept = (mean_half_cells(first, 12) - mean_half_cells(bc, 12)) / (mean_half_cells(be, 12) - mean_half_cells(bc, 12))
        text += "\n- **BE without its past** is shown no earlier episode. "
        text += f"It keeps {100 * kept:.0f} % of BE's lead over BC after 12 episodes: it still asks for futures that cover much."
    return text.rstrip("\n")


@table("maze2d-claims")
def maze2d_claims():
    rows = ("alone#", "alone-first#", "online#", "bc-policy#", "bc-features#", "z-online#", "z-bc#", "retrieval")
    return maze2d({r: MAZE2D[r] for r in rows}, (1, 5, 12, 40))


@table("maze2d-all")
def maze2d_all():
    names = {"paper#": "BE, the paper's reading, 150,000 updates", "paper-first#": "the same, history = its first state"}
    return maze2d({**MAZE2D, **names}, (1, 3, 5, 8, 12, 20, 30, 40))


@table("maze2d-seeds")
def maze2d_seeds():
    rows = [(w, label) for w, label in MAZE2D.items() if "#" in w and runs("maze2d", w)]
    return drawn(["half-cells after 12; after 40 episodes", "seed 1", "seed 2", "seed 3"],
                 [[label] + [f"{cell(half_cells(w, 12, s))}; {cell(half_cells(w, 40, s))}" for s in "123"] for w, label in rows])


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    return [float(order.index(i)) for i in range(len(values))]


def spearman(x, y):
    a, b, m = ranks(x), ranks(y), (len(x) - 1) / 2
    return sum((p - m) * (q - m) for p, q in zip(a, b)) / sum((p - m) ** 2 for p in a)


def quantiles(world, z=""):
    folder, prefix = FOLDERS[world]
    names = (re.fullmatch(prefix + z + r"knob\d-(.*)", n) for n in loaded(folder))
    return sorted({m.group(1) for m in names if m}, key=float)


def obeyed(z, seed):
    """Of each asked quantile the half-cells after six episodes; none if a quantile was not asked."""
    values = [half_cells(f"{z}knob#-{re.escape(q)}", 6, seed) for q in quantiles("maze2d", z)]
    return values if all(values) else []


@table("maze2d-obeys")
def maze2d_obeys(z=""):
    asked = quantiles("maze2d", z)
    rows = []
    for label, seed in [("all seeds", r"\d")] + [(f"seed {s}", s) for s in "123"]:
        values = obeyed(z, seed)
        if values:
            rho = spearman([float(q) for q in asked], [spread(v)[0] for v in values])
            rows.append([label] + [cell(v) for v in values] + [f"{rho:.2f}"])
    return drawn(["asked quantile; half-cells after 6 episodes"] + asked + ["Spearman"], rows) if rows else NONE


TABLES["maze2d-z-obeys"] = functools.partial(maze2d_obeys, "z-")


@table("maze2d-past")
def maze2d_past():
    rows = []
    for z, who in (("", "BE, the network alone"), ("z-", "BE, z label, choice among 8")):
        means = {}
        for agent in ("be", "bc"):
            group = [runs("maze2d", f"{z}past{p}-{agent}#") for p in "1234"]
            if all(group):
                values = [spread([r["overlap"]["mean"] for r in g])[0] for g in group]
                means[agent] = values + [sum(values) / 4]
                label = {"be": who, "bc": "its BC"}[agent]
                rows.append([label] + [f"{100 * v:.1f}" for v in means[agent]])
        if len(means) == 2:
            rows.append(["the first in % of the second"] + [f"{100 * a / b:.0f}" for a, b in zip(means["be"], means["bc"])])
    return drawn(["overlap of one episode with a given past, %", "1", "2", "3", "4", "mean"], rows) if rows else NONE


@table("maze2d-targets")
def maze2d_targets():
    """What was set for the network alone, and whether it is reached."""
    def both(one, other):
        """The training seeds that have both explorations."""
        return "".join(s for s in "123" if half_cells(one, 40, s) and half_cells(other, 40, s))

    def mean(who, e, seeds):
        return spread(half_cells(who, e, f"[{seeds}]"))[0]
    rows = []
    seeds = both("alone#", "online#")
    for e in (5, 12, 40) if seeds else ():
        share = mean("alone#", e, seeds) / mean("online#", e, seeds)
        rows.append([f"half-cells after {e} episodes, in the choice's (seed {', '.join(seeds)})", "at least 0.97", f"{share:.3f}", share >= 0.97])
    seeds = both("alone#", "alone-first#")
    for e in (5, 12, 40) if seeds else ():
        worth = mean("alone#", e, seeds) - mean("alone-first#", e, seeds)
        best = spread(half_cells("retrieval", e))[0] - spread(half_cells("retrieval-first", e))[0]
        rows.append([f"what its past is worth after {e} episodes ({worth:.1f}), in retrieval's ({best:.1f}; seed {', '.join(seeds)})", "at least 0.8",
                     f"{worth / best:.2f}", worth / best >= 0.8])
    asked = [float(q) for q in quantiles("maze2d")]
    for seed in "123":
        values = [spread(v)[0] for v in obeyed("", seed)]
        if values:
            rho = spearman(asked, values)
            rows.append([f"Spearman of asked and visited, {len(asked)} quantiles, seed {seed}", "at least 0.9", f"{rho:.2f}", rho >= 0.9])
    return drawn(["of the network alone", "target", "measured", "reached"],
                 [r[:3] + ["yes" if r[3] else "**no**"] for r in rows]) if rows else NONE


# ---- AntMaze and Kitchen -----------------------------------------------------------------------------------------------------------------
ROWS = {"online": "**BE**, with choice", "first": "the same, history = its first state", "alone": "BE, the network alone",
        "alone-first": "the same, history = its first state", "network": "BE, one candidate, no coverage target",
        "plain": "BE without waypoint conditioning", "bc-policy": "BC", "bc-features": "BC with cosines", "retrieval": "retrieval"}
ASIDE = {"half": "BE, weights in 16 bits", "warm": "BE, temperature 1", "plain-warm": "BE without waypoint conditioning, temperature 1",
         "plain-alone": "BE without waypoint conditioning, the network alone", "bc-warm": "BC, temperature 1", "bc-cold": "BC, temperature 0",
         "bc-long": "BC, 24,000 updates", "bc-whole": "BC, whole chunks", "bc-whole-warm": "BC, whole chunks, temperature 1",
         "prefix-mode": "BE, prefix mode, 10,000 updates", "full-mode": "BE, full mode, 10,000 updates",
         "query-mode": "BE, full mode, query tokens pooled, 10,000 updates", "ours-online": "BE, our controller's demonstrations",
         "ours-bc-policy": "BC, our controller's demonstrations", "paper": "BE, the paper's reading, 150,000 updates",
         "paper-first": "the same, history = its first state"}
RIVALS = {"rnd": "Online RND", "explore": "ExPLORe", "hilp": "HILP", "supe": "SUPE"}
PAPER = {"be": {"goals": "55.6 +- 1.3", "cells": "24.1 +- 0.3", "tasks": "92.2 +- 1.4"},
         "bc": {"goals": "28.5 +- 1.5", "cells": "20.1 +- 0.2", "tasks": "30.6 +- 1.7"}}


def seeded(who):
    return who if who in ("retrieval", "sweep") else who + "#"


@table("d4rl")
def d4rl():
    kitchen = {w: pool(runs("kitchen", w), goals) for w in ("online#", "bc-policy#")}
    rows = [["AntMaze (two mazes): goals reached, %"] + [c for w, p in (("online#", "be"), ("bc-policy#", "bc"))
                                                for c in (PAPER[p]["goals"], both_mazes(w, goals, 1, 100))],
            ["AntMaze (two mazes): cells visited"] + [c for w, p in (("online#", "be"), ("bc-policy#", "bc"))
                                             for c in (PAPER[p]["cells"], both_mazes(w, regions, 1))],
            ["Kitchen: tasks completed, %"] + [c for w, p in (("online#", "be"), ("bc-policy#", "bc"))
                                    for c in (PAPER[p]["tasks"], cell(kitchen[w], 1, 100))]]
    return drawn(["", "BE, the paper", "BE, bex", "BC, the paper", "BC, bex"], rows)


@table("d4rl-worlds")
def d4rl_worlds():
    rows = []
    for maze, of in (("medium", 26), ("large", 46)):
        group = [runs(maze, w) for w in ("online#", "bc-policy#")]
        rows.append([f"AntMaze-{maze}, goals, %; cells of {of}"] +
                    [f"{cell(pool(g, goals), 1, 100)}; {cell(pool(g, regions))}" for g in group])
    return drawn(["", "BE, bex", "BC, bex"], rows)


@table("antmaze")
def antmaze():
    rows = []
    for who, label in ROWS.items():
        groups = [runs(m, seeded(who)) for m in ("medium", "large")]
        if all(groups):
            rows.append([label, counted(*groups), both_mazes(seeded(who), goals, 1, 100), both_mazes(seeded(who), regions, 1)])
    return drawn(["both mazes", "trials", "goals, %", "cells"], rows)


@each(PROTOCOLS, "over-steps")
def over_steps(world, rows=ROWS):
    """Goals or tasks against steps, and regions."""
    some = [(label, g) for who, label in rows.items() for g in [runs(world, seeded(who))] if g]
    budget = max(r["budget"] for _, g in some for r in g)
    steps = [budget // k for k in (8, 4, 2, 1)]
    return drawn([("tasks" if world == "kitchen" else "goals") + " found, %, after steps", "trials"] + [f"{s:,}" for s in steps] + ["regions"],
                 [[label, counted(g)] + [cell(pool(g, lambda r, s=s: goals(r, s)), 1, 100) for s in steps] + [cell(pool(g, regions))]
                  for label, g in some])


@each(PROTOCOLS, "aside")
def aside(world):
    return over_steps(world, ASIDE)


@each(PROTOCOLS, "each-goal")
def each_goal(world, rows=ROWS):
    some = [(label, g) for who, label in rows.items() for g in [runs(world, seeded(who))] if g]
    names = some[0][1][0]["goals"]["names"]
    return drawn(["found in % of the trials", "trials"] + names,
                 [[label, counted(g)] + [rate(*found(g, k)) for k in range(len(names))] for label, g in some])


@each(("medium", "large"), "past")
def past(maze):
    steps = (2500, 5000, 10000, 20000)
    rows = []
    for who in ("online", "first"):
        seeds = set(n[-1] for n in loaded("antmaze") if re.fullmatch(maze + r"-first\d", n))
        group = [r for s in sorted(seeds) for r in runs(maze, who + "#", s)]
        rows.append([{"online": "its past", "first": "its first state"}[who], counted(group)] + [after_step(group, s) for s in steps] +
                    [cell(pool(group, goals), 1, 100)])
    return drawn(["cells after steps, history", "trials"] + [f"{s:,}" for s in steps] + ["goals, %"], rows)


@each(PROTOCOLS, "obeys")
def obeys(world):
    asked = quantiles(world)
    what = "tasks, %" if world == "kitchen" else "cells"

    def value(q):
        g = runs(world, "knob#-" + re.escape(q))
        return cell(pool(g, goals), 1, 100) if world == "kitchen" else cell(pool(g, regions))
    return drawn([f"asked quantile; {what}"] + asked, [[f"{counted(runs(world, 'knob#-' + re.escape(asked[0])))} trials each"] + [value(q) for q in asked]])


@each(PROTOCOLS, "sweep")
def sweep(world):
    folder, prefix = FOLDERS[world]
    some = [(n[len(prefix) + 6:], [r]) for n, r in loaded(folder).items() if n.startswith(prefix + "sweep-")]
    return drawn(["seed 0, never reported", "trials", "goals or tasks, %", "regions"],
                 [[f"`{n}`", counted(g), cell(pool(g, goals), 1, 100), cell(pool(g, regions))] for n, g in some])


@each(PROTOCOLS, "rivals")
def rivals(world):
    rows = []
    for who, label in RIVALS.items():
        for part, size in (("trials", "4 updates of 4 critics a step"), ("full", "full size")):
            g = runs(world, f"{who}-{part}")
            if g:
                rows.append([label, size, counted(g), cell(pool(g, goals), 1, 100), cell(pool(g, regions))])
    return drawn(["", "learns with", "trials", "goals or tasks, %", "regions"], rows) if rows else NONE


@each(("medium", "large"), "conduct")
def conduct(maze):
    some = [(label, g) for who, label in {**ROWS, **ASIDE}.items() for g in [runs(maze, seeded(who))] if g and "conduct" in g[0]]
    keys = list(some[0][1][0]["conduct"])
    return drawn(["how it walks"] + [k.replace("_", " ") for k in keys],
                 [[label] + [cell(pool(g, lambda r, k=k: r["conduct"][k]["trials"]), 3) for k in keys] for label, g in some])


# One thing changed at a time: a group begins with its reference, in bold.
ABLATIONS = {
    "antmaze": [
        ("large-sweep-lead-c100-n64", "large, seed 0: **64 candidates, commitment 100, as published**"),
        ("large-sweep-lead-c20-n32", "32 candidates, commitment 20"),
        ("large-sweep-dims", "features see all 29 numbers, not x and y"),
        ("large-sweep-mixture", "training histories of one trajectory, not one to six"),
        ("large-plain#", "large: **no waypoint conditioning**"),
        ("large-plain-warm#", "and temperature 1"),
        ("large-plain-alone#", "and one candidate, q:0.95, guidance 2"),
        ("large-bc-policy#", "large: **BC**"),
        ("large-bc-warm#", "temperature 1"),
        ("large-bc-features#", "cosines of x and y as inputs"),
        ("medium-online#", "medium: **as published**"),
        ("medium-half#", "weights in 16 bits"),
        ("medium-first#", "history = its first state"),
        ("medium-network#", "one candidate, no target"),
        ("medium-plain#", "medium: **no waypoint conditioning**"),
        ("medium-sweep-c20", "seed 0 alone, the reference of the next three"),
        ("medium-sweep-future", "futures of 400 steps, not 200"),
        ("medium-sweep-c50", "commitment 50"),
        ("medium-sweep-24k", "24,000 updates, not 12,000"),
        ("medium-bc-policy#", "medium: **BC**"),
        ("medium-bc-long#", "24,000 updates"),
        ("medium-bc-whole#", "whole chunks"),
        ("medium-bc-whole-warm#", "whole chunks, temperature 1"),
        ("medium-bc-features#", "cosines of x and y as inputs"),
        ("ours-bc-policy#", "demonstrations of our controller")],
    "kitchen": [
        ("sweep-open-base", "**10,000 updates, else as published**"),
        ("sweep-open-5k", "5,000 updates"),
        ("sweep-q:1-w0-n8-t0.5", "40,000 updates"),
        ("sweep-open-dims", "features see all 30 numbers, not the eight that can be moved"),
        ("sweep-open-mixture", "training histories of one trajectory, not one to six")]}


@each(ABLATIONS, "ablations")
def ablations(folder):
    rows = []
    for who, label in ABLATIONS[folder]:
        names = [n for n in loaded(folder) if re.fullmatch(re.escape(who).replace(r"\#", "#").replace("#", r"\d"), n)]
        group = [loaded(folder)[n] for n in names]
        if group:
            rows.append([label, cell(pool(group, goals), 1, 100)] + ([cell(pool(group, regions))] if folder == "antmaze" else []) +
                        [f"{len(group)} x {group[0]['trials']}", f"`{who.replace('#', '*' if len(names) > 1 else names[0][-1])}`"])
    return drawn(["setting", "goals, %", "cells", "seeds x trials", "run"] if folder == "antmaze" else
                 ["setting", "tasks, %", "seeds x trials", "run"], rows)


@each(("antmaze", "kitchen"), "errors")
def errors(folder):
    """Errors of actions at held-out states, of bex eval."""
    groups = {}
    for name, e in loaded(folder, "evaluated").items():
        who, t = name.rsplit("-", 1)
        groups.setdefault((re.sub(r"\d$", "", who), t), []).append(e)

    def mean(group, of):
        values = [of(e) for e in group]
        return "-" if None in values else f"{sum(values) / len(values):.3f}"
    columns = [(lambda e: e["error"]["as trained"]["nothing"]), (lambda e: e["error"]["as trained"]["one"]),
               (lambda e: e["error"]["as trained"]["mean"]), (lambda e: e["by_step"][0]["mean"])]
    columns += [lambda e, how=how: e["error"].get(how, {}).get("mean") for how in ("another history", "coverage hidden", "shown its future")]
    return drawn(["root mean square error of actions", "temperature", "seeds", "the mean action", "a chunk", "mean of 8", "first action, mean of 8",
                  "another history, mean of 8", "coverage hidden, mean of 8", "shown its future, mean of 8"],
                 [[who, t, str(len(g))] + [mean(g, of) for of in columns] for (who, t), g in groups.items()])


# ---- pages -------------------------------------------------------------------------------------------------------------------------------
BLOCK = re.compile(r"^(<!-- table (\S+) -->\n)(.*?)^(<!-- end -->)", re.S | re.M)


def pages():
    return [f"{ROOT}/README.md"] + sorted(glob.glob(f"{ROOT}/docs/**/*.md", recursive=True)) + sorted(glob.glob(f"{ROOT}/results/**/*.md", recursive=True))


def main(arguments):
    check = "--check" in arguments
    named = [a for a in arguments if not a.startswith("--")]
    if [a for a in arguments if a.startswith("--") and a != "--check"]:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    stale = 0
    for page in named or pages():
        with open(page) as f:
            text = f.read()

        def fill(block):
            nonlocal stale
            head, name, before, end = block.groups()
            if name not in TABLES:
                sys.exit(f"{os.path.relpath(page, ROOT)}: no table is called {name}; there are: {', '.join(sorted(TABLES))}")
            now = TABLES[name]() + "\n"
            if now != before:
                stale += 1
                if check:
                    print(f"{os.path.relpath(page, ROOT)}: table {name} is stale: results/tables.py makes it anew")
            return head + now + end
        if len(BLOCK.findall(text)) != len(re.findall(r"^<!-- table ", text, re.M)):
            sys.exit(f"{os.path.relpath(page, ROOT)}: a table without <!-- end -->")
        filled = BLOCK.sub(fill, text)
        if filled != text and not check:
            with open(page, "w") as f:
                f.write(filled)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""summary.py FOLDER: tables of goals and regions from FOLDER/explored/*.json, explorations of a protocol (docs/protocols.md). A row is an agent: runs whose
names differ by the training seed at their end. Standard errors: over all trials, as if independent, and in brackets over the means of the seeds."""
import glob, json, math, os, re, sys

folder = sys.argv[1]
runs = {os.path.basename(f)[:-5]: json.load(open(f)) for f in sorted(glob.glob(folder + "/explored/*.json"))}
LABELS = {"online": "BE, online history", "first": "BE, first-state history", "bc-policy": "BC", "network": "BE, one proposal, coverage hidden", "alone": "BE, one proposal, asked",
          "full-mode": "BE, full mode, 10,000 updates", "query-mode": "BE, full mode, query tokens pooled, 10,000 updates", "prefix-mode": "BE, prefix mode, 10,000 updates", "warm": "BE, temperature 1", "half": "BE, weights in 16 bits", "plain": "BE, futures do not lead", "plain-warm": "BE, futures do not lead, temperature 1", "plain-alone": "BE that was not taught to follow, one proposal, asked", "bc-warm": "BC, temperature 1", "bc-cold": "BC, temperature 0", "bc-long": "BC, 24,000 updates", "bc-features": "BC, cosines of x, y in its tokens", "bc-whole": "BC, whole chunks", "bc-whole-warm": "BC, whole chunks, temperature 1", "ours-online": "BE, demonstrations of our controller", "ours-bc-policy": "BC, demonstrations of our controller"}


def spread(values):
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


def goals(run, budget):
    """of each trial: the share found within so many steps"""
    return [sum(s is not None and s <= budget for s in trial) / len(trial) for trial in run["goals"]["first_step"]]


def regions(run):
    return run["by_episode"]["regions"]["trials"][-1]


def cell(groups, digits):
    mean, error = spread([v for g in groups for v in g])
    seeds = spread([sum(g) / len(g) for g in groups])[1]
    return f"{mean:.{digits}f} +- {error:.{digits}f}" + (f" ({seeds:.{digits}f})" if len(groups) > 1 else "")


def label(name):
    world, _, who = name.partition("-") if name.startswith(("medium-", "large-")) else ("", "", name)
    return (LABELS.get(who, who) + (f", {world}" if world else ""))


def table(title, groups):
    if not groups:
        return
    budget = max(r["budget"] for g in groups.values() for r in g)
    shares = [budget // 8, budget // 4, budget // 2, budget]
    names = next(iter(groups.values()))[0]["goals"]["names"]
    print(f"\n| {title} | trials | " + " | ".join(f"goals after {s:,}" for s in shares) + " | regions | " + " | ".join(names) + " |\n|---|---|" +
          "---|" * (len(shares) + 1 + len(names)))
    for name, group in groups.items():
        each = [spread([r["goals"]["reached"][g] for r in group])[0] for g in range(len(names))]
        print(f"| {label(name)} | {sum(r['trials'] for r in group)} | " + " | ".join(cell([goals(r, s) for r in group], 3) for s in shares) + " | " +
              cell([regions(r) for r in group], 1) + " | " + " | ".join(f"{e:.2f}" for e in each) + " |")


def grouped(pattern):
    found = {}
    for name, run in runs.items():
        m = re.fullmatch(pattern, name)
        if m and run.get("budget"):
            found.setdefault(m.group(1), []).append(run)
    return found


def pooled(who):
    """mean over both mazes, each counting half, and its standard error; goals and regions at the end"""
    mazes = [grouped(rf"({m}-{who})\d").get(f"{m}-{who}") for m in ("medium", "large")]
    if not all(mazes):
        return
    cells = []
    for of, digits in ((lambda r: goals(r, r["budget"]), 3), (regions, 1)):
        parts = [spread([v for r in m for v in of(r)]) for m in mazes]
        cells.append(f"{sum(p[0] for p in parts) / 2:.{digits}f} +- {math.hypot(*[p[1] for p in parts]) / 2:.{digits}f}")
    print(f"| {LABELS[who]} | {sum(r['trials'] for m in mazes for r in m)} | " + " | ".join(cells) + " |")


if grouped(r"(medium-online)\d") and grouped(r"(large-online)\d"):
    print("\n| both mazes | trials | goals | regions |\n|---|---|---|---|")
    for who in ("online", "plain", "first", "network", "bc-policy", "bc-features"):
        pooled(who)
for world in ("", "medium-", "large-"):
    table(f"{world.rstrip('-')} agent".strip(), grouped(rf"({world}(?:{'|'.join(LABELS)}))\d"))
    table(f"{world.rstrip('-')} asked quantile".strip(), grouped(rf"({world}(?:plain-)?knob\d-[\d.]+)"))
sweeps = grouped(r"(sweep-.*)")
for budget in sorted({g[0]["budget"] for g in sweeps.values()}):
    table("seed 0: exp, guidance w, candidates n, denoising steps d, actions played a, commit c, temperature t", {n: g for n, g in sweeps.items() if g[0]["budget"] == budget})

conduct = {n: g for n, g in grouped(rf"(.*(?:{'|'.join(LABELS)}))\d").items() if g[0].get("conduct")}
if conduct:
    keys = list(next(iter(conduct.values()))[0]["conduct"])
    print("\n| how it walks | " + " | ".join(keys) + " |\n|---|" + "---|" * len(keys))
    for name, group in conduct.items():
        print(f"| {label(name)} | " + " | ".join(cell([r["conduct"][k]["trials"] for r in group], 3) for k in keys) + " |")

judged = {}
for f in sorted(glob.glob(folder + "/evaluated/*.json")):
    name, t = os.path.basename(f)[:-5].rsplit("-", 1)
    judged.setdefault((re.sub(r"\d$", "", name), t), []).append(json.load(open(f)))
if judged:
    print("\n| errors of actions at held-out states, root mean square | temperature | seeds | the mean action | a chunk | mean of 8 chunks | the first action, mean of 8 | "
          "another history, mean of 8 | coverage hidden, mean of 8 | shown its future, mean of 8 |\n|" + "---|" * 10)
    for (name, t), group in judged.items():
        def mean(of):
            values = [of(j) for j in group]
            return "-" if None in values else f"{sum(values) / len(values):.3f}"
        print(f"| {name} | {t} | {len(group)} | " + " | ".join([
            mean(lambda j: j["error"]["as trained"]["nothing"]), mean(lambda j: j["error"]["as trained"]["one"]),
            mean(lambda j: j["error"]["as trained"]["mean"]), mean(lambda j: j["by_step"][0]["mean"]),
            *[mean(lambda j, how=how: j["error"].get(how, {}).get("mean")) for how in ("another history", "coverage hidden", "shown its future")]]) + " |")

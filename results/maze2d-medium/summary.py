#!/usr/bin/env python3
"""summary.py FOLDER: the tables of README.md from explored/*.json. Standard errors: over all trials, as if independent, and
in brackets over the means of the training seeds."""
import glob, json, math, os, re, sys

folder = sys.argv[1]
runs = {os.path.basename(f)[:-5]: json.load(open(f)) for f in sorted(glob.glob(folder + "/*.json"))}
BUDGETS = (1, 3, 5, 8, 12, 20, 30, 40)


def spread(values):
    mean = sum(values) / len(values)
    if len(values) < 2:
        return mean, 0.0
    return mean, math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))


def trials(pattern, episode):
    """[seed][trial] regions after so many episodes, of the runs whose name matches."""
    found = [r for n, r in runs.items() if re.fullmatch(pattern, n)]
    return [r["by_episode"]["regions"]["trials"][episode - 1] for r in found if r["episodes"] >= episode]


def cell(groups):
    if not groups:
        return "", None, None
    mean, error = spread([v for g in groups for v in g])
    seeds = spread([sum(g) / len(g) for g in groups])[1]
    return f"{mean:.1f} +- {error:.1f}" + (f" ({seeds:.1f})" if len(groups) > 1 else ""), mean, error


rows = [("BE, online history", r"online\d"), ("BE, first-state history", r"first\d"),
        ("BE, online, N drawn states, all proposals new", r"drawn-online\d"), ("the same, first-state", r"drawn-first\d"),
        ("BE, the network alone (n = 1), online", r"network\d"), ("the same, first-state", r"network-first\d"),
        ("BC", r"bc-policy\d"), ("retrieval top:6, online", "retrieval"),
        ("retrieval top:6, first-state", "retrieval-first"), ("retrieval, random neighbour", "retrieval-random")]
print("| half-cells of 104 after episodes | " + " | ".join(map(str, BUDGETS)) + " |\n|---|" + "---|" * len(BUDGETS))
for label, pattern in rows:
    print(f"| {label} | " + " | ".join(cell(trials(pattern, b))[0] for b in BUDGETS) + " |")

print("\n| claim 1, every budget from 5 | smallest over budgets 5 to 40 |\n|---|---|")
for label, other in (("BC", r"bc-policy\d"), ("BE first-state", r"first\d")):
    worst = None
    for b in range(5, 41):
        (_, m, e), (_, n, f) = cell(trials(r"online\d", b)), cell(trials(other, b))
        if m is None or n is None:
            continue
        ratio = (m - n) / math.hypot(e, f)
        worst = min(worst or (ratio, b, m - n), (ratio, b, m - n))
    if worst:
        print(f"| BE online - {label}, in standard errors | {worst[0]:.1f} (after {worst[1]}: {worst[2]:.1f} half-cells) |")
for who, pattern in (("BE", r"online\d"), ("BE, N drawn states, all proposals new,", r"drawn-online\d")):
    for label, base in (("BC", r"bc-policy\d"), ("a random neighbour, its own BC", "retrieval-random")):
        shares = []
        for b in range(5, 41):
            be, bc = cell(trials(pattern, b))[1], cell(trials(r"bc-policy\d", b))[1]
            top, low = cell(trials("retrieval", b))[1], cell(trials(base, b))[1]
            if None not in (be, bc, top, low):
                shares.append(((be - bc) / (top - low), b))
        if shares:
            at = {b: s for s, b in shares}
            print(f"| gain of {who} over BC / gain of retrieval over {label} | {min(shares)[0]:.2f} (after {min(shares)[1]}); "
                  f"after 12: {at[12]:.2f}, after 40: {at[40]:.2f} |")


def ranks(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    out = [0.0] * len(values)
    for r, i in enumerate(order):
        out[i] = float(r)
    return out


def spearman(x, y):
    a, b = ranks(x), ranks(y)
    m = (len(x) - 1) / 2
    return sum((p - m) * (q - m) for p, q in zip(a, b)) / sum((p - m) ** 2 for p in a)


quantiles = sorted({float(m.group(2)) for n in runs for m in [re.fullmatch(r"knob(\d)-(.*)", n)] if m})
if quantiles:
    last = max(r["episodes"] for n, r in runs.items() if n.startswith("knob"))
    print(f"\n| exp, after {last} episodes | " + " | ".join(f"q:{q:g}" for q in quantiles) + " | Spearman |\n|---|" + "---|" * (len(quantiles) + 1))
    for label, seed in [("all seeds", r"\d")] + [(f"seed {s}", str(s)) for s in (1, 2, 3)]:
        cells = [cell(trials(rf"knob{seed}-{q:g}", last)) for q in quantiles]
        if all(c[1] is not None for c in cells):
            print(f"| {label} | " + " | ".join(c[0] for c in cells) + f" | {spearman(quantiles, [c[1] for c in cells]):.3f} |")


def overlaps(pattern):
    return [r["overlap"]["mean"] for n, r in runs.items() if re.fullmatch(pattern, n)]


if overlaps(r"past4-bc\d"):
    print("\n| overlap with a given past | 1 | 2 | 3 | 4 | mean |\n|---|---|---|---|---|---|")
    for label, agent in (("BE", "be"), ("BC", "bc")):
        means = [spread(overlaps(rf"past{p}-{agent}\d"))[0] for p in (1, 2, 3, 4)]
        print(f"| {label} | " + " | ".join(f"{m:.3f}" for m in means) + f" | {sum(means) / 4:.3f} |")


def pairs(prefix, title):
    online = {}
    for n in runs:
        if n.startswith(prefix) and not n.endswith("-first"):
            online[n[len(prefix):].removesuffix("-online")] = n
    if online:
        print(f"\n| {title} | online | first-state |\n|---|---|---|")
    for name, n in online.items():
        both = [cell(trials(re.escape(x), 12))[0] for x in (n, prefix + name + "-first")]
        print(f"| {name} | {both[0]} | {both[1]} |")


pairs("sweep-", "N drawn states, all proposals new; 6,000 updates of seed 0, exp, guidance w, candidates n: after 12 episodes")
pairs("long-", "seed 0, 6,000 and 50,000 updates (be0, be0-50k), exp, guidance w, candidates n, 24 trials: after 12 episodes")
pairs("ablate-", "1,500 updates of seed 0, one thing changed: after 12 episodes")

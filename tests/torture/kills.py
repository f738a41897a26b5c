"""SIGKILL before every call that changes the file system; then the job is started again and must end as if nothing had
happened. `train --force` over another run is killed too: whichever of the two is there must be whole."""
import os
import shutil

import jobs as J


def count_calls(bex, shim, words, where):
    counter = where.parent / f"{where.name}.count"
    bex.run(words, where, env={**os.environ, "LD_PRELOAD": str(shim), "TORTURE_COUNT": str(counter)})
    return int(counter.read_text())


def points(calls, share, least=12):
    """An even choice of the calls, the first and the last among them."""
    n = min(calls, max(least, round(calls * share)))
    return sorted({1 + (calls - 1) * i // max(n - 1, 1) for i in range(n)})


def kill_at(bex, shim, words, where, at):
    return bex.run(words, where, env={**os.environ, "LD_PRELOAD": str(shim), "TORTURE_AT": str(at)})


def try_point(bex, shim, job, where, at, row):
    J.fresh(where)
    code, text = kill_at(bex, shim, job.start(), where, at)
    if code is None:
        return row.bad("hang", f"{job.name} killed at {at}: {text}")
    if code not in (0, -9):
        return row.bad("crash", f"{job.name} killed at {at}: code {code}: {text}")
    why = job.end(bex, where)
    if why:
        return row.bad("lost", f"{job.name} killed at {at} cannot go on: {why}")
    why = job.differs(where, job.whole)
    return row.bad("wrong", f"{job.name} killed at {at}: {why}") if why else row.good()


def try_force(bex, shim, job, old, where, at, row):
    """old: a run of other settings, which --force replaces."""
    J.fresh(where)
    shutil.copytree(old.whole / "run", where / "run", symlinks=True)
    code, text = kill_at(bex, shim, [*job.start(), "--force"], where, at)
    if code not in (0, -9):
        return row.bad("crash", f"--force killed at {at}: code {code}: {text}")
    code, text = bex.run(["train", "--resume", "run", "--quiet"], where)
    if code != 0:
        return row.bad("lost", f"--force killed at {at}: {text.strip()}")
    whys = [j.differs(where, j.whole) for j in (job, old)]
    return row.bad("damaged", f"--force killed at {at}: {whys[0]}; {whys[1]}") if all(whys) else row.good()


def run(table, bex, shim, home, jobs, share, workers):
    for job in jobs:
        row = table.row(f"SIGKILL before an I/O call, {job.name}")
        calls = count_calls(bex, shim, job.start(), J.fresh(home / "work"))
        workers.each(points(calls, share), lambda at, where, j=job, r=row: try_point(bex, shim, j, where, at, r))
    row = table.row("SIGKILL in train --force")
    work = J.fresh(home / "work")
    shutil.copytree(jobs[1].whole / "run", work / "run", symlinks=True)
    calls = count_calls(bex, shim, [*jobs[0].start(), "--force"], work)
    workers.each(points(calls, share / 2),
                 lambda at, where: try_force(bex, shim, jobs[0], jobs[1], where, at, row))

"""Four starts at once into the same directory: one wins, the others say so, and the winner's result is whole. With --force
over a run that is there, at least one wins."""
import shutil
import subprocess

import jobs as J

AT_ONCE = 4


def start_all(bex, words, where):
    all_of_them = [subprocess.Popen(bex.command(words), cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT) for _ in range(AT_ONCE)]
    return [(p.wait(120), p.stdout.read().decode(errors="replace").strip()) for p in all_of_them]


def try_round(bex, job, where, row, old=None):
    J.fresh(where)
    if old:
        shutil.copytree(old.whole / "run", where / "run", symlinks=True)
    ends = start_all(bex, [*job.start(), *(["--force"] if old else [])], where)
    won = sum(code == 0 for code, _ in ends)
    if any(code < 0 or code > 2 for code, _ in ends):
        return row.bad("crash", f"{job.name}: {ends}")
    if not won or (won > 1 and not old):
        return row.bad("lost", f"{job.name}: {won} of {AT_ONCE} win: {ends}")
    why = job.differs(where, job.whole)
    return row.bad("damaged", f"{job.name}: {why}: {ends}") if why else row.good()


def run(table, bex, home, jobs, rounds):
    where = home / "work"
    for job in (jobs[0], jobs[2]):
        row = table.row(f"{AT_ONCE} starts at once, {job.name}")
        for _ in range(rounds):
            try_round(bex, job, where, row)
    row = table.row(f"{AT_ONCE} starts at once, train --force")
    for _ in range(rounds):
        try_round(bex, jobs[0], where, row, jobs[1])

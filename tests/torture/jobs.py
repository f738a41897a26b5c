"""The three jobs that are tortured, as small as they can be: a training on demonstrations, one in a world (SAC), an
exploration. Each runs in a directory of its own below `home`, where its inputs lie, so that the same command gives the
same bytes; `end` starts it again after whatever happened to it, as a user would, and `differs` tells what is not as in
the undisturbed run."""
import csv
import json
import pathlib
import shutil
import subprocess

TINY = """--model.width=8 --model.heads=2 --model.blocks=1 --model.feedforward=8 --model.time_width=4 --model.history=4
    --model.chunk=2 --coverage.features=4 --coverage.future=4 --coverage.bank=4 --diffusion.steps=4 --diffusion.ddim=2
    --train.batch=2 --train.samples_per_history=1 --train.lanes=1 --train.threads=1 --train.evaluate_windows=2
    --train.warmup=0 --train.steps=6 --train.save_every=2 --train.log_every=1 --train.evaluate_every=2
    --train.keep=1 --quiet""".split()
SAC = """--agent sac --env.name=maze2d-umaze --env.instances=1 --env.time_limit=8 --sac.actor=4 --sac.critic=4
    --sac.replay=64 --sac.start=8 --sac.evaluate_episodes=1 --train.batch=4 --train.lanes=1 --train.threads=1
    --train.steps=16 --train.save_every=8 --train.log_every=8 --train.evaluate_every=8 --train.keep=1 --quiet""".split()
TIME = ("windows_per_second", "data_share")  # columns of metrics.csv that are no part of the result
WHEN = ("started", "machine", "finished", "seconds", "commit", "version")


class Program:
    """bex, run in a directory with a time limit."""

    def __init__(self, path):
        self.path = str(path)

    def command(self, words):
        return [self.path, *words]

    def run(self, words, where, env=None, seconds=120):
        """(exit code, text); a signal is a negative code, a hang None."""
        try:
            p = subprocess.run(self.command(words), cwd=where, env=env, timeout=seconds, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return None, "hangs"
        return p.returncode, p.stdout.decode(errors="replace")


def strip(value):
    """A JSON value without when and where it was made."""
    if isinstance(value, dict):
        return {k: strip(v) for k, v in value.items() if k not in WHEN}
    return [strip(v) for v in value] if isinstance(value, list) else value


def rows(path):
    with open(path, newline="") as f:
        return [{k: v for k, v in row.items() if k not in TIME} for row in csv.DictReader(f)]


def leftovers(folder):
    return [p.name for p in folder.rglob("*") if ".tmp" in p.name or ".new-" in p.name or ".replaced-" in p.name]


class Training:
    def __init__(self, name, words):
        self.name, self.words, self.out = name, words, "run"

    def start(self):
        return ["train", *self.words, "--out", self.out]

    def end(self, bex, where):
        """None, or what went wrong."""
        said = []
        for words in (["train", "--resume", self.out, "--quiet"], self.start()):
            code, text = bex.run(words, where)
            if code == 0:
                return None
            if code is None or code < 0 or code > 2:
                return f"{words[1]}: code {code}"
            said.append(text.strip())
        return " | ".join(said)

    def differs(self, where, whole):
        a, b = where / self.out, whole / self.out
        names = sorted(p.relative_to(b) for p in (b / "checkpoints").rglob("*") if p.is_file())
        if names != sorted(p.relative_to(a) for p in (a / "checkpoints").rglob("*") if p.is_file()):
            return "other checkpoints"
        for name in names:
            if (a / name).read_bytes() != (b / name).read_bytes():
                return str(name)
        if rows(a / "metrics.csv") != rows(b / "metrics.csv"):
            return "metrics.csv"
        if (a / "status").read_text() != "finished\n":
            return "status"
        return ", ".join(leftovers(where)) or None


class Exploration:
    """Of the policy of a training that is done, with everything it may write."""
    name, out = "explore", "found"

    def start(self):
        return ["explore", "../policy.safetensors", "--env", "maze2d-umaze", "--trials", "1", "--episodes", "3",
                "--episode-length", "12", "--history-states", "4", "--save-every", "0", "--out", self.out]

    def end(self, bex, where):
        out = where / self.out
        if (out / "unfinished" / "request.json").exists():
            words = ["explore", "--resume", self.out]
        elif (out / "results.json").exists():
            return None
        else:
            words = self.start()
        code, text = bex.run(words, where)
        return None if code == 0 else f"{words[1]}: code {code}: {text.strip()}"

    def differs(self, where, whole):
        a, b = where / self.out, whole / self.out
        if strip(json.loads((a / "results.json").read_text())) != strip(json.loads((b / "results.json").read_text())):
            return "results.json"
        for name in ("trajectories.hdf5", "rollouts.svg"):
            if (b / name).exists() and (a / name).read_bytes() != (b / name).read_bytes():
                return name
        return None


def prepare(home, bex):
    """Inputs below home, and the undisturbed results in home/whole. Returns the jobs."""
    home.mkdir(parents=True)
    whole = home / "whole"
    whole.mkdir()
    jobs = [Training("train", ["--data", "../demos.hdf5", *TINY]), Training("train sac", SAC), Exploration()]

    def must(words, where):
        code, text = bex.run(words, where)
        if code != 0:
            raise SystemExit(f"tools/torture: bex {' '.join(words)}: {text}")

    must("data gen maze2d-umaze --steps 600 --episode-length 30 --out demos.hdf5".split(), home)
    for job in jobs:
        here = whole / job.name.replace(" ", "-")
        # the same place below home as in the trials: paths are part of the results
        work = home / "work"
        work.mkdir()
        must(job.start(), work)
        work.rename(here)
        job.whole = here
        if job.name == "train":
            model = max((here / "run" / "checkpoints").glob("[0-9]*"), key=lambda p: int(p.name)) / "model.safetensors"
            shutil.copy(model, home / "policy.safetensors")
    return jobs


def fresh(folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder

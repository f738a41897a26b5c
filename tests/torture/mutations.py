"""Mutated files of every kind, each given to the command that reads it, under whatever sanitizers the build has
(tests/torture/mutant.c). The originals are made here, by the program itself."""
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import time

import jobs as J

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAZE = "#####\n#G.O#\n#O#O#\n#O.O#\n#####\n"
PROTOCOL = "[protocol]\nenv = maze2d-umaze\nsteps = 30\ntrials = 1\nhistory = last3\nepisode_length = 9\n"
SANITIZERS = {"ASAN_OPTIONS": "exitcode=99:detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096",
              "UBSAN_OPTIONS": "print_stacktrace=1"}


def put_states(path, rows, columns):
    """A safetensors file of states for `bex act`."""
    data = struct.pack(f"<{rows * columns}f", *[0.01 * i for i in range(rows * columns)])
    header = json.dumps({"states": {"dtype": "F32", "shape": [rows, columns], "data_offsets": [0, len(data)]}}).encode()
    header += b" " * (-len(header) % 8)
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)


def unfinished(bex, home, where):
    """An exploration that was killed after its first episodes: its directory."""
    J.fresh(where)
    words = [*J.Exploration().start(), "--episodes", "4000"]
    p = subprocess.Popen(bex.command(words), cwd=where, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    part = where / "found" / "unfinished" / "000001.hdf5"
    while not part.exists() and p.poll() is None:
        time.sleep(0.002)
    p.send_signal(signal.SIGKILL)
    p.wait()
    store = where / "found" / "unfinished"
    # as if asked for less, so that a resume is quick
    request = json.loads((store / "request.json").read_text())
    words = request["arguments"]
    words[len(words) - 1 - words[::-1].index("--episodes") + 1] = "3"
    request["settings"]["episodes"] = 3
    (store / "request.json").write_text(json.dumps(request, indent=2))
    for more in store.glob("0*.hdf5"):
        if more.name != "000001.hdf5":
            more.unlink()
    return where / "found"


class Corpus:
    """Originals below home/seeds, and the kinds: (name, file, where it goes, (from, to) or None, command)."""

    def __init__(self, bex, seeds_program, home, jobs):
        self.home, self.folder, self.kinds = home, J.fresh(home / "seeds"), []
        train, sac, explored = (j.whole for j in jobs)
        policy = str(home / "policy.safetensors")
        explore = ["--env", "maze2d-umaze", "--trials", "1", "--episodes", "1", "--episode-length", "6"]
        states = self.folder / "states.safetensors"
        put_states(states, 3, 4)
        code, text = bex.run(["explore", policy, *explore, "--history-states", "4", "--save-history", "history"],
                             self.folder)
        if code:
            raise SystemExit(f"tools/torture: a history: {text}")
        self.put("maze", MAZE), self.put("protocol.ini", PROTOCOL)
        out = str(home / "mutant-out")
        self.one("policy, act", policy, ["act", "@", "--in", str(states), "--out", out, "--force"])
        self.one("policy, explore", policy, ["explore", "@", *explore])
        self.one("policy, export", policy, ["export", "@", "--out", out, "--force"])
        self.one("history", self.folder / "history", ["explore", policy, *explore, "--history", "file:@"])
        self.one("config", train / "run" / "config.ini", ["config", "@"])
        self.one("protocol", self.folder / "protocol.ini", ["protocol", "@"], ".ini")
        self.one("maze", self.folder / "maze", ["env", "maze2d", "--maze", "@"])
        self.one("MDP text", ROOT / "examples" / "worlds" / "corridors.txt", ["theory", "@", "--trials", "3"])
        self.one("act input", states, ["act", policy, "--in", "@", "--out", out, "--force"])
        if subprocess.run([str(seeds_program), str(self.folder)]).returncode == 0:
            for name in "plain gzip minari robomimic libero".split():
                self.one(f"HDF5, {name}", self.folder / f"{name}.hdf5", ["data", "show", "@"], ".hdf5")
        self.tabletop(bex)
        for run, kind in ((train / "run", "be"), (sac / "run", "sac")):
            self.resumed(run, kind)
        store = unfinished(bex, home, home / "stopped")
        for name in ("request.json", "000001.hdf5"):
            self.inside(f"explore store, {name}", store, f"unfinished/{name}", ["explore", "--resume", "^"])
        report = home / "reported"
        shutil.copytree(train / "run", report / "run", symlinks=True)
        shutil.copytree(explored / "found", report / "found", symlinks=True)
        for name in ("run/metrics.csv", "run/provenance.json", "run/config.ini", "found/results.json"):
            self.inside(f"report, {name}", report, name, ["report", "^", "-o", out + "-page"])

    def tabletop(self, bex):
        """A demonstration that holds its model, task and states; with the data beside the project, LIBERO's own files."""
        code, _ = bex.run(["data", "gen", "libero-90", "--scene", "KITCHEN_SCENE3", "--task", "turn_on_the_stove",
                           "--demos", "1", "--out", "demos"], self.folder)
        if code == 0:
            for seed in sorted((self.folder / "demos").glob("*stove_demo.hdf5")):
                self.one("tabletop, demonstration", seed, ["data", "import-libero", "@"], ".hdf5")
        shared = ROOT.parent / "shared" / "data"
        if not (shared / "libero" / "bddl_files").exists() or not (shared / "robosuite" / "robots").exists():
            return
        task = "libero_90/KITCHEN_SCENE3_turn_on_the_stove"
        for name in (f"bddl_files/{task}.bddl", f"init_files/{task}.pruned_init",
                     "assets/articulated_objects/flat_stove.xml"):
            libero = J.fresh(self.home / ("libero-" + name.split(".")[-1]))
            for part in ("assets", "bddl_files", "init_files"):
                shutil.copytree(shared / "libero" / part, libero / part, symlinks=True)
            self.kinds.append((f"tabletop, {name.split('.')[-1]}", shared / "libero" / name, libero / name, None,
                               ["env", "libero", "--env.scene=KITCHEN_SCENE3", f"--env.libero={libero}",
                                f"--env.robosuite={shared / 'robosuite'}"]))

    def put(self, name, text):
        (self.folder / name).write_text(text)

    def one(self, name, seed, words, ending=""):
        target = self.home / f"mutant{ending}"
        self.kinds.append((name, pathlib.Path(seed), target, None, [w.replace("@", str(target)) for w in words]))

    def inside(self, name, folder, file, words):
        """A file of a directory that the command may change: a new copy each time."""
        to = self.home / "mutant-folder"
        self.kinds.append((name, folder / file, to / file, (folder, to), [w.replace("^", str(to)) for w in words]))

    def resumed(self, run, kind):
        step = max((run / "checkpoints").glob("[0-9]*"), key=lambda p: int(p.name)).name
        files = [f"checkpoints/{step}/{n}" for n in ("model.safetensors", "state.safetensors", "loop.json",
                                                     "checkpoint.json")]
        for name in [*files, "metrics.csv", "provenance.json", "config.ini"]:
            more = str(int(step) + 1)
            self.inside(f"resume {kind}, {name.split('/')[-1]}", run, name,
                        ["train", "--resume", "^", f"--train.steps={more}", "--quiet"])


def try_kind(mutant, home, kind, first, count, seconds, row):
    name, seed, target, copied, words = kind
    keep = home / ("".join(c if c.isalnum() else "-" for c in name))
    fresh = ["--fresh", str(copied[0]), str(copied[1])] if copied else []
    command = [str(mutant), str(seed), str(target), str(first), str(count), str(seconds), str(keep), *fresh, "--", *words]
    # a copy of data that lies beside the run: paths in it are relative
    p = subprocess.run(command, cwd=home / "work", env={**os.environ, **SANITIZERS}, capture_output=True, text=True)
    if p.returncode:
        return row.bad("wrong", f"{name}: the fork server ends with {p.returncode}: {p.stderr.strip()}")
    tried, ok, refused, crash, hang, wrong, library = map(int, p.stdout.split())
    row.add(tried=tried, ok=ok, refused=refused, library=library)
    for what, n in (("crash", crash), ("hang", hang), ("wrong", wrong)):
        for _ in range(n):
            row.bad(what, f"{name}: see {keep}-*", counted=True)


def run(table, bex, mutant, seeds_program, home, jobs, count, seconds=60):
    corpus = Corpus(bex, seeds_program, home, jobs)
    J.fresh(home / "work")
    groups = {}
    for kind in corpus.kinds:
        groups.setdefault(kind[0].split(",")[0], []).append(kind)
    for group, kinds in groups.items():
        row = table.row(f"mutated files: {group}")
        for kind in kinds:
            # directories are copied for every trial, and a training runs
            try_kind(mutant, home, kind, 1, max(4, count // (8 if kind[3] else 1)), seconds, row)

"""Worlds, training and exploring from Python: run by test_python.c as  check_lab.py BINDINGS SCRATCH"""
import importlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types

import numpy as np

BINDINGS, SCRATCH = sys.argv[1:3]
sys.path.insert(0, BINDINGS)
folder = pathlib.Path(tempfile.mkdtemp(prefix=os.path.basename(SCRATCH), dir=os.path.dirname(SCRATCH) or "."))


def stand_in():
    """gymnasium's interface as far as Env needs it, where the real one is not installed."""
    try:
        import gymnasium
        return gymnasium
    except ImportError:
        pass
    g, spaces = types.ModuleType("gymnasium"), types.ModuleType("gymnasium.spaces")

    class Env:
        def reset(self, *, seed=None, options=None):
            raise NotImplementedError

        def step(self, action):
            raise NotImplementedError

    class Box:
        def __init__(self, low, high, shape, dtype):
            self.low, self.high, self.shape, self.dtype = np.full(shape, low, dtype), np.full(shape, high, dtype), shape, dtype

        def sample(self):
            return np.zeros(self.shape, self.dtype)

    g.Env, spaces.Box, g.spaces = Env, Box, spaces
    sys.modules["gymnasium"], sys.modules["gymnasium.spaces"] = g, spaces
    return g


gymnasium = stand_in()
import bex  # noqa: E402


def refuses(kind, part, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except kind as error:
        assert part in str(error), f"'{error}' lacks '{part}'"
        return
    raise AssertionError(f"no error '{part}'")


class Line:
    """A world of the caller's: a place between -5 and 5 and a push."""
    name = "line"

    def reset(self, *, seed=None, options=None):
        self.x, self.n = np.random.default_rng(seed).normal(0, 0.1, 2), 0
        return self.x.astype(np.float32), {}

    def step(self, action):
        self.x = np.clip(self.x + 0.2 * np.asarray(action)[:2], -5, 5)
        self.n += 1
        return self.x.astype(np.float32), float(self.x[0] > 2), False, self.n >= 24, {}


def demonstrations(n=24):
    env, out = Line(), []
    for seed in range(n):
        rng = np.random.default_rng(seed)
        state, _ = env.reset(seed=seed)
        way = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])[rng.integers(4)]
        states, actions, over = [], [], False
        while not over:
            action = np.clip(0.7 * way + rng.normal(0, 0.2, 2), -1, 1)
            states.append(state), actions.append(action)
            state, _, ended, cut, _ = env.step(action)
            over = ended or cut
        out.append({"observations": states, "actions": actions, "rewards": np.zeros(len(states))})
    return out


def files():
    path = folder / "demos.safetensors"
    bex.save_demonstrations(path, demonstrations(), columns=["right", "up"])
    tensors, metadata = bex.load_safetensors(path)
    assert tensors["observations"].shape == (24 * 24, 2) and metadata["columns"] == "right,up"
    shown = json.loads(bex.run_program("data", "show", path, "--json"))
    assert shown["episodes"] == 24 and shown["observations"][1]["name"] == "up"
    refuses(bex.Misuse, "must end in", bex.save_demonstrations, folder / "x.hdf5", demonstrations(1))
    refuses(bex.Misuse, "3 names for 2", bex.save_demonstrations, path, demonstrations(1), columns=["a", "b", "c"])
    refuses(bex.Misuse, "no episodes", bex.save_demonstrations, path, [])
    refuses(bex.Misuse, "not finite, in row 1", bex.save_demonstrations, path,
            [{"observations": [[0, 0], [0, np.nan]], "actions": [[0], [0]]}])


def worlds():
    with bex.Env("maze2d-umaze") as env, bex.Env("maze2d-umaze", time_limit=5) as short:
        assert isinstance(env, gymnasium.Env) and env.observation_space.shape == (4,) and env.action_space.shape == (2,)
        first, info = env.reset(seed=3)
        again, _ = env.reset(seed=3)
        assert (first == again).all() and info == {} and first.dtype == np.float32
        assert (env.reset()[0] != first).any()  # the stream goes on
        env.reset(seed=3)
        a = [env.step([0.5, -0.5])[0] for _ in range(5)]
        short.reset(seed=3)
        steps = [short.step([0.5, -0.5]) for _ in range(5)]
        assert all((x == y[0]).all() for x, y in zip(a, steps))
        assert [s[3] for s in steps] == [False] * 4 + [True] and not any(s[2] for s in steps)
        refuses(bex.Misuse, "takes 2", env.step, [0, 0, 0])
        refuses(bex.Error, "is nan", env.step, [np.nan, 0])
        env.step([0, 0])  # it goes on
    refuses(bex.Misuse, "no environment 'maze2d-umazz'", bex.Env, "maze2d-umazz")
    refuses(bex.Misuse, "closed", env.reset)
    with bex.Env("maze2d-umaze", dense=True) as dense:  # a truth value as Python writes it
        assert dense.reset(seed=3)[0].shape == (4,)
    with bex.VectorEnv("maze2d-umaze", 3, time_limit=4) as many:
        states, _ = many.reset(seed=0)
        assert states.shape == (3, 4)
        for t in range(4):
            states, rewards, terminated, truncated, info = many.step(np.zeros((3, 2)))
        assert truncated.all() and info["final_obs"].shape == (3, 4) and (info["final_obs"] != states).any()
        refuses(bex.Misuse, "expected (3, 2)", many.step, np.zeros((2, 2)))


SMALL = {"model.width": 16, "model.heads": 2, "model.blocks": 1, "model.feedforward": 32, "model.time_width": 16,
         "coverage.features": 8, "coverage.bank": 8, "train.batch": 32, "train.samples_per_history": 8, "train.lanes": 4,
         "train.threads": 1, "train.evaluate_windows": 32, "train.log_every": 10}


def learning():
    rows = []
    run = bex.train(folder / "demos.safetensors", folder / "run", steps=40, progress=rows.append, **SMALL)
    assert [r["step"] for r in rows][-1] == 40 and run.metrics()[-1]["loss"] == rows[-1]["loss"]
    assert "coverage.dims            right,up" in run.chosen, run.chosen
    assert run.policy.contract.state_names == ("right", "up")
    refuses(bex.Error, "exists", bex.train, folder / "demos.safetensors", folder / "run", steps=40, progress=False, **SMALL)
    refuses(bex.Error, "no column 'left'", bex.train, folder / "demos.safetensors", folder / "other", steps=40,
            progress=False, coverage_dims="left", **SMALL)


def exploring():
    options = dict(trials=2, episodes=3, progress=False)
    with bex.Policy(folder / "run") as policy:
        found = bex.explore(policy, Line(), out=folder / "explored", demonstrations=folder / "demos.safetensors", **options)
        assert len(found.episodes) == 6 and found.states(1).shape == (3 * 25, 2) and found.returns().shape == (6,)
        assert found.latency.plans > 0 and len(found.coverage["episodes"]) == 6
        results = json.loads((folder / "explored/results.json").read_text())
        assert results["environment"]["name"] == "line" and results["trials"] == 2 and results["agent"]["name"] == "be"
        assert pathlib.Path(found.report()).exists()
        again = bex.explore(policy, Line(), **options)
        assert all((a["observations"] == b["observations"]).all() for a, b in zip(found.episodes, again.episodes))
        still = bex.explore(lambda state: np.zeros(2), Line(), judge=policy, out=folder / "still", **options)
        assert still.coverage["regions_visited"] <= found.coverage["regions_visited"]
        told = json.loads(bex.run_program("compare", folder / "explored", folder / "still", "--json"))
        assert told["measures"][0]["difference"] >= 0
        refuses(bex.Misuse, "judge=PATH", bex.explore, lambda s: s, Line(), out=folder / "x", **options)
        refuses(bex.Error, "exists", bex.explore, policy, Line(), out=folder / "explored", **options)


def packing():
    """pip's own way without pip: the backend makes a wheel, which runs from its own files alone."""
    sys.path.insert(0, BINDINGS)
    backend = importlib.import_module("bex_build")
    os.environ["BEX_BUILD"] = str(pathlib.Path(os.environ["BEX_LIBRARY"]).parent)
    wheel = folder / backend.build_wheel(str(folder))
    shutil.unpack_archive(wheel, folder / "site", "zip")
    os.chmod(folder / "site/bex/bin/bex", 0o755)
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BEX_")}
    said = subprocess.run([sys.executable, "-c", "import bex; print(bex.__file__, bex.find_program(), bex.version())"],
                          env={**environment, "PYTHONPATH": str(folder / "site")}, cwd=folder, capture_output=True, text=True)
    assert said.stdout.count(str(folder / "site")) == 2, said


try:
    for check in (files, worlds, learning, exploring, packing):
        check()
        print("ok", check.__name__)
    print("ok all")
finally:
    shutil.rmtree(folder, ignore_errors=True)

"""bex's own worlds the Gymnasium way: reset and step as there, one instance or many.

With Gymnasium installed, Env is a gymnasium.Env and its spaces are gymnasium.spaces.Box; without, a Box with the same
members stands in. The worlds run in a process of their own (`bex env NAME --serve N`): no build step, no shared state."""
from __future__ import annotations

import json
import subprocess
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._library import Error, Misuse
from .program import find_program, options_of

try:
    import gymnasium
    _Base = gymnasium.Env
    _Space = gymnasium.spaces.Box
except ImportError:
    gymnasium = None
    _Base = object
    _Space = None


class Box:
    """What gymnasium.spaces.Box is to us, where there is no Gymnasium."""

    def __init__(self, low: float, high: float, shape: Tuple[int, ...], dtype: Any = np.float32, seed: Optional[int] = None):
        self.shape, self.dtype = tuple(shape), np.dtype(dtype)
        self.low = np.full(self.shape, low, dtype=self.dtype)
        self.high = np.full(self.shape, high, dtype=self.dtype)
        self._rng = np.random.default_rng(seed)

    def seed(self, seed: Optional[int] = None) -> None:
        self._rng = np.random.default_rng(seed)

    def sample(self) -> np.ndarray:
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all()):
            return self._rng.standard_normal(self.shape).astype(self.dtype)
        return self._rng.uniform(self.low, self.high).astype(self.dtype)

    def contains(self, x: Any) -> bool:
        x = np.asarray(x)
        return x.shape == self.shape and bool((x >= self.low).all() and (x <= self.high).all())

    __contains__ = contains

    def __repr__(self) -> str:
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape}, {self.dtype})"


def _box(low: float, high: float, shape: Tuple[int, ...]):
    return (_Space or Box)(low, high, shape=shape, dtype=np.float32)


class _World:
    """The process: n instances of a world."""

    def __init__(self, name: str, n: int, options: Dict[str, Any], explore: bool):
        words = [find_program(), "env", name, "--serve", str(n)] + (["--explore"] if explore else [])
        words += options_of({f"env.{key}": value for key, value in options.items()})
        self.n = n
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self._process.stdout.readline()
        if not line.startswith(b"{"):
            message = self._process.stderr.read().decode(errors="replace").strip()
            wrong = self._process.wait() == 2
            self.close()
            raise (Misuse if wrong else Error)(message or f"no world '{name}'")
        self.facts = json.loads(line)

    def _read(self, size: int) -> bytes:
        data = self._process.stdout.read(size)
        if len(data) != size:
            raise Error("the world's process has ended")
        return data

    def _ask(self, request: bytes) -> None:
        if self._process is None:
            raise Misuse("this environment is closed")
        try:
            self._process.stdin.write(request)
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Error("the world's process has ended") from None
        if np.frombuffer(self._read(4), np.int32)[0] < 0:
            size = int(np.frombuffer(self._read(4), np.int32)[0])
            raise Error(self._read(size).decode(errors="replace"))

    def reset(self, instance: int, seed: int) -> np.ndarray:
        self._ask(b"r" + np.int32(instance).tobytes() + np.uint64(seed).tobytes())
        rows, wide = (self.n if instance < 0 else 1), self.facts["state"]
        return np.frombuffer(self._read(4 * rows * wide), np.float32).reshape(rows, wide).copy()

    def step(self, actions: np.ndarray):
        self._ask(b"s" + np.ascontiguousarray(actions, dtype=np.float32).tobytes())
        n, wide = self.n, self.facts["state"]
        states = np.frombuffer(self._read(4 * n * wide), np.float32).reshape(n, wide).copy()
        rewards = np.frombuffer(self._read(4 * n), np.float32).copy()
        ended = np.frombuffer(self._read(n), np.uint8).astype(bool)
        regions = np.frombuffer(self._read(4 * n), np.int32).copy()
        return states, rewards, ended, regions, np.frombuffer(self._read(4 * n), np.uint32).copy()

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout, process.stderr):
                try:
                    pipe.close()
                except OSError:
                    pass
            process.wait()


def _found(goals: int, names) -> list:
    return [name for g, name in enumerate(names) if goals >> g & 1]


class Env(_Base):
    """One instance: Env("antmaze-medium"), Env("maze2d-medium", start="3,3"); `bex env --list` has the names, `bex env NAME
    --help` the options. explore=True: no end at a goal, as in exploration. info has region, and goals that are reached."""
    metadata: Dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(self, name: str, *, time_limit: Optional[int] = None, explore: bool = False, **options: Any):
        self._world = _World(name, 1, options, explore)
        self.facts = self._world.facts
        self.name = self.facts["name"]
        self.time_limit = self.facts["time_limit"] if time_limit is None else time_limit
        self.observation_space = _box(-np.inf, np.inf, (self.facts["state"],))
        self.action_space = _box(-1.0, 1.0, (self.facts["action"],))
        self._rng = np.random.default_rng()
        self._steps: Optional[int] = None

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict] = None):
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._steps = 0
        return self._world.reset(0, int(self._rng.integers(1 << 62)))[0], {}

    def step(self, action: Any):
        if self._steps is None:
            raise Misuse("step before reset")
        action = np.asarray(action, dtype=np.float32).reshape(-1)
        if action.shape != self.action_space.shape:
            raise Misuse(f"the action has {action.size} values, {self.name} takes {self.action_space.shape[0]}")
        states, rewards, ended, regions, goals = self._world.step(action[None])
        self._steps += 1
        truncated = bool(self.time_limit and self._steps >= self.time_limit and not ended[0])
        info = {"region": int(regions[0]), "goals": _found(int(goals[0]), self.facts["goals"])}
        return states[0], float(rewards[0]), bool(ended[0]), truncated, info

    def close(self) -> None:
        self._world.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class VectorEnv:
    """n instances stepped together. An episode that ends is followed by the first state of the next one in the same step;
    its own last state is info["final_obs"][i], where info["_final_obs"][i] is True."""

    def __init__(self, name: str, n: int, *, time_limit: Optional[int] = None, explore: bool = False, **options: Any):
        self._world = _World(name, n, options, explore)
        self.facts, self.num_envs = self._world.facts, n
        self.time_limit = self.facts["time_limit"] if time_limit is None else time_limit
        self.single_observation_space = _box(-np.inf, np.inf, (self.facts["state"],))
        self.single_action_space = _box(-1.0, 1.0, (self.facts["action"],))
        self.observation_space = _box(-np.inf, np.inf, (n, self.facts["state"]))
        self.action_space = _box(-1.0, 1.0, (n, self.facts["action"]))
        self._rng = np.random.default_rng()
        self._steps = np.zeros(n, dtype=np.int64)

    def reset(self, *, seed: Optional[int] = None, options: Optional[dict] = None):
        if seed is not None:
            self._rng = np.random.default_rng(seed)
        self._steps[:] = 0
        return self._world.reset(-1, int(self._rng.integers(1 << 62))), {}

    def step(self, actions: Any):
        actions = np.asarray(actions, dtype=np.float32)
        if actions.shape != self.action_space.shape:
            raise Misuse(f"actions of shape {actions.shape}, expected {self.action_space.shape}")
        states, rewards, terminated, regions, goals = self._world.step(actions)
        self._steps += 1
        truncated = (self._steps >= self.time_limit) & ~terminated if self.time_limit else np.zeros_like(terminated)
        info = {"region": regions, "goals": [_found(int(g), self.facts["goals"]) for g in goals]}
        over = terminated | truncated
        if over.any():
            info["final_obs"], info["_final_obs"] = states.copy(), over
            for i in np.flatnonzero(over):
                states[i] = self._world.reset(int(i), int(self._rng.integers(1 << 62)))[0]
                self._steps[i] = 0
        return states, rewards, terminated, truncated, info

    def close(self) -> None:
        self._world.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

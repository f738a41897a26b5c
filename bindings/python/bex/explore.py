"""The exploration protocol in any environment: trials of several episodes, the states of past episodes being memory."""
from __future__ import annotations

import json
import pathlib
import sys
import tempfile
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Union

import numpy as np

from ._library import Latency, Misuse, Policy
from .data import pack_episodes, save_safetensors
from .program import run_program


@dataclass
class Exploration:
    """What happened. episodes: dicts with trial, observations (T, O), actions (T, A), rewards (T), final (O), terminal."""
    episodes: List[Dict[str, Any]] = field(default_factory=list)
    latency: Optional[Latency] = None            # of the last trial's session
    coverage: Optional[Dict[str, Any]] = None    # what `bex coverage --json` says of the states
    out: Optional[str] = None                    # the directory with results.json and figures

    def returns(self) -> np.ndarray:
        return np.array([float(np.sum(e["rewards"])) for e in self.episodes])

    def states(self, trial: int = 0) -> np.ndarray:
        return np.concatenate([np.vstack([e["observations"], e["final"][None]]) for e in self.episodes if e["trial"] == trial])

    def save(self, path, **metadata: str) -> None:
        """As a recording, which `bex coverage --states` and `bex data show` read."""
        save_safetensors(path, pack_episodes(self.episodes), metadata)

    def report(self, folder=None) -> str:
        """report.html, a page of the results in `out`, there or in another folder; where it is."""
        if not self.out:
            raise Misuse("explore(..., out=DIRECTORY) keeps what a report needs")
        run_program("report", self.out, *(["--out", folder] if folder else []))
        return str(pathlib.Path(folder or self.out) / "report.html")


def _state(observation: Any) -> np.ndarray:
    return np.asarray(observation, dtype=np.float32).reshape(-1)


def _reset(env: Any, seed: int) -> np.ndarray:
    try:
        first = env.reset(seed=seed)
    except TypeError:       # an environment without seeds
        first = env.reset()
    return _state(first[0] if isinstance(first, tuple) else first)


def _step(env: Any, action: np.ndarray):
    """(state, reward, terminated, truncated) of the five of Gymnasium, the four of Gym, or a state alone."""
    result = env.step(action)
    if not isinstance(result, tuple):
        return _state(result), 0.0, False, False
    if len(result) == 5:
        return _state(result[0]), float(result[1]), bool(result[2]), bool(result[3])
    cut = bool(result[3].get("TimeLimit.truncated", False)) if isinstance(result[3], dict) else False
    return _state(result[0]), float(result[1]), bool(result[2]) and not cut, cut


def _play(env: Any, act: Callable, seed: int, most: Optional[int], trial: int) -> Dict[str, Any]:
    states, actions, rewards = [_reset(env, seed)], [], []
    ended = False
    while not (ended or (most is not None and len(actions) >= most)):
        action = np.asarray(act(states[-1]), dtype=np.float32)
        state, reward, terminal, truncated = _step(env, action)
        states.append(state), actions.append(action.reshape(-1)), rewards.append(reward)
        ended = terminal or truncated
        if terminal:
            break
    return {"trial": trial, "observations": np.array(states[:-1]), "actions": np.array(actions),
            "rewards": np.array(rewards, dtype=np.float32), "final": states[-1], "terminal": bool(ended and terminal)}


def explore(policy: Union[Policy, str, Callable], env: Any, *, trials: int = 10, episodes: int = 12,
            episode_length: Optional[int] = None, seed: int = 0, out=None, judge: Union[Policy, str, None] = None,
            demonstrations=None, force: bool = False, progress: bool = True, name: Optional[str] = None,
            **settings: Any) -> Exploration:
    """Let a policy explore an environment: `trials` times, each with an empty memory, `episodes` one after the other.

    env             anything with reset() and step(action), as in Gymnasium, Gym or returning states alone; observations are
                    flattened. It must end its episodes, or episode_length does
    policy          a Policy, a path to one, or a function of the state (a baseline; then judge is the policy whose
                    coverage counts)
    out             a directory: results.json, figures and the recording, as `bex explore --out` has them
    demonstrations  a file, to tell which of their regions are still unseen
    settings        of acting: exp=0.95, candidates=64, deadline=0.05 ...
    """
    if trials < 1 or episodes < 1:
        raise Misuse(f"{trials} trials of {episodes} episodes")
    if isinstance(policy, (str, pathlib.PurePath)):
        policy = Policy(policy)
    judge = judge if judge is not None else policy
    if isinstance(judge, Policy):
        judge = judge.path
    found = Exploration()
    for trial in range(trials):
        session = policy.session(seed=seed * 1000003 + trial, **settings) if isinstance(policy, Policy) else None
        try:
            for episode in range(episodes):
                if session:
                    session.begin()
                act = session.act if session else policy
                found.episodes.append(_play(env, act, (seed * 1000003 + trial) * 1009 + episode, episode_length, trial))
                if session:
                    session.end()
                if progress and sys.stderr.isatty():
                    print(f"\rtrial {trial + 1} of {trials}, episode {episode + 1} of {episodes} ", end="", file=sys.stderr)
            found.latency = session.latency if session else found.latency
        finally:
            if session:
                session.close()
    if progress and sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if isinstance(judge, str):
        _judge(found, judge, env, policy, out, demonstrations, force, name)
    elif out:
        raise Misuse("a directory of results needs a policy of a file to judge by: judge=PATH")
    return found


def _judge(found: Exploration, judge: str, env: Any, policy: Any, out, demonstrations, force: bool, name) -> None:
    who = name or (policy.contract.agent if isinstance(policy, Policy) else getattr(policy, "__name__", "policy"))
    world = getattr(env, "name", None) or getattr(getattr(env, "spec", None), "id", None) or type(env).__name__
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "recording.safetensors"
        found.save(path, environment=str(world), agent=str(who), command="bex.explore")
        words = ["coverage", judge, "--states", path, "--json"]
        words += ["--data", demonstrations] if demonstrations else []
        words += ["--out", out] if out else []
        found.coverage = json.loads(run_program(*words, *(["--force"] if force else [])))
    found.out = str(out) if out else None

"""`bex train` from Python: settings by name, progress as it comes, a policy at the end."""
from __future__ import annotations

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional

from ._library import Error, Misuse, Policy
from .program import find_program, options_of


@dataclass
class Run:
    """A finished run."""
    path: str
    chosen: str          # what training chose by itself and why, as it printed it

    @property
    def policy(self) -> Policy:
        """Its newest policy."""
        return Policy(self.path)

    def metrics(self) -> List[Dict[str, float]]:
        """The rows of metrics.csv."""
        with open(pathlib.Path(self.path) / "metrics.csv", newline="") as rows:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(rows)]


def _follow(path: pathlib.Path, seen: int, tell: Optional[Callable[[Dict[str, float]], None]]) -> int:
    """Rows of metrics.csv that are new, told; how many there are."""
    if tell is None or not path.exists():
        return seen
    with open(path, newline="") as rows:
        all_rows = [r for r in csv.DictReader(rows) if None not in r.values()]
    for row in all_rows[seen:]:
        tell({key: float(value) for key, value in row.items()})
    return len(all_rows)


def train(data=None, out=None, *, config=None, steps: Optional[int] = None, agent: Optional[str] = None,
          seed: Optional[int] = None, resume: bool = False, force: bool = False, progress: Any = True,
          **settings: Any) -> Run:
    """Train a policy on a file of demonstrations; without `config` every setting that is not given is chosen from them.

    settings    keys of the configuration: coverage_dims="eef_pos", or **{"coverage.dims": "eef_pos", "train.batch": 128}
    progress    True: the program's own line on stderr; False: nothing; a function: called with each row of metrics.csv
    resume      go on with the run in `out`
    """
    if (data is None) == (not resume) and config is None and data is None:
        raise Misuse("train(DATA), or train(out=RUN, resume=True)")
    folder = str(out) if out is not None else f"runs/{agent or 'be'}-{seed or 0}"
    words = [find_program(), "train"] + ([str(config)] if config else [])
    words += ["--resume", folder] if resume else ["--out", folder]
    words += ["--data", str(data)] if data is not None else []
    words += ["--agent", agent] if agent else []
    words += ["--seed", str(seed)] if seed is not None else []
    words += [f"--train.steps={steps}"] if steps is not None else []
    words += (["--force"] if force else []) + options_of(settings)
    if progress is not True:
        words.append("--quiet")
    tell = progress if callable(progress) else None
    metrics, seen = pathlib.Path(folder) / "metrics.csv", 0
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as wrong:
        process = subprocess.Popen(words, stdout=said, stderr=None if progress is True and sys.stderr.isatty() else wrong)
        try:
            while True:
                try:
                    code = process.wait(timeout=0.5)
                    break
                except subprocess.TimeoutExpired:
                    seen = _follow(metrics, seen, tell)
        except BaseException:       # Ctrl-C: the program saves and stops
            process.terminate()
            process.wait()
            raise
        _follow(metrics, seen, tell)
        said.seek(0), wrong.seek(0)
        text, message = said.read(), wrong.read().strip().splitlines()
    if code:
        raise (Misuse if code == 2 else Error)(message[-1] if message else f"bex train ended with {code}")
    chosen = text[:text.find("\nagent ")] if "\nagent " in text else ""
    return Run(path=os.fspath(folder), chosen=chosen)

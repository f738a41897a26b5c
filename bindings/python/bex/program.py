"""The program `bex`: found, run, its message raised."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from typing import Sequence

from ._library import Error, Misuse


def find_program() -> str:
    """Where the program is; Error if it is nowhere."""
    named = os.environ.get("BEX_PROGRAM")
    if named:
        return named
    here = pathlib.Path(__file__).resolve()
    for path in [here.parent / "bin/bex"] + [p / "build/release/bin/bex" for p in here.parents] + [here.parents[4] / "bin/bex"]:
        if path.is_file() and os.access(path, os.X_OK):
            return str(path)
    found = shutil.which("bex")
    if not found:
        raise Error("no program `bex` (set BEX_PROGRAM, or build it: make)")
    return found


def run_program(*arguments: object) -> str:
    """`bex ARGUMENTS`: its output; its one-line message is raised, Misuse for usage."""
    done = subprocess.run([find_program(), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        message = done.stderr.strip().splitlines()
        raise (Misuse if done.returncode == 2 else Error)(message[-1] if message else f"bex ended with {done.returncode}")
    return done.stdout


def options_of(settings: dict) -> Sequence[str]:
    """{"coverage.dims": "0,1"} or coverage_dims="0,1" as --coverage.dims=0,1."""
    words = []
    for key, value in settings.items():
        if "." not in key:
            key = key.replace("_", ".", 1)
        words.append(f"--{key}={str(value).lower() if isinstance(value, bool) else value}")
    return words

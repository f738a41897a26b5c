"""Files: safetensors with numpy alone, and episodes as a file that every command of bex reads."""
from __future__ import annotations

import json
import os
import pathlib
from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Tuple

import numpy as np

from ._library import Misuse

_NAMES = {"<f4": "F32", "<f8": "F64", "<i8": "I64", "<i4": "I32", "|u1": "U8", "|b1": "BOOL", "<f2": "F16"}


def save_safetensors(path, tensors: Mapping[str, np.ndarray], metadata: Optional[Mapping[str, str]] = None) -> None:
    """Arrays by name, whole or not at all: written beside, then renamed."""
    header: Dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    parts, at = [], 0
    # larger elements first: every tensor begins at a multiple of its element's size
    for name, value in sorted(tensors.items(), key=lambda item: (-np.asarray(item[1]).dtype.itemsize, item[0])):
        value = np.ascontiguousarray(value)
        kind = _NAMES.get(value.dtype.newbyteorder("<").str if value.dtype.itemsize > 1 else value.dtype.str)
        if kind is None:
            raise Misuse(f"'{name}' is of {value.dtype}: float32, float64, int64, int32, uint8 or bool")
        data = value.astype(value.dtype.newbyteorder("<")).tobytes()
        header[name] = {"dtype": kind, "shape": list(value.shape), "data_offsets": [at, at + len(data)]}
        parts.append(data)
        at += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path = pathlib.Path(path)
    beside = path.with_name(path.name + f".tmp-{os.getpid()}")
    try:
        with open(beside, "wb") as out:
            out.write(len(text).to_bytes(8, "little") + text)
            for data in parts:
                out.write(data)
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def load_safetensors(path) -> Tuple[Dict[str, np.ndarray], Dict[str, str]]:
    """Arrays by name, and the metadata."""
    data = pathlib.Path(path).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    kinds = {kind: name for name, kind in _NAMES.items()}
    metadata = header.pop("__metadata__", {})
    out = {}
    for name, t in header.items():
        begin, end = t["data_offsets"]
        out[name] = np.frombuffer(data[8 + size + begin:8 + size + end], dtype=kinds[t["dtype"]]).reshape(t["shape"]).copy()
    return out, metadata


def _table(rows: Any, what: str, width: Optional[int]) -> np.ndarray:
    table = np.asarray(rows, dtype=np.float32)
    table = table.reshape(len(table), -1)
    if width is not None and table.shape[1] != width:
        raise Misuse(f"{what} have {table.shape[1]} columns, those before {width}")
    if not np.isfinite(table).all():
        raise Misuse(f"{what} have a value that is not finite, in row {int(np.argwhere(~np.isfinite(table))[0][0])}")
    return table


def pack_episodes(episodes: Iterable[Mapping[str, Any]]) -> Dict[str, np.ndarray]:
    """Episodes as one recording (docs/data.md): each has observations (T, O) and may have actions (T, A), rewards (T),
    terminal (bool), final (O), trial (int)."""
    obs, act, reward, start, trial, terminal, final = [], [], [], [0], [], [], []
    for number, e in enumerate(episodes):
        states = _table(e["observations"], f"episode {number}: observations", obs[0].shape[1] if obs else None)
        if not len(states):
            raise Misuse(f"episode {number} has no rows")
        obs.append(states)
        for key, rows in (("actions", act), ("rewards", reward)):
            if e.get(key) is not None:
                rows.append(_table(e[key], f"episode {number}: {key}", rows[0].shape[1] if rows else None))
                if len(rows[-1]) != len(states):
                    raise Misuse(f"episode {number} has {len(rows[-1])} {key} for {len(states)} states")
        if e.get("final") is not None:
            final.append(np.asarray(e["final"], dtype=np.float32).reshape(-1))
        start.append(start[-1] + len(states))
        trial.append(int(e.get("trial", 0)))
        terminal.append(int(bool(e.get("terminal", False))))
    if not obs:
        raise Misuse("there are no episodes")
    tensors = {"observations": np.concatenate(obs), "episode.start": np.array(start, dtype=np.int64),
               "episode.trial": np.array(trial, dtype=np.int64), "episode.terminal": np.array(terminal, dtype=np.int64)}
    for key, rows in (("actions", act), ("rewards", reward)):
        if rows and len(rows) != len(obs):
            raise Misuse(f"some episodes have {key}, others none")
        if rows:
            tensors[key] = np.concatenate(rows) if key == "actions" else np.concatenate(rows).reshape(-1)
    if final:
        if len(final) != len(obs):
            raise Misuse("some episodes have a final state, others none")
        tensors["episode.final"] = np.stack(final)
    return tensors


def save_demonstrations(path, episodes: Iterable[Mapping[str, Any]], columns: Optional[Sequence[str]] = None) -> None:
    """Demonstrations for `bex train --data PATH`. PATH must end in .safetensors; columns: a name for each value of a state,
    e.g. ["eef_pos[0]", "eef_pos[1]", "eef_pos[2]", "grip"]."""
    if not str(path).endswith(".safetensors"):
        raise Misuse(f"'{path}' must end in .safetensors")
    tensors = pack_episodes(episodes)
    if "actions" not in tensors:
        raise Misuse("demonstrations need actions")
    wide = tensors["observations"].shape[1]
    if columns is not None and len(columns) != wide:
        raise Misuse(f"{len(columns)} names for {wide} columns")
    if columns is not None and any("," in c or not c for c in columns):
        raise Misuse("a name of a column is empty or has a comma")
    save_safetensors(path, tensors, {"columns": ",".join(columns)} if columns is not None else None)

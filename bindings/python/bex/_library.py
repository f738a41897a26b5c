"""libbex over ctypes and numpy: Policy and Session, the calls of bex/bex.h. See the package's own help."""
from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int, c_longlong, c_size_t, c_uint64, c_void_p
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy as np

__all__ = ["Contract", "Coverage", "Error", "Latency", "Misuse", "Policy", "Session", "version"]

Path = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """The library's message for a file, a format or memory."""


class Misuse(Error, ValueError):
    """A wrong size, a value that is not finite, a call out of order."""


class _Contract(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("state", c_int), ("action", c_int), ("chunk", c_int), ("history", c_int),
                ("tasks", c_int), ("scenes", c_int), ("has_coverage", c_int), ("parameters", c_longlong),
                ("state_mean", POINTER(c_float)), ("state_std", POINTER(c_float)),
                ("action_low", POINTER(c_float)), ("action_high", POINTER(c_float)), ("agent", c_char_p),
                ("exp", c_char_p), ("history_rule", c_char_p), ("guidance", c_double), ("noise", c_double),
                ("act", c_int), ("denoising_steps", c_int), ("candidates", c_int),
                ("commit", c_int), ("temperature", c_double), ("cameras", c_int),
                ("image_height", c_int), ("image_width", c_int), ("images", c_char_p), ("flip", c_char_p),
                ("state_names", POINTER(c_char_p)), ("coverage_columns", POINTER(c_int)),
                ("coverage_count", c_int), ("farthest", c_double), ("seen", c_int)]


class _Options(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("exp", c_char_p), ("history", c_char_p), ("guidance", c_double),
                ("noise", c_double), ("act", c_int), ("denoising_steps", c_int), ("task", c_int),
                ("scene", c_int), ("seed", c_uint64), ("deadline", c_double), ("candidates", c_int),
                ("commit", c_int), ("temperature", c_double)]


class _Sensors(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("state", c_void_p), ("n_state", c_int), ("cameras", c_int),
                ("height", c_int), ("width", c_int), ("image", c_void_p * 4)]


class _Coverage(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("asked", c_double), ("expected", c_double), ("reached", c_double),
                ("asked_quantile", c_double), ("expected_quantile", c_double), ("reached_quantile", c_double),
                ("steps", c_longlong), ("candidates", c_int), ("proposed", c_int), ("possible", c_int),
                ("waypoints", c_int), ("columns", c_int), ("waypoint", POINTER(c_float)), ("column", POINTER(c_int))]


class _Latency(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("calls", c_longlong), ("plans", c_longlong), ("missed", c_longlong),
                ("p50", c_double), ("p99", c_double), ("max", c_double)]


@dataclass(frozen=True)
class Contract:
    """What a policy expects and gives; compare with the robot before moving."""
    state: int
    action: int
    chunk: int              # actions planned at once
    history: int            # history states, 0 for none
    tasks: int
    scenes: int
    has_coverage: bool      # exp and guidance mean something
    parameters: int
    state_mean: np.ndarray  # (state,)
    state_std: np.ndarray   # 0: a dim that is ignored
    action_low: np.ndarray  # (action,)
    action_high: np.ndarray
    agent: str              # "be", "bc", "bc-history"
    exp: str                # this and the rest: what a session uses unless told otherwise
    history_rule: str
    guidance: float
    noise: float
    act: int
    denoising_steps: int
    candidates: int
    commit: int
    temperature: float
    cameras: int            # pictures expected beside the state, 0 for none; their size in pixels
    image_height: int
    image_width: int
    images: str             # the cameras in their order, by commas
    flip: str               # how the policy turns pictures: "none", "vertical", "rot180"
    state_names: Optional[tuple]   # (state,) what each value is, by the demonstrations' keys; None: not known
    coverage_columns: tuple        # columns that count as explored; (): all, or no coverage
    farthest: float                # standard deviations beyond which a state is refused
    seen: int                      # columns that the policy makes from pictures, behind those of a state


@dataclass(frozen=True)
class Latency:
    """Seconds, over the newest 4096 calls that planned; counts and max over all calls."""
    calls: int
    plans: int
    missed: int
    p50: float
    p99: float
    max: float


@dataclass(frozen=True)
class Coverage:
    """What a session is after and how far it has come: bex_session_coverage. NaN: no future was chosen."""
    asked: float               # coverages as the network is told them: by exp,
    expected: float            # of the chosen future,
    reached: float             # of the states since
    asked_quantile: float      # the same as quantiles of the demonstrators' futures
    expected_quantile: float
    reached_quantile: float
    steps: int                 # states since the choice, itself one
    candidates: int            # asked for; made in time; of those through places demonstrators were
    proposed: int
    possible: int
    waypoints: np.ndarray      # (waypoints, columns) of the chosen future, in the units of states
    columns: tuple             # which columns those are


def _candidates():
    named = os.environ.get("BEX_LIBRARY")
    if named:
        return [named]
    here = pathlib.Path(__file__).resolve()
    inside = [here.parent / "libbex.so.0"]                       # of a wheel
    prefix = [p / "lib/libbex.so.0" for p in here.parents]       # of `make install PREFIX=...`
    found = [str(p) for p in inside if p.exists()]
    found += [str(p / "build/release/libbex.so") for p in here.parents]  # of a source tree
    found += [str(p) for p in prefix[3:5]] + [str(p.parent.parent / "lib64/libbex.so.0") for p in prefix[3:5]]
    found += [ctypes.util.find_library("bex"), "libbex.so.0", "/usr/local/lib/libbex.so.0"]
    return [f for f in found if f and ("/" not in f or os.path.exists(f))]


# every function but those that cannot fail: argument types; all return an int status
_FLOATS, _SESSION, _POLICY = c_void_p, c_void_p, c_void_p
_CALLS = {
    "bex_policy_open": [POINTER(_POLICY), c_char_p],
    "bex_policy_open_memory": [POINTER(_POLICY), c_char_p, c_size_t],
    "bex_policy_contract": [_POLICY, POINTER(_Contract)],
    "bex_session_open": [POINTER(_SESSION), _POLICY, POINTER(_Options)],
    "bex_session_begin": [_SESSION],
    "bex_session_end": [_SESSION],
    "bex_session_act": [_SESSION, _FLOATS, c_int, _FLOATS, c_int],
    "bex_session_plan": [_SESSION, _FLOATS, c_int, _FLOATS, c_int],
    "bex_session_act_seen": [_SESSION, POINTER(_Sensors), _FLOATS, c_int],
    "bex_session_plan_seen": [_SESSION, POINTER(_Sensors), _FLOATS, c_int],
    "bex_session_set": [_SESSION, c_char_p, c_char_p],
    "bex_session_get": [_SESSION, c_char_p, c_char_p, c_size_t],
    "bex_session_set_task": [_SESSION, c_int, c_int],
    "bex_session_set_seed": [_SESSION, c_uint64],
    "bex_session_save_history": [_SESSION, c_char_p],
    "bex_session_load_history": [_SESSION, c_char_p],
    "bex_session_clear_history": [_SESSION],
    "bex_session_latency": [_SESSION, POINTER(_Latency)],
    "bex_session_observe": [_SESSION, _FLOATS, c_int],
    "bex_session_observe_seen": [_SESSION, POINTER(_Sensors)],
    "bex_session_coverage": [_SESSION, POINTER(_Coverage)],
}


def _load():
    tried = []
    for name in _candidates():
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            tried.append(str(error))
            continue
        for call, arguments in _CALLS.items():
            getattr(library, call).argtypes = arguments
        library.bex_version.restype = library.bex_error_message.restype = c_char_p
        library.bex_session_history_states.argtypes = [_SESSION]
        library.bex_session_history_states.restype = c_longlong
        for close in (library.bex_policy_close, library.bex_session_close):
            close.argtypes, close.restype = [c_void_p], None
        return library
    raise ImportError("no libbex (set BEX_LIBRARY to libbex.so, or make install): " + ("; ".join(tried) or "none found"))


_library = _load()


def _call(name, *arguments):
    code = getattr(_library, name)(*(a._open() if isinstance(a, _Handle) else a for a in arguments))
    if code < 0:
        message = _library.bex_error_message().decode(errors="replace")
        raise (Misuse if code == -2 else Error)(message)


def _text(value):
    return None if value is None else os.fsencode(value)


def version() -> str:
    return _library.bex_version().decode()


class _Handle:
    """Something of the library's, closed once: by close(), `with`, or when it is forgotten."""
    _close = None

    def __init__(self):
        self._handle = c_void_p()

    def _open(self):
        if not self._handle:
            raise Misuse(f"this {type(self).__name__} is closed")
        return self._handle

    def close(self):
        handle, self._handle = self._handle, c_void_p()
        if handle:
            self._close(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()


class Policy(_Handle):
    """A trained policy: a model.safetensors, a checkpoint directory or a run (its newest checkpoint). Immutable, shared by sessions and
    threads. Sessions keep what they need of it: closing it first is fine."""
    _close = _library.bex_policy_close

    contract: Contract
    path: Optional[str]

    def __init__(self, path: Path):
        self.path = os.fspath(path)
        self._begin("bex_policy_open", _text(path))

    @classmethod
    def from_bytes(cls, data: Any) -> "Policy":
        """The bytes of a model.safetensors: bytes or anything that converts; they are not kept."""
        policy = cls.__new__(cls)
        policy.path = None
        data = bytes(data)
        policy._begin("bex_policy_open_memory", data, len(data))
        return policy

    def _begin(self, call, *source):
        super().__init__()
        self._sessions = 0
        self._closing = False
        _call(call, byref(self._handle), *source)
        self.contract = self._contract()

    def _contract(self):
        c = _Contract(size=ctypes.sizeof(_Contract))
        _call("bex_policy_contract", self, byref(c))
        values = {}
        for name in Contract.__dataclass_fields__:
            value = getattr(c, name)
            if isinstance(value, bytes):
                value = value.decode()
            elif name == "state_names":
                value = tuple(value[i].decode() for i in range(c.state)) if value else None
            elif name == "coverage_columns":
                value = tuple(value[:c.coverage_count])
            elif name.startswith("state_"):
                value = np.array(value[:c.state], dtype=np.float32)
            elif name.startswith("action_"):
                value = np.array(value[:c.action], dtype=np.float32)
            values[name] = value
        values["has_coverage"] = bool(c.has_coverage)
        return Contract(**values)

    def columns(self, choice: Union[str, int]) -> list:
        """Numbers of the columns of a key or name: columns("eef_pos"), columns("object[2]"), columns(3)."""
        names = self.contract.state_names
        if isinstance(choice, int):
            return [choice]
        if names is None:
            raise Misuse("this policy's columns have no names")
        found = [i for i, n in enumerate(names) if n == choice or n.split("[")[0] == choice]
        if not found:
            raise Misuse(f"no column '{choice}'; there are {', '.join(names)}")
        return found

    def session(self, **options: Any) -> "Session":
        """A control stream; options as for Session."""
        return Session(self, **options)

    def close(self):
        self._closing = self._sessions > 0  # the last session closes it
        if not self._closing:
            super().close()

    def _leave(self):
        self._sessions -= 1
        if self._closing and not self._sessions:
            self.close()


class Session(_Handle):
    """One control stream: episodes of states in, actions out, and the memory of past episodes.

    task, scene: labels. seed: of the random stream; None: another at every start, which a policy without history needs
    not to repeat itself after one. deadline: seconds a call may take: the search for a future is cut, and goes on in
    later plans where it can. Every other name is a setting of acting, as [deploy] of a config file has it
    (`bex train --help`): exp="q:0.95" or 0.95, history="last3", candidates=64, temperature=0.5 ... None, or not named:
    the policy's own."""
    _close = _library.bex_session_close

    contract: Contract

    def __init__(self, policy: Policy, *, task: int = 0, scene: int = 0, seed: Optional[int] = 0,
                 deadline: float = 0.0, **settings: Any):
        super().__init__()
        if seed is None:
            seed = int.from_bytes(os.urandom(8), "little")
        self._policy = None
        self.contract = policy.contract
        options = _Options(size=ctypes.sizeof(_Options), guidance=-1.0, noise=-1.0, temperature=-1.0, task=task,
                           scene=scene, seed=seed, deadline=deadline)
        _call("bex_session_open", byref(self._handle), policy, byref(options))
        self._policy = policy
        policy._sessions += 1
        try:
            for name, value in settings.items():
                if value is not None:
                    self.set(name, value)
        except Error:
            self.close()
            raise

    def close(self):
        super().close()
        policy, self._policy = self._policy, None
        if policy is not None:
            policy._leave()

    def begin(self) -> None:
        """An episode begins; one that is running is dropped."""
        _call("bex_session_begin", self)

    def end(self) -> None:
        """The episode ends and joins the history."""
        _call("bex_session_end", self)

    def _run(self, call, state, shape):
        state = np.ascontiguousarray(state, dtype=np.float32).reshape(-1)
        out = np.empty(shape, dtype=np.float32)
        _call(call, self, state.ctypes.data, state.size, out.ctypes.data, out.size)
        return out

    def _sense(self, state, images):
        """The struct, and the arrays it points to."""
        if isinstance(images, dict):
            names = self.contract.images.split(",")
            missing = [name for name in names if name not in images]
            if missing:
                raise Misuse(f"no picture of camera {missing[0]} ({self.contract.images})")
            images = [images[name] for name in names]
        pictures = []
        for picture in images:
            picture = np.asarray(picture)
            if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3:
                raise Misuse(f"a picture is uint8 (height, width, 3), not {picture.dtype} {picture.shape}")
            pictures.append(np.ascontiguousarray(picture))
        if len(pictures) > 4 or len({p.shape for p in pictures}) > 1:
            raise Misuse("pictures of at most four cameras, all of one size")
        state = np.ascontiguousarray(state, dtype=np.float32).reshape(-1)
        height, width = pictures[0].shape[:2] if pictures else (0, 0)
        sensors = _Sensors(size=ctypes.sizeof(_Sensors), state=state.ctypes.data, n_state=state.size,
                           cameras=len(pictures), height=height, width=width)
        for i, picture in enumerate(pictures):
            sensors.image[i] = picture.ctypes.data
        return sensors, (state, pictures)

    def _run_seen(self, call, state, images, shape):
        sensors, kept = self._sense(state, images)
        out = np.empty(shape, dtype=np.float32)
        _call(call, self, byref(sensors), out.ctypes.data, out.size)
        del kept
        return out

    def act(self, state, images=None):
        """The next action (action,) for this state: once a control step. images, where the policy has cameras
        (contract.images): uint8 arrays (height, width, 3) of any one size, as the demonstrations hold them, a list in
        the contract's order or a dict by name."""
        if images is None:
            return self._run("bex_session_act", state, self.contract.action)
        return self._run_seen("bex_session_act_seen", state, images, self.contract.action)

    def plan(self, state, images=None):
        """A whole chunk (chunk, action), for callers that play it themselves."""
        shape = (self.contract.chunk, self.contract.action)
        if images is None:
            return self._run("bex_session_plan", state, shape)
        return self._run_seen("bex_session_plan_seen", state, images, shape)

    def observe(self, state: Any, images: Any = None) -> None:
        """A state between plans, for callers of plan who play chunks themselves: remembered, one control step. With
        images, as act takes them, where the policy remembers what it sees (contract.seen)."""
        if images is not None:
            sensors, kept = self._sense(state, images)
            _call("bex_session_observe_seen", self, byref(sensors))
            del kept
            return
        state = np.ascontiguousarray(state, dtype=np.float32).reshape(-1)
        _call("bex_session_observe", self, state.ctypes.data, state.size)

    @property
    def coverage(self) -> Coverage:
        """The future that is followed: what was asked, expected and reached so far."""
        found = _Coverage(size=ctypes.sizeof(_Coverage))
        _call("bex_session_coverage", self, byref(found))
        n, wide = found.waypoints, found.columns
        table = np.array(found.waypoint[:n * wide], dtype=np.float32).reshape(n, wide) if n else np.zeros((0, 0), np.float32)
        values = {name: getattr(found, name) for name in Coverage.__dataclass_fields__ if name not in ("waypoints", "columns")}
        return Coverage(**values, waypoints=table, columns=tuple(found.column[:wide]) if wide else ())

    def set(self, name: str, value: Any) -> None:
        """One setting of acting, from the next plan on: set("candidates", 64). exp as a number is a quantile."""
        if name == "exp" and isinstance(value, (int, float)):
            value = f"q:{float(value):g}"
        if isinstance(value, bool):
            value = str(value).lower()
        _call("bex_session_set", self, _text(name), _text(str(value)))

    def get(self, name: str) -> str:
        """The setting in force, as text."""
        text = ctypes.create_string_buffer(160)
        _call("bex_session_get", self, _text(name), text, len(text))
        return text.value.decode()

    def set_exp(self, exp: Union[str, float]) -> None:
        self.set("exp", exp)

    def set_task(self, task: int, scene: int = 0) -> None:
        _call("bex_session_set_task", self, task, scene)

    def set_seed(self, seed: int) -> None:
        """Between episodes; episodes count from 0 again."""
        _call("bex_session_set_seed", self, seed)

    def save_history(self, path: Path) -> None:
        _call("bex_session_save_history", self, _text(path))

    def load_history(self, path: Path) -> None:
        _call("bex_session_load_history", self, _text(path))

    def clear_history(self) -> None:
        _call("bex_session_clear_history", self)

    @property
    def history_states(self) -> int:
        return _library.bex_session_history_states(self._open())

    @property
    def latency(self) -> Latency:
        found = _Latency(size=ctypes.sizeof(_Latency))
        _call("bex_session_latency", self, byref(found))
        return Latency(*(getattr(found, name) for name in Latency.__dataclass_fields__))

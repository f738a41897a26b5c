"""bex: policies that explore in context over what demonstrators did.

    import bex
    run = bex.train("demos.hdf5", steps=5000)                          # demonstrations to a policy
    found = bex.explore(run.policy, env, trials=5, episodes=8, out="explored")    # env: yours, the Gymnasium way
    with bex.Policy("runs/be") as policy, policy.session() as robot:   # on a robot, step by step
        robot.begin()
        action = robot.act(state)

Policy, Session        a trained policy, one control stream of it (libbex over ctypes, numpy in and out)
explore                the exploration protocol in any environment with reset and step; what `bex report` draws
Env, VectorEnv         bex's own worlds the Gymnasium way
train                  `bex train` with progress
save_demonstrations    episodes of yours to a file that bex reads

The library is looked for in $BEX_LIBRARY, in this package, in the source tree or installation above it, then where the
system keeps libraries; the program `bex`, which train, explore and Env need, in $BEX_PROGRAM, the same places and PATH.
Every failure raises bex.Error (bex.Misuse, a ValueError, for a wrong size, NaN or call out of order) with the library's
message. States and actions are in the demonstrations' units; any float array is converted. A session belongs to one
thread at a time; ctypes releases the GIL while the library works, so sessions in several threads run at once.
"""
from ._library import Contract, Coverage, Error, Latency, Misuse, Policy, Session, version
from .data import load_safetensors, save_demonstrations, save_safetensors
from .env import Box, Env, VectorEnv
from .explore import Exploration, explore
from .program import find_program, run_program
from .train import Run, train

__all__ = ["Box", "Contract", "Coverage", "Env", "Error", "Exploration", "Latency", "Misuse", "Policy", "Run", "Session",
           "VectorEnv", "explore", "find_program", "load_safetensors", "run_program", "save_demonstrations",
           "save_safetensors", "train", "version"]
__version__ = version()

#!/usr/bin/python3
"""From an environment of your own to a policy that explores it, top to bottom:

    python3 newcomer.py [FOLDER] [UPDATES]        newcomer/ and 1500: some minutes on two cores

Four rooms round a hall; whoever recorded the demonstrations went from the hall into one room, now this, now that. After
training the policy goes into rooms as they did, and, told what it has seen, each time into another.
"""
import pathlib
import sys
import webbrowser

import numpy as np

import bex


class Rooms:
    """Your environment: reset and step as in Gymnasium. States x, y, vx, vy; actions a push in x and y."""
    name = "rooms"
    doors = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 3.0], [0.0, -3.0]])

    def reset(self, *, seed=None, options=None):
        self.rng = np.random.default_rng(seed)
        self.place, self.speed, self.steps = self.rng.normal(0, 0.1, 2), np.zeros(2), 0
        return self.state(), {}

    def state(self):
        return np.concatenate([self.place, self.speed]).astype(np.float32)

    def step(self, action):
        self.speed = 0.9 * self.speed + 0.1 * np.clip(action, -1, 1)
        place = self.place + 0.25 * self.speed
        # a cross of corridors one wide: what is left of it is wall
        if min(abs(place)) < 0.5 and max(abs(place)) < 4:
            self.place = place
        else:
            self.speed[:] = 0
        self.steps += 1
        return self.state(), 0.0, False, self.steps >= 60, {}


def demonstrate(env, seed):
    """You, showing how it is done: to a door drawn at random, not quite straight."""
    state, _ = env.reset(seed=seed)
    door, states, actions, over = env.doors[env.rng.choice(4, p=[0.4, 0.3, 0.2, 0.1])], [], [], False
    while not over:
        action = np.clip(1.5 * (door - state[:2]) - 0.5 * state[2:] + env.rng.normal(0, 0.2, 2), -1, 1)
        states.append(state), actions.append(action)
        state, _, ended, cut, _ = env.step(action)
        over = ended or cut
    return {"observations": states, "actions": actions}


def main(folder="newcomer", updates=1500):
    folder = pathlib.Path(folder)
    folder.mkdir(exist_ok=True)
    env, demos = Rooms(), folder / "demos.safetensors"

    # 1. record: states and actions of each episode, and what the columns are
    bex.save_demonstrations(demos, [demonstrate(env, seed) for seed in range(200)], columns=["x", "y", "vx", "vy"])

    # 2. train: what is not said is chosen from the file, with a reason each
    run = bex.train(demos, folder / "run", steps=int(updates), force=True)
    print(run.chosen)

    # 3. let it explore; judged by what it saw, written as bex's own explorations are
    found = bex.explore(run.policy, env, trials=4, episodes=6, out=folder / "explored", demonstrations=demos, force=True)
    rooms = [len({int(np.argmin(np.abs(env.doors - e["final"][:2]).sum(1))) for e in found.episodes if e["trial"] == t})
             for t in range(4)]
    print(f"rooms entered in six episodes, of four: {rooms}; regions visited: {found.coverage['regions_visited']}, "
          f"the demonstrations have {found.coverage['regions_demonstrated']}; planning takes {1e3 * found.latency.p50:.1f} ms")

    # 4. the page
    page = found.report()
    print(page)
    if sys.stdout.isatty():
        webbrowser.open(pathlib.Path(page).resolve().as_uri())


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except bex.Error as error:
        sys.exit(f"newcomer: {error}")

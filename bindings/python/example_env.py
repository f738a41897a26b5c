#!/usr/bin/python3
"""A policy against an environment of your own: any class with reset() and step(action).

    python3 example_env.py runs/be/checkpoints/last [episodes] [steps]

PointMass stands for yours: states (x, y, vx, vy), actions (fx, fy), as in Maze2D.
"""
import sys

import numpy as np

import bex


class PointMass:
    """A mass in a square room, in steps of 20 ms."""
    state, action = 4, 2

    def reset(self):
        self.position, self.velocity = np.zeros(2), np.zeros(2)
        return np.concatenate([self.position, self.velocity])

    def step(self, force):
        self.velocity += 0.02 * (np.asarray(force) - 0.1 * self.velocity)
        position = self.position + 0.02 * self.velocity
        self.position = np.clip(position, -5, 5)
        self.velocity[self.position != position] = 0
        return np.concatenate([self.position, self.velocity])


def main(model, episodes=5, steps=200):
    env = PointMass()
    with bex.Policy(model) as policy:
        expects = policy.contract
        if (expects.state, expects.action) != (env.state, env.action):
            sys.exit(f"the policy has states of {expects.state}, actions of {expects.action}; "
                     f"the environment {env.state} and {env.action}")
        with policy.session(exp="q:0.95", seed=1, deadline=0.02) as robot:
            for episode in range(episodes):
                robot.begin()
                state = env.reset()
                for _ in range(steps):
                    state = env.step(robot.act(state))
                robot.end()
                print(f"episode {episode + 1}: ended at ({state[0]:.2f}, {state[1]:.2f}), "
                      f"{robot.history_states} states remembered")
            t = robot.latency
            print(f"planning takes {1e3 * t.p50:.2f} ms (p99 {1e3 * t.p99:.2f}, max {1e3 * t.max:.2f}), "
                  f"{t.missed} of {t.calls} calls late")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1], *map(int, sys.argv[2:4]))
    except bex.Error as error:
        sys.exit(f"example_env: {error}")

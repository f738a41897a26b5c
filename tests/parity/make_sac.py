#!/usr/bin/python3
"""Goldens of tests/agent/test_actor_critic.c: three updates of SAC, plain and as RLPD has it.

    /usr/bin/python3 tests/parity/make_sac.py tests/golden

Losses of critics, actor and temperature, first gradients, values after the third update, targets included. Written
from the equations in docs/agents/sac.md, independently of the C code, in float64 on float32-rounded inputs.
"""
import math
import os
import sys

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_goldens import save  # noqa: E402

O, A, B, STEPS = 5, 3, 12, 3
ACTOR, CRITIC = (16, 12), (14, 10)
GAMMA, TAU, LR = 0.97, 0.05, 1e-3
VARIANTS = {
    "sac": dict(E=2, subsets=[[0, 1]] * STEPS, norm=False, backup=True, mean=False, alpha=0.7, entropy=-1.5),
    "rlpd": dict(E=10, subsets=[[3, 1], [0, 9], [7, 3]], norm=True, backup=False, mean=True, alpha=0.05, entropy=-1.0),
}


def parameters(v):
    g = torch.Generator().manual_seed(11)

    def uniform(*shape, bound):
        return ((torch.rand(shape, generator=g) * 2 - 1) * bound).float().double()

    actor, critic, wide = {}, {}, O
    for i, w in enumerate(ACTOR):
        actor[f"fc{i}.weight"], actor[f"fc{i}.bias"] = uniform(w, wide, bound=0.5), uniform(w, bound=0.3)
        wide = w
    for head in ("mean", "log_std"):
        actor[head + ".weight"], actor[head + ".bias"] = uniform(A, wide, bound=0.5), uniform(A, bound=0.3)
    actor["log_std.bias"][0] = 3.0  # some rows are clamped at 2
    wide = O + A
    for i, w in enumerate(CRITIC + (1,)):
        c = f"critic.{i}."
        critic[c + "weight"], critic[c + "bias"] = uniform(v["E"], w, wide, bound=0.5), uniform(v["E"], w, bound=0.3)
        if v["norm"] and i < len(CRITIC):
            critic[c + "norm.weight"] = 1 + uniform(v["E"], w, bound=0.3)
            critic[c + "norm.bias"] = uniform(v["E"], w, bound=0.3)
        wide = w
    critic = {k: x.float().double() for k, x in critic.items()}
    target = {k: (x + uniform(*x.shape, bound=0.1)).float().double() for k, x in critic.items()}
    for p in (actor, critic):
        for x in p.values():
            x.requires_grad_()
    return actor, critic, target


def act(p, s, noise):
    for i in range(len(ACTOR)):
        s = torch.relu(s @ p[f"fc{i}.weight"].T + p[f"fc{i}.bias"])
    mean = s @ p["mean.weight"].T + p["mean.bias"]
    log_std = (s @ p["log_std.weight"].T + p["log_std.bias"]).clamp(-20, 2)
    z = mean + log_std.exp() * noise
    u = torch.tanh(z)
    logp = (-0.5 * ((z - mean) / log_std.exp()) ** 2 - log_std - 0.5 * math.log(2 * math.pi)).sum(-1)
    # 1 - tanh(z)^2 = 1 / cosh(z)^2; float64 cannot subtract there beyond |z| = 18
    log_cosh = z.abs() + torch.log1p(torch.exp(-2 * z.abs())) - math.log(2)
    return u, logp + 2 * log_cosh.sum(-1)


def value(p, s, u):
    """(E,B)"""
    x = torch.cat([s, u], -1)[None]
    for i in range(len(CRITIC) + 1):
        c = f"critic.{i}."
        x = x @ p[c + "weight"].transpose(1, 2) + p[c + "bias"][:, None]
        if i == len(CRITIC):
            return x[..., 0]
        if c + "norm.weight" in p:
            m, d = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
            x = (x - m) / (d + 1e-6).sqrt() * p[c + "norm.weight"][:, None] + p[c + "norm.bias"][:, None]
        x = torch.relu(x)


def run(v):
    actor, critic, target = parameters(v)
    log_alpha = torch.tensor([math.log(v["alpha"])]).float().double().requires_grad_()
    g = torch.Generator().manual_seed(12)
    data = {"obs": torch.randn(STEPS, B, O, generator=g), "act": torch.rand(STEPS, B, A, generator=g) * 2 - 1,
            "reward": torch.randn(STEPS, B, generator=g), "next": torch.randn(STEPS, B, O, generator=g),
            "mask": (torch.rand(STEPS, B, generator=g) > 0.25).float(),
            "noise": torch.randn(STEPS, B, A, generator=g), "noise_next": torch.randn(STEPS, B, A, generator=g)}
    data = {k: x.float().double() for k, x in data.items()}
    out = {k: x.numpy().astype(np.float32) for k, x in data.items()}
    out["subset"] = np.array(v["subsets"], dtype=np.float32)
    out["log_temperature"] = log_alpha.detach().numpy().astype(np.float32)
    for prefix, p in (("actor.", actor), ("critics.", critic), ("targets.", target)):
        out.update({prefix + k: x.detach().numpy().astype(np.float32) for k, x in p.items()})
    adam = {k: torch.optim.Adam(p, lr=LR) for k, p in
            (("critic", list(critic.values())), ("actor", list(actor.values())), ("alpha", [log_alpha]))}
    losses = {"critic_losses": [], "actor_losses": [], "entropies": [], "temperatures": [], "qs": []}
    for n in range(STEPS):
        d = {k: x[n] for k, x in data.items()}
        with torch.no_grad():
            u, logp = act(actor, d["next"], d["noise_next"])
            q = value(target, d["next"], u)[v["subsets"][n]].min(0).values
            if v["backup"]:
                q = q - log_alpha.exp() * logp
            y = d["reward"] + GAMMA * d["mask"] * q
        q = value(critic, d["obs"], d["act"])
        loss = ((q - y[None]) ** 2).mean()
        adam["critic"].zero_grad()
        loss.backward()
        losses["critic_losses"].append(loss.item())
        losses["qs"].append(q.mean().item())
        if n == 0:
            out.update({"grad.critics." + k: x.grad.numpy().astype(np.float32) for k, x in critic.items()})
        adam["critic"].step()
        with torch.no_grad():
            for k in target:
                target[k] += TAU * (critic[k] - target[k])
        u, logp = act(actor, d["obs"], d["noise"])
        q = value({k: x.detach() for k, x in critic.items()}, d["obs"], u)
        q = q.mean(0) if v["mean"] else q.min(0).values
        loss = (log_alpha.exp().detach() * logp - q).mean()
        adam["actor"].zero_grad()
        loss.backward()
        losses["actor_losses"].append(loss.item())
        if n == 0:
            out.update({"grad.actor." + k: x.grad.numpy().astype(np.float32) for k, x in actor.items()})
        adam["actor"].step()
        entropy = -logp.mean().item()
        loss = log_alpha.exp().sum() * (entropy - v["entropy"])
        adam["alpha"].zero_grad()
        loss.backward()
        adam["alpha"].step()
        losses["entropies"].append(entropy)
        losses["temperatures"].append(log_alpha.exp().item())
    out.update({k: np.array(x) for k, x in losses.items()})
    for prefix, p in (("after.actor.", actor), ("after.critics.", critic), ("after.targets.", target)):
        out.update({prefix + k: x.detach().numpy() for k, x in p.items()})
    return out, losses


def main(folder):
    torch.set_num_threads(1)
    for name, v in VARIANTS.items():
        out, losses = run(v)
        path = os.path.join(folder, f"{name}.safetensors")
        save(path, out, {"torch": torch.__version__, "command": "tests/parity/make_sac.py"})
        print(f"{path}: critic {losses['critic_losses']}, actor {losses['actor_losses']}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")

#!/usr/bin/python3
"""Goldens of tests/model/test_skills_parity.c: SUPE's autoencoder, HILP's networks, RND with reward and mask networks.

    /usr/bin/python3 tests/parity/make_skills.py tests/golden

Three Adam steps of each: losses, first gradients, values after the third (HILP: followers too); and densities of
tanh-Gaussian actions that are saturated. Written from the equations in docs/agents/supe.md, hilp.md and rnd.md,
independently of the C code, in float64 on float32-rounded inputs.
"""
import math
import os
import sys

import numpy as np
import torch
from torch.nn import functional

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_goldens import save  # noqa: E402

STEPS, LR = 3, 1e-3
VAE = dict(O=4, A=3, Z=2, T=4, H=8, B=5, weight=0.1)
HILP = dict(O=4, A=3, Z=3, H=(10, 8), B=6, gamma=0.97, tau=0.05)
RND = dict(X=5, H=(9, 7), F=6, B=7)
gen = torch.Generator()


def uniform(*shape, bound=0.5):
    return ((torch.rand(shape, generator=gen) * 2 - 1) * bound).float().double()


def layers(prefix, sizes, members=0, norm=False):
    """Linear layers by bex's names."""
    p, lead = {}, (members,) if members else ()
    for i, (k, n) in enumerate(zip(sizes, sizes[1:])):
        p[f"{prefix}.{i}.weight"], p[f"{prefix}.{i}.bias"] = uniform(*lead, n, k), uniform(*lead, n, bound=0.3)
        if norm and i + 2 < len(sizes):
            p[f"{prefix}.{i}.norm.weight"] = (1 + uniform(*lead, n, bound=0.3)).float().double()
            p[f"{prefix}.{i}.norm.bias"] = uniform(*lead, n, bound=0.3)
    return p


def heads(prefix, i, hidden, o, free=False):
    p, wide = {}, i
    for k, w in enumerate(hidden):
        p[f"{prefix}.fc{k}.weight"], p[f"{prefix}.fc{k}.bias"] = uniform(w, wide), uniform(w, bound=0.3)
        wide = w
    p[f"{prefix}.mean.weight"], p[f"{prefix}.mean.bias"] = uniform(o, wide), uniform(o, bound=0.3)
    if free:
        p[f"{prefix}.log_std"] = uniform(o)
    else:
        p[f"{prefix}.log_std.weight"], p[f"{prefix}.log_std.bias"] = uniform(o, wide), uniform(o, bound=0.3)
    return p


def gaussian(p, prefix, x, low):
    k = 0
    while f"{prefix}.fc{k}.weight" in p:
        x = torch.relu(functional.linear(x, p[f"{prefix}.fc{k}.weight"], p[f"{prefix}.fc{k}.bias"]))
        k += 1
    mean = functional.linear(x, p[f"{prefix}.mean.weight"], p[f"{prefix}.mean.bias"])
    if f"{prefix}.log_std" in p:
        std = p[f"{prefix}.log_std"].expand_as(mean)
    else:
        std = functional.linear(x, p[f"{prefix}.log_std.weight"], p[f"{prefix}.log_std.bias"])
    return mean, std.clamp(low, 2)


def density(a, mean, log_std):
    return (-0.5 * ((a - mean) / log_std.exp()) ** 2 - log_std - 0.5 * math.log(2 * math.pi)).sum(-1)


def record(out, prefix, p):
    out.update({prefix + k: x.detach().numpy().astype(np.float32) for k, x in p.items()})


def learn(out, params, loss_of, after=None):
    """Three steps; loss_of(n) gives the loss and named numbers of it."""
    adam, told = torch.optim.Adam(list(params.values()), lr=LR), {}
    for n in range(STEPS):
        loss, numbers = loss_of(n)
        adam.zero_grad()
        loss.backward()
        if n == 0:
            out.update({"grad." + k: x.grad.numpy().astype(np.float32) for k, x in params.items()})
        if after:
            after()
        adam.step()
        for k, x in {"loss": loss, **numbers}.items():
            told.setdefault(k, []).append(float(x))
    out.update({"told." + k: np.array(x) for k, x in told.items()})
    out.update({"after." + k: x.detach().numpy() for k, x in params.items()})
    return told


# ---- SUPE ----

def gru(p, name, x, backwards):
    """(B,T,K) -> (B,T,H), flax's cell."""
    W, b, U, c = (p[f"{name}.{k}"] for k in "WbUc")
    h, states = torch.zeros(x.shape[0], c.shape[0], dtype=x.dtype), [None] * x.shape[1]
    for t in reversed(range(x.shape[1])) if backwards else range(x.shape[1]):
        r = torch.sigmoid(x[:, t] @ W[0].T + b[0] + h @ U[0].T)
        g = torch.sigmoid(x[:, t] @ W[1].T + b[1] + h @ U[1].T)
        n = torch.tanh(x[:, t] @ W[2].T + b[2] + r * (h @ U[2].T + c))
        h = (1 - g) * n + g * h
        states[t] = h
    return torch.stack(states, 1)


def make_vae():
    v = VAE
    O, A, Z, T, H, B = (v[k] for k in "OAZTHB")
    gen.manual_seed(21)
    p = layers("encoder.state", (O, H, H))
    for i in range(2):
        for way in ("forward", "backward"):
            name, k = f"encoder.gru.{i}.{way}", 2 * H if i else H + A
            p[f"{name}.W"], p[f"{name}.b"] = uniform(3, H, k), uniform(3, H, bound=0.3)
            p[f"{name}.U"], p[f"{name}.c"] = uniform(3, H, H), uniform(H, bound=0.3)
    p["encoder.out.weight"], p["encoder.out.bias"] = uniform(2 * Z, T * 2 * H), uniform(2 * Z, bound=0.3)
    p.update(heads("prior", O, (H, H), Z))
    p.update(heads("decoder", O + Z, (H, H), A))
    p = {k: x.requires_grad_() for k, x in p.items()}
    data = {"obs": torch.randn(STEPS, B, T, O, generator=gen), "act": torch.rand(STEPS, B, T, A, generator=gen) * 2 - 1,
            "noise": torch.randn(STEPS, B, Z, generator=gen)}
    data = {k: x.float().double() for k, x in data.items()}
    out = {k: x.numpy().astype(np.float32) for k, x in data.items()}
    record(out, "param.", p)

    def loss_of(n):
        s, a, noise = (data[k][n] for k in ("obs", "act", "noise"))
        x = torch.relu(functional.linear(s, p["encoder.state.0.weight"], p["encoder.state.0.bias"]))
        x = torch.relu(functional.linear(x, p["encoder.state.1.weight"], p["encoder.state.1.bias"]))
        x = torch.cat([x, a], -1)
        for i in range(2):
            x = torch.cat([gru(p, f"encoder.gru.{i}.forward", x, False),
                           gru(p, f"encoder.gru.{i}.backward", x, True)], -1)
        m, v2 = functional.linear(x.flatten(1), p["encoder.out.weight"], p["encoder.out.bias"]).chunk(2, -1)
        z = m + torch.exp(v2 / 2) * noise
        mean, log_std = gaussian(p, "decoder", torch.cat([s, z[:, None].expand(-1, T, -1)], -1), -20)
        reconstruction = -density(a, mean, log_std).mean()
        q = torch.distributions.Normal(m, torch.exp(v2 / 2))
        pm, ps = gaussian(p, "prior", s[:, 0], -20)
        divergence = torch.distributions.kl_divergence(q, torch.distributions.Normal(pm, ps.exp())).sum(-1).mean()
        return reconstruction + v["weight"] * divergence, {"reconstruction": reconstruction, "divergence": divergence}

    return out, learn(out, p, loss_of)


# ---- HILP ----

def tower(p, prefix, x):
    """Linear, GELU (tanh form), norm; the last is linear. Ensembles: (E,M,.)"""
    i = 0
    while f"{prefix}.{i}.weight" in p:
        w, b = p[f"{prefix}.{i}.weight"], p[f"{prefix}.{i}.bias"]
        x = x @ w.transpose(-1, -2) + (b[:, None] if w.dim() == 3 else b)
        if f"{prefix}.{i}.norm.weight" in p:
            x = functional.gelu(x, approximate="tanh")
            g, c = p[f"{prefix}.{i}.norm.weight"], p[f"{prefix}.{i}.norm.bias"]
            m, d = x.mean(-1, keepdim=True), x.var(-1, unbiased=False, keepdim=True)
            x = (x - m) / (d + 1e-6).sqrt() * (g[:, None] if w.dim() == 3 else g) + (c[:, None] if w.dim() == 3 else c)
        i += 1
    return x


def expectile(sign, x, tau):
    return torch.where(sign < 0, 1 - tau, tau) * x ** 2


def make_hilp():
    v = HILP
    O, A, Z, H, B, gamma = (v[k] for k in ("O", "A", "Z", "H", "B", "gamma"))
    gen.manual_seed(22)
    p = layers("phi", (O, *H, Z), 2, True)
    p.update(layers("value", (O + Z, *H, 1), 0, True))
    p.update(layers("critic", (O + Z + A, *H, 1), 2, True))
    p.update(heads("actor", O + Z, H, A, True))
    target = {k: (x + uniform(*x.shape, bound=0.1)).float().double() for k, x in p.items()}
    p = {k: x.requires_grad_() for k, x in p.items()}
    data = {k: torch.randn(STEPS, B, w, generator=gen) for k, w in (("obs", O), ("next", O), ("goal", O), ("skill", Z))}
    data["skill"] = data["skill"] / data["skill"].norm(dim=-1, keepdim=True)
    data["act"] = torch.rand(STEPS, B, A, generator=gen) * 2 - 1
    data["goal"][:, 0] = data["obs"][:, 0]  # reached: reward 0, mask 0
    data["mask"] = torch.ones(STEPS, B)
    data["mask"][:, 0] = 0
    data = {k: x.float().double() for k, x in data.items()}
    data["reward"] = -data["mask"]
    out = {k: x.numpy().astype(np.float32) for k, x in data.items()}
    record(out, "param.", p)
    record(out, "target.", target)

    def distance(q, s, g):
        off = ((tower(q, "phi", s[None]) - tower(q, "phi", g[None])) ** 2).sum(-1)
        return -torch.sqrt(off.clamp(min=1e-6))

    def loss_of(n):
        s, s2, g, z, a, r, m = (data[k][n] for k in ("obs", "next", "goal", "skill", "act", "reward", "mask"))
        with torch.no_grad():
            after, now = distance(target, s2, g), distance(target, s, g)
            advantage = r + gamma * m * after.min(0).values - now.mean(0)
            rho = ((tower(p, "phi", s2[None]) - tower(p, "phi", s[None]))[0] * z).sum(-1)
            least = tower(target, "critic", torch.cat([s, z, a], -1)[None])[..., 0].min(0).values
            y = rho + gamma * tower(p, "value", torch.cat([s2, z], -1))[:, 0]
        first, second = [expectile(advantage, r + gamma * m * after[i] - distance(p, s, g)[i], 0.95).mean()
                         for i in range(2)]
        value = tower(p, "value", torch.cat([s, z], -1))[:, 0]
        of_value = expectile((least - value).detach(), least - value, 0.9).mean()
        q = tower(p, "critic", torch.cat([s, z, a], -1)[None])[..., 0]
        critics = ((q - y) ** 2).mean(1).sum()
        mean, log_std = gaussian(p, "actor", torch.cat([s, z], -1), -5)
        weight = torch.exp(10 * (least - value.detach())).clamp(max=100)
        actor = -(weight * density(a, mean, log_std)).mean()
        return first + second + of_value + critics + actor, {"first": first, "second": second, "value": of_value,
                                                             "critics": critics, "actor": actor}

    def follow():
        with torch.no_grad():
            for k in target:
                target[k] += v["tau"] * (p[k] - target[k])

    told = learn(out, p, loss_of, follow)
    out.update({"after_target." + k: x.numpy() for k, x in target.items()})
    return out, told


# ---- novelty, reward and mask ----

def plain(p, prefix, x):
    i = 0
    while f"{prefix}.{i}.weight" in p:
        x = functional.linear(x, p[f"{prefix}.{i}.weight"], p[f"{prefix}.{i}.bias"])
        i += 1
        if f"{prefix}.{i}.weight" in p:
            x = torch.relu(x)
    return x


def make_rnd():
    X, H, F, B = (RND[k] for k in ("X", "H", "F", "B"))
    gen.manual_seed(23)
    predictor, target = layers("predictor", (X, *H, F)), layers("target", (X, *H, F))
    model = {**layers("reward", (X, *H, 1)), **layers("mask", (X, *H, 1))}
    learned = {k: x.requires_grad_() for k, x in {**predictor, **model}.items()}
    data = {"x": torch.randn(STEPS, B, X, generator=gen), "reward": torch.randn(STEPS, B, generator=gen),
            "mask": (torch.rand(STEPS, B, generator=gen) > 0.3).float()}
    data = {k: x.float().double() for k, x in data.items()}
    out = {k: x.numpy().astype(np.float32) for k, x in data.items()}
    record(out, "param.", learned)
    record(out, "target.", target)

    def loss_of(n):
        x, r, m = data["x"][n], data["reward"][n], data["mask"][n]
        error = ((plain(learned, "predictor", x) - plain(target, "target", x)) ** 2).mean(-1)
        if n == 0:
            out["error"] = error.detach().numpy()
        novelty = error[0]  # one transition a step
        reward = ((plain(learned, "reward", x)[:, 0] - r) ** 2).mean()
        mask = functional.binary_cross_entropy_with_logits(plain(learned, "mask", x)[:, 0], m)
        return novelty + reward + mask, {"novelty": novelty, "reward": reward, "mask": mask}

    told = learn(out, learned, loss_of)
    # log pi(tanh z), z up to 12 deviations out: |u| rounds to 1
    z = torch.tensor([[0.0, 0.3, -0.7], [6.1, -6.1, 3.0], [12.0, -9.5, 0.1], [40.0, -40.0, 20.0]]).double()
    mean, log_std = torch.full_like(z, 0.25), torch.tensor([0.5, 1.0, -0.5]).double().expand_as(z)
    log_cosh = z.abs() + torch.log1p(torch.exp(-2 * z.abs())) - math.log(2)
    out["z"], out["z_mean"] = z.numpy().astype(np.float32), mean.numpy().astype(np.float32)
    out["z_log_std"] = log_std.numpy().astype(np.float32)
    out["z_logp"] = (density(z.float().double(), mean, log_std) + 2 * log_cosh.sum(-1)).numpy()
    return out, told


def main(folder):
    torch.set_num_threads(1)
    for name, make in (("supe", make_vae), ("hilp", make_hilp), ("rnd", make_rnd)):
        out, told = make()
        path = os.path.join(folder, f"{name}.safetensors")
        save(path, out, {"torch": torch.__version__, "command": "tests/parity/make_skills.py"})
        print(f"{path}: {told['loss']}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")

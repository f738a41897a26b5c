#!/usr/bin/python3
"""Goldens of tests/policy/test_parity.c: the diffusion-transformer policy, full and prefix mode, and one that sees.

    /usr/bin/python3 tests/parity/make_policy.py tests/golden

Forward, loss, every gradient, three AdamW steps, and a guided DDIM chunk from given noise. Written from the
equations in docs/model.md, independently of the C code, in float64 on float32-rounded inputs.
"""
import os
import sys

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_goldens import gelu, layernorm, save  # noqa: E402

O, A, K, C, F, H, L, T, N = 5, 3, 4, 16, 24, 2, 2, 8, 6
B, G = 6, 3
TASKS, STEPS, DDIM, GUIDANCE = 3, 3, 8, 2.5
LR, BETAS, EPS, DECAY = 1e-3, (0.95, 0.999), 1e-8, 1e-6
# pictures: two cameras, one ResNet-18 of width 4 with group norm (2 groups), a token for each of its 2 x 2 last places
CAMERAS, HEIGHT, WIDTH, WIDE, GROUPS, PLACES = 2, 33, 36, 4, 2, 4
silu = torch.nn.functional.silu


def resnet_layers():
    """(conv, norm, out, in, kernel) of a ResNet-18, torchvision's names."""
    yield "conv1", "bn1", WIDE, 3, 7
    before = WIDE
    for stage in range(4):
        n = WIDE << stage
        for i in range(2):
            b = f"layer{stage + 1}.{i}."
            yield b + "conv1", b + "bn1", n, before, 3
            yield b + "conv2", b + "bn2", n, n, 3
            if n != before:
                yield b + "downsample.0", b + "downsample.1", n, before, 1
            before = n


def parameters(sees=False):
    g = torch.Generator().manual_seed(3)
    p = {}

    def add(name, *shape, bound=0.3):
        p[name] = (torch.rand(shape, generator=g) * 2 - 1) * bound

    for token, width in (("state", O), ("coverage", 1), ("task", TASKS), ("timestep", 1), ("history", O)):
        add(f"token.{token}.weight", C, width)
        add(f"token.{token}.bias", C)
    add("token.null", C)
    if sees:
        for camera in range(CAMERAS):
            add(f"token.camera{camera}.weight", C, 8 * WIDE)
            add(f"token.camera{camera}.bias", C)
            add(f"token.camera{camera}.place", PLACES, C)
        for conv, norm, n, c, k in resnet_layers():
            add(f"vision.{conv}.weight", n, k, k, c, bound=(3 / (k * k * c)) ** 0.5)
            add(f"vision.{norm}.weight", n)
            p[f"vision.{norm}.weight"] += 1
            add(f"vision.{norm}.bias", n)
    for side in ("encoder", "decoder"):
        for i in range(L):
            b = f"{side}.{i}."
            for name, shape in (("self_attn.in_proj_weight", (3 * C, C)), ("self_attn.in_proj_bias", (3 * C,)),
                                ("self_attn.out_proj.weight", (C, C)), ("self_attn.out_proj.bias", (C,)),
                                ("linear1.weight", (F, C)), ("linear1.bias", (F,)),
                                ("linear2.weight", (C, F)), ("linear2.bias", (C,)),
                                ("norm1.weight", (C,)), ("norm1.bias", (C,)),
                                ("norm2.weight", (C,)), ("norm2.bias", (C,))):
                add(b + name, *shape)
                if name.startswith("norm") and name.endswith("weight"):
                    p[b + name] += 1
            if side == "decoder":
                add(b + "modulation.weight", 4, C, C)
                add(b + "modulation.bias", 4, C)
                add(b + "gate.weight", 2, C, C)
                add(b + "gate.bias", 2, C)
    for name, shape in (("time.0.weight", (C, T)), ("time.0.bias", (C,)), ("time.1.weight", (C, C)),
                        ("time.1.bias", (C,)), ("action.0.weight", (A, A)), ("action.0.bias", (A,)),
                        ("action.1.weight", (C, A)), ("action.1.bias", (C,)), ("position", (K, C)),
                        ("final.modulation.weight", (2, C, C)), ("final.modulation.bias", (2, C)),
                        ("final.linear.weight", (A, C)), ("final.linear.bias", (A,))):
        add("decoder." + name, *shape)
    return {k: v.float().double().requires_grad_() for k, v in p.items()}


def linear(p, name, x):
    return x @ p[name + ".weight"].T + p[name + ".bias"]


def attend(q, k, v):
    """(b,t,C) -> (b,t,C), heads of C/H."""
    def split(x):
        return x.view(x.shape[0], x.shape[1], H, C // H).transpose(1, 2)
    w = torch.softmax(split(q) @ split(k).transpose(-1, -2) / (C // H) ** 0.5, -1)
    return (w @ split(v)).transpose(1, 2).reshape(q.shape)


def projections(p, b, x):
    qkv = x @ p[b + "self_attn.in_proj_weight"].T + p[b + "self_attn.in_proj_bias"]
    return qkv.chunk(3, -1)


def encoder_rest(p, b, x, a):
    x = layernorm(x + linear(p, b + "self_attn.out_proj", a), p[b + "norm1.weight"], p[b + "norm1.bias"])
    h = linear(p, b + "linear2", gelu(linear(p, b + "linear1", x)))
    return layernorm(x + h, p[b + "norm2.weight"], p[b + "norm2.bias"])


def layer(p, conv, norm, x, stride):
    w = p[f"vision.{conv}.weight"].permute(0, 3, 1, 2)
    x = torch.nn.functional.conv2d(x, w, stride=stride, padding=w.shape[-1] // 2)
    return torch.nn.functional.group_norm(x, GROUPS, p[f"vision.{norm}.weight"], p[f"vision.{norm}.bias"], 1e-5)


def look(p, pixels):
    """(b,H,W,3) -> (b,places,features)."""
    x = torch.relu(layer(p, "conv1", "bn1", pixels.permute(0, 3, 1, 2), 2))
    x = torch.nn.functional.max_pool2d(x, 3, 2, 1)
    for stage in range(4):
        for i in range(2):
            b, stride = f"layer{stage + 1}.{i}.", 2 if stage and not i else 1
            h = torch.relu(layer(p, b + "conv1", b + "bn1", x, stride))
            skip = layer(p, b + "downsample.0", b + "downsample.1", x, stride) if stage and not i else x
            x = torch.relu(layer(p, b + "conv2", b + "bn2", h, 1) + skip)
    return x.flatten(2).transpose(1, 2)


def encode(p, mode, data, hidden):
    """Pooled vectors, one (B,C) for each block."""
    cov = linear(p, "token.coverage", data["coverage"][:, None])
    cov = torch.where(hidden[:, None] > 0, p["token.null"][None], cov)
    hot = torch.nn.functional.one_hot(data["task"].long(), TASKS).double()
    query = torch.stack([linear(p, "token.state", data["state"]), cov, linear(p, "token.task", hot),
                         linear(p, "token.timestep", data["timestep"][:, None])], 1)
    for camera in range(CAMERAS if "pixels" in data else 0):
        seen = linear(p, f"token.camera{camera}", look(p, data["pixels"][camera]))
        query = torch.cat([query, seen + p[f"token.camera{camera}.place"]], 1)
    history = linear(p, "token.history", data["history"])  # (G,N,C)
    pooled = []
    per = B // G
    if mode == "full":
        x = torch.cat([query, history.repeat_interleave(per, 0)], 1)
        for i in range(L):
            b = f"encoder.{i}."
            x = encoder_rest(p, b, x, attend(*projections(p, b, x)))
            pooled.append(x.mean(1))
        return pooled
    for i in range(L):
        b = f"encoder.{i}."
        hq, hk, hv = projections(p, b, history)
        q, k, v = projections(p, b, query)
        keys = torch.cat([hk.repeat_interleave(per, 0), k], 1)
        values = torch.cat([hv.repeat_interleave(per, 0), v], 1)
        w = torch.softmax(q.view(B, -1, H, C // H).transpose(1, 2)
                          @ keys.view(B, -1, H, C // H).transpose(1, 2).transpose(-1, -2) / (C // H) ** 0.5, -1)
        a = (w @ values.view(B, -1, H, C // H).transpose(1, 2)).transpose(1, 2).reshape(query.shape)
        history = encoder_rest(p, b, history, attend(hq, hk, hv))
        query = encoder_rest(p, b, query, a)
        pooled.append(query.mean(1))
    return pooled


def denoise(p, x, step, pooled):
    half = T // 2
    w = torch.exp(-torch.arange(half, dtype=torch.float64) * np.log(10000.0) / (half - 1))
    angle = step.double()[:, None] * w
    t = torch.cat([angle.cos(), angle.sin()], -1)
    t = linear(p, "decoder.time.1", silu(linear(p, "decoder.time.0", t)))
    x = linear(p, "decoder.action.1", gelu(linear(p, "decoder.action.0", x))) + p["decoder.position"]

    def members(name, s):
        return [s @ w.T + b for w, b in zip(p[name + ".weight"], p[name + ".bias"])]

    for i in range(L):
        b = f"decoder.{i}."
        s = silu(pooled[i] + t)
        scale1, shift1, scale2, shift2 = (m[:, None] for m in members(b + "modulation", s))
        gate1, gate2 = (m[:, None] for m in members(b + "gate", s))
        u = layernorm(x, p[b + "norm1.weight"], p[b + "norm1.bias"]) * scale1 + shift1
        x = x + gate1 * linear(p, b + "self_attn.out_proj", attend(*projections(p, b, u)))
        v = layernorm(x, p[b + "norm2.weight"], p[b + "norm2.bias"]) * scale2 + shift2
        x = x + gate2 * linear(p, b + "linear2", gelu(linear(p, b + "linear1", v)))
    shift, scale = (m[:, None] for m in members("decoder.final.modulation", silu(pooled[L - 1] + t)))
    return linear(p, "decoder.final.linear", x * scale + shift)


def alpha_bars():
    def bar(u):
        return np.cos((u + 0.008) / 1.008 * np.pi / 2) ** 2
    betas = [min(1 - bar((i + 1) / 100) / bar(i / 100), 0.999) for i in range(100)]
    return np.cumprod(1 - np.array(betas))


def ddim(p, mode, data):
    bars = alpha_bars()
    steps = [i * (100 // DDIM) for i in range(DDIM)][::-1]
    x = data["noise"].clone()
    cond = encode(p, mode, data, torch.zeros(B))
    null = encode(p, mode, data, torch.ones(B))
    for i, k in enumerate(steps):
        step = torch.full((B,), k)
        base = denoise(p, x, step, null)
        eps = base + GUIDANCE * (denoise(p, x, step, cond) - base)
        a, prev = bars[k], bars[steps[i + 1]] if i + 1 < DDIM else 1.0
        x0 = ((x - (1 - a) ** 0.5 * eps) / a**0.5).clamp(-1, 1)
        x = prev**0.5 * x0 + (1 - prev) ** 0.5 * eps
    return x


def main(folder):
    torch.set_num_threads(1)
    bars = alpha_bars()
    for name in ("full", "prefix", "seen"):
        sees = name == "seen"
        mode = "prefix" if sees else name
        p = parameters(sees)
        g = torch.Generator().manual_seed(4)
        data = {"state": torch.randn(B, O, generator=g), "coverage": torch.randn(B, generator=g),
                "timestep": torch.rand(B, generator=g), "history": torch.randn(G, N, O, generator=g),
                "clean": torch.rand(B, K, A, generator=g) * 2 - 1, "noise": torch.randn(B, K, A, generator=g)}
        if sees:
            data["pixels"] = torch.randn(CAMERAS, B, HEIGHT, WIDTH, 3, generator=g)
        data = {k: v.float().double() for k, v in data.items()}
        data["task"] = torch.tensor([0, 1, 2, 2, 1, 0]).double()
        hidden = torch.tensor([0, 1, 0, 0, 1, 0]).double()
        step = torch.tensor([0, 99, 50, 12, 84, 33])
        mask = torch.ones(B, K).double()
        mask[2, 2:] = 0
        out = {k: v.numpy().astype(np.float32) for k, v in data.items()}
        out.update({"hidden": hidden.numpy().astype(np.float32), "mask": mask.numpy().astype(np.float32),
                    "step": step.numpy().astype(np.float32)})
        out.update({"param." + k: v.detach().numpy().astype(np.float32) for k, v in p.items()})
        with torch.no_grad():
            out["chunk"] = ddim(p, mode, data).numpy()
        a = torch.tensor(bars)[step][:, None, None]
        x = a.sqrt() * data["clean"] + (1 - a).sqrt() * data["noise"]
        adamw = torch.optim.AdamW(list(p.values()), lr=LR, betas=BETAS, eps=EPS, weight_decay=DECAY)
        losses = []
        for n in range(STEPS):
            eps = denoise(p, x, step, encode(p, mode, data, hidden))
            loss = (((eps - data["noise"]) ** 2) * mask[:, :, None]).sum() / (B * A)
            adamw.zero_grad()
            loss.backward()
            losses.append(loss.item())
            if n == 0:
                out["forward"] = eps.detach().numpy()
                out.update({"grad." + k: v.grad.numpy().astype(np.float32) for k, v in p.items()})
            adamw.step()
        out["losses"] = np.array(losses)
        path = os.path.join(folder, f"policy_{name}.safetensors")
        save(path, out, {"torch": torch.__version__, "command": "tests/parity/make_policy.py"})
        print(f"{path}: {sum(v.numel() for v in p.values())} parameters, losses {losses}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden")

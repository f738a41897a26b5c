#!/usr/bin/python3
"""Golden file of tests/model/test_parity.c: a two-block transformer encoder + MLP head, ten AdamW steps.

    /usr/bin/python3 tests/parity/make_goldens.py tests/golden/encoder.safetensors

The network is written here from its equations (docs/model.md), independently of the C code. It runs in
float64 on float32-rounded weights and data, so what it gives is the true value to which both a
float32 and a float64 implementation can be held. Needs python3-torch.
"""
import json
import struct
import sys

import numpy as np
import torch

B, T, C, F, H, HIDDEN, OUT, BLOCKS, STEPS = 5, 7, 32, 48, 4, 24, 3, 2, 10
LR, BETAS, EPS, DECAY = 1e-3, (0.95, 0.999), 1e-8, 1e-2


def save(path, tensors, metadata):
    """The safetensors layout, by hand: Debian has no package of it."""
    header, blobs, at = {"__metadata__": metadata}, [], 0
    for name, t in sorted(tensors.items(), key=lambda kv: (-kv[1].dtype.itemsize, kv[0])):
        blob = np.ascontiguousarray(t).tobytes()
        dtype = {"float32": "F32", "float64": "F64"}[str(t.dtype)]
        header[name] = {"dtype": dtype, "shape": list(t.shape), "data_offsets": [at, at + len(blob)]}
        blobs.append(blob)
        at += len(blob)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def parameters():
    g = torch.Generator().manual_seed(1)
    p = {}

    def add(name, *shape, scale=None):
        bound = scale if scale is not None else (6 / sum(shape[-2:])) ** 0.5
        p[name] = (torch.rand(shape, generator=g) * 2 - 1) * bound

    for i in range(BLOCKS):
        b = f"encoder.{i}."
        add(b + "self_attn.in_proj_weight", 3 * C, C)
        add(b + "self_attn.in_proj_bias", 3 * C, scale=0.1)
        add(b + "self_attn.out_proj.weight", C, C)
        add(b + "self_attn.out_proj.bias", C, scale=0.1)
        add(b + "linear1.weight", F, C)
        add(b + "linear1.bias", F, scale=0.1)
        add(b + "linear2.weight", C, F)
        add(b + "linear2.bias", C, scale=0.1)
        for n in ("norm1", "norm2"):
            add(b + n + ".weight", C, scale=0.2)
            p[b + n + ".weight"] += 1
            add(b + n + ".bias", C, scale=0.1)
    add("head.0.weight", HIDDEN, C)
    add("head.0.bias", HIDDEN, scale=0.1)
    add("head.1.weight", OUT, HIDDEN)
    add("head.1.bias", OUT, scale=0.1)
    return {k: v.float().double().requires_grad_() for k, v in p.items()}


def sinusoid():
    pos = torch.zeros(T, C, dtype=torch.float64)
    for i in range(0, C, 2):
        angle = torch.arange(T, dtype=torch.float64) * 10000.0 ** (-i / C)
        pos[:, i], pos[:, i + 1] = angle.sin(), angle.cos()
    return pos.float().double()


def layernorm(x, w, b):
    m = x.mean(-1, keepdim=True)
    v = ((x - m) ** 2).mean(-1, keepdim=True)
    return (x - m) / (v + 1e-5).sqrt() * w + b


def gelu(x):
    return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)))


def forward(p, x):
    pos = sinusoid()
    for i in range(BLOCKS):
        w = {k.split(f"encoder.{i}.")[1]: v for k, v in p.items() if k.startswith(f"encoder.{i}.")}
        wq, wk, wv = w["self_attn.in_proj_weight"].chunk(3)
        bq, bk, bv = w["self_attn.in_proj_bias"].chunk(3)
        q, k, v = (x + pos) @ wq.T + bq, (x + pos) @ wk.T + bk, x @ wv.T + bv
        q, k, v = (t.view(B, T, H, C // H).transpose(1, 2) for t in (q, k, v))
        a = torch.softmax(q @ k.transpose(-1, -2) / (C // H) ** 0.5, -1) @ v
        a = a.transpose(1, 2).reshape(B, T, C) @ w["self_attn.out_proj.weight"].T
        x = layernorm(x + a + w["self_attn.out_proj.bias"], w["norm1.weight"], w["norm1.bias"])
        h = gelu(x @ w["linear1.weight"].T + w["linear1.bias"])
        h = h @ w["linear2.weight"].T + w["linear2.bias"]
        x = layernorm(x + h, w["norm2.weight"], w["norm2.bias"])
    pooled = x.mean(1)
    h = torch.relu(pooled @ p["head.0.weight"].T + p["head.0.bias"])
    return h @ p["head.1.weight"].T + p["head.1.bias"]


def main(path):
    torch.set_num_threads(1)
    p = parameters()
    g = torch.Generator().manual_seed(2)
    x = torch.randn(B, T, C, generator=g).float().double()
    target = torch.randn(B, OUT, generator=g).float().double()
    out = {"x": x.numpy().astype(np.float32), "target": target.numpy().astype(np.float32)}
    out.update({"param." + k: v.detach().numpy().astype(np.float32) for k, v in p.items()})
    adamw = torch.optim.AdamW(list(p.values()), lr=LR, betas=BETAS, eps=EPS, weight_decay=DECAY)
    losses = []
    for step in range(STEPS):
        y = forward(p, x)
        loss = ((y - target) ** 2).mean()
        adamw.zero_grad()
        loss.backward()
        losses.append(loss.item())
        if step == 0:
            out["forward"] = y.detach().numpy()
            out.update({"grad." + k: v.grad.numpy().astype(np.float32) for k, v in p.items()})
        adamw.step()
    out["losses"] = np.array(losses)
    meta = {"torch": torch.__version__, "lr": str(LR), "command": "tests/parity/make_goldens.py"}
    save(path, out, meta)
    print(f"{path}: {sum(v.numel() for v in p.values())} parameters, losses {losses[0]:.6f} .. {losses[-1]:.6f}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "tests/golden/encoder.safetensors")

"""The policy of src/model in PyTorch, for `bex bench train --peer torch` and `bex bench act --peer torch`.

    /usr/bin/python3 bench/peer_policy.py train|act prefix=0 O=29 A=8 K=10 C=256 F=256 heads=8 blocks=4 T=128 \
        N=100 Q=2 B=256 S=1 ddim=8 dropout=0.1

Prints {"seconds", "memory", "threads"} as JSON. train: one AdamW update on inputs that are there already, best
number of threads, memory = peak resident bytes above the imports. act: the median chunk, eager, one thread. Written
as one would for speed in eager mode: one projection for q, k, v, one for all modulations of a block, PyTorch's own
norm and GELU. PyTorch 1.13 has no fused attention on the CPU. prefix: history encoded once for its S windows.
"""
import json
import os
import resource
import sys
import time

import torch
from torch import nn
from torch.nn import functional

WHAT = sys.argv[1]
SIZES = {k: float(v) for k, v in (a.split("=") for a in sys.argv[2:])}
PREFIX, O, A, K, C, F, HEADS, BLOCKS, T, N, Q, B, S, DDIM = (
    int(SIZES[k]) for k in "prefix O A K C F heads blocks T N Q B S ddim".split())
DROPOUT = SIZES["dropout"]
# pictures of so many cameras, seen by one ResNet-18 with group norm (16 groups); 0: none
CAMERAS, SIDE, CHANNELS = (int(SIZES.get(k, 0)) for k in ("cameras", "side", "channels"))


def attend(q, k, v):
    def split(x):
        return x.view(x.shape[0], x.shape[1], HEADS, C // HEADS).transpose(1, 2)
    weights = torch.softmax(split(q) @ split(k).transpose(-1, -2) * (C // HEADS) ** -0.5, -1)
    return (weights @ split(v)).transpose(1, 2).reshape(q.shape)


class Block(nn.Module):
    def __init__(self, modulated):
        super().__init__()
        self.qkv, self.out = nn.Linear(C, 3 * C), nn.Linear(C, C)
        self.up, self.down = nn.Linear(C, F), nn.Linear(F, C)
        self.norm1, self.norm2 = nn.LayerNorm(C), nn.LayerNorm(C)
        self.drop = nn.Dropout(DROPOUT)
        self.modulation = nn.Linear(C, 6 * C) if modulated else None

    def feed(self, x):
        return self.drop(self.down(self.drop(functional.gelu(self.up(x), approximate="tanh"))))

    def finish(self, x, a):
        x = self.norm1(x + self.drop(self.out(a)))
        return self.norm2(x + self.feed(x))

    def denoise(self, x, s):
        scale1, shift1, gate1, scale2, shift2, gate2 = self.modulation(s)[:, None].chunk(6, -1)
        u = self.norm1(x) * scale1 + shift1
        x = x + gate1 * self.drop(self.out(attend(*self.qkv(u).chunk(3, -1))))
        return x + gate2 * self.feed(self.norm2(x) * scale2 + shift2)


class Residual(nn.Module):
    def __init__(self, before, n, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(before, n, 3, stride, 1, bias=False), nn.GroupNorm(16, n)
        self.conv2, self.norm2 = nn.Conv2d(n, n, 3, 1, 1, bias=False), nn.GroupNorm(16, n)
        self.skip = None if before == n else nn.Sequential(nn.Conv2d(before, n, 1, stride, bias=False),
                                                           nn.GroupNorm(16, n))

    def forward(self, x):
        y = self.norm2(self.conv2(functional.relu(self.norm1(self.conv1(x)), inplace=True)))
        return functional.relu(y + (x if self.skip is None else self.skip(x)), inplace=True)


def resnet18(width):
    layers, before = [nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.GroupNorm(16, width), nn.ReLU(inplace=True),
                      nn.MaxPool2d(3, 2, 1)], width
    for stage in range(4):
        for i in range(2):
            layers.append(Residual(before, width << stage, 2 if stage and not i else 1))
            before = width << stage
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten())


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        if CAMERAS:
            self.look = resnet18(CHANNELS)
            self.seen = nn.ModuleList(nn.Linear(8 * CHANNELS, C) for _ in range(CAMERAS))
            self.pixels = torch.randn(CAMERAS * B, 3, SIDE, SIDE)
        self.state, self.coverage = nn.Linear(O, C), nn.Linear(1, C)
        self.history = nn.Linear(O, C) if N else None
        self.encoder = nn.ModuleList(Block(False) for _ in range(BLOCKS))
        self.decoder = nn.ModuleList(Block(True) for _ in range(BLOCKS))
        self.time = nn.Sequential(nn.Linear(T, C), nn.SiLU(), nn.Linear(C, C))
        self.action = nn.Sequential(nn.Linear(A, A), nn.GELU(approximate="tanh"), nn.Linear(A, C))
        self.position = nn.Parameter(torch.zeros(K, C))
        self.final, self.eps = nn.Linear(C, 2 * C), nn.Linear(C, A)
        half = T // 2
        self.register_buffer("waves", 10000 ** (-torch.arange(half) / (half - 1)))

    def remember(self, history):
        """Keys and values of (G,N,O), block by block."""
        x, kept = self.history(history), []
        for i, block in enumerate(self.encoder):
            q, k, v = block.qkv(x).chunk(3, -1)
            kept.append((k, v))
            if i + 1 < BLOCKS:
                x = block.finish(x, attend(q, k, v))
        return kept

    def query(self, state, coverage):
        x = [self.state(state)] + ([self.coverage(coverage)] if Q > 1 else [])
        if CAMERAS:
            features = self.look(self.pixels).chunk(CAMERAS)
            x += [layer(f) for layer, f in zip(self.seen, features)]
        return torch.stack(x, 1)

    def encode(self, state, coverage, history, kept=None):
        x, pooled = self.query(state, coverage), []
        if PREFIX:
            kept = kept or self.remember(history)
        elif N:
            x = torch.cat([x, self.history(history)], 1)
        for i, block in enumerate(self.encoder):
            q, k, v = block.qkv(x).chunk(3, -1)
            if PREFIX:
                each = len(state) // len(kept[i][0])
                k, v = (torch.cat([h.repeat_interleave(each, 0), own], 1) for h, own in zip(kept[i], (k, v)))
            x = block.finish(x, attend(q, k, v))
            pooled.append(x.mean(1))
        return pooled

    def denoise(self, x, step, pooled):
        angle = step[:, None] * self.waves
        t = self.time(torch.cat([angle.cos(), angle.sin()], -1))
        x = self.action(x) + self.position
        for block, p in zip(self.decoder, pooled):
            s = functional.silu(p + t)
            x = block.denoise(x, s)
        shift, scale = self.final(s)[:, None].chunk(2, -1)
        return self.eps(x * scale + shift)


def inputs(batch):
    groups = batch // S if PREFIX and batch >= S else batch
    return (torch.randn(batch, O), torch.randn(batch, 1), torch.randn(groups, N, O) if N else None,
            torch.randn(batch, K, A), torch.randint(0, 100, (batch,)).float())


def train():
    policy = Policy()
    adamw = torch.optim.AdamW(policy.parameters(), lr=3e-4, betas=(0.95, 0.999), weight_decay=1e-6)
    state, coverage, history, x, step = inputs(B)
    noise = torch.randn_like(x)

    def update():
        eps = policy.denoise(x, step, policy.encode(state, coverage, history))
        loss = ((eps - noise) ** 2).sum() / (B * A)
        adamw.zero_grad()
        loss.backward()
        adamw.step()

    best = (float("inf"), 0)
    for threads in sorted({1, os.cpu_count() // 2 or 1, os.cpu_count()}, reverse=True):
        torch.set_num_threads(threads)
        update()
        begin = time.perf_counter()
        for i in range(100):
            start = time.perf_counter()
            update()
            best = min(best, (time.perf_counter() - start, threads))
            if i >= 2 and time.perf_counter() - begin > 2:
                break
    return best


def act():
    torch.set_num_threads(1)
    policy = Policy().eval()
    state, coverage, history, x, _ = inputs(1)
    bar = torch.linspace(0.999, 0.01, 100)
    steps = [i * (100 // DDIM) for i in range(DDIM)][::-1]
    kept = policy.remember(history) if PREFIX else None

    def chunk():
        pooled, y = policy.encode(state, coverage, history, kept), x
        for i, k in enumerate(steps):
            eps = policy.denoise(y, torch.tensor([float(k)]), pooled)
            a, before = bar[k], bar[steps[i + 1]] if i + 1 < DDIM else torch.tensor(1.0)
            clean = ((y - (1 - a).sqrt() * eps) / a.sqrt()).clamp(-1, 1)
            y = before.sqrt() * clean + (1 - before).sqrt() * eps
        return y

    times, begin = [], time.perf_counter()
    chunk()
    while len(times) < 1000 and (len(times) < 30 or time.perf_counter() - begin < 5):
        start = time.perf_counter()
        chunk()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2], 1


torch.manual_seed(0)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
if WHAT == "train":
    seconds, used = train()
else:
    with torch.inference_mode():
        seconds, used = act()
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"seconds": seconds, "memory": 1024.0 * (peak - before), "threads": used}))

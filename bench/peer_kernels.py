"""PyTorch on some shapes of bench/kernels.c: prints {name: GFLOP/s} as JSON, best of several rounds.

Two threads, float32. Attention is the plain formula, as PyTorch 1.13 has no fused one on the CPU;
backward is counted as twice the forward's flops and timed alone, on a kept graph. Debian's PyTorch
multiplies with the system's BLAS: without OpenBLAS (libopenblas0) that is the reference one, and slow.
"""
import json
import math
import time

import torch

ROUNDS, LEAST, MOST = 5, 0.1, 2.0  # seconds: of a round, of a shape


def rate(flops, work):
    begin, best = time.perf_counter(), math.inf
    work()
    for _ in range(ROUNDS):
        start, calls = time.perf_counter(), 0
        while calls == 0 or time.perf_counter() - start < LEAST:
            work()
            calls += 1
        best = min(best, (time.perf_counter() - start) / calls)
        if time.perf_counter() - begin > MOST:
            break
    return flops / best * 1e-9


def linear(width, rows):
    x, weight, bias = torch.randn(rows, width), torch.randn(width, width), torch.randn(width)
    with torch.no_grad():
        return rate(2 * rows * width * width,
                    lambda: torch.nn.functional.linear(x, weight, bias))


def attention(samples, tokens, heads, size):
    flops = 4 * samples * heads * tokens * tokens * size
    qkv = torch.randn(samples, tokens, 3, heads, size, requires_grad=True)

    def forward():
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        weights = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(size), -1)
        return (weights @ v).transpose(1, 2).reshape(samples, tokens, heads * size)

    with torch.no_grad():
        forward_rate = rate(flops, forward)
    out = forward()
    grad = torch.randn_like(out)
    backward_rate = rate(2 * flops, lambda: torch.autograd.grad(out, qkv, grad, retain_graph=True))
    return forward_rate, backward_rate


torch.set_num_threads(2)
torch.manual_seed(0)
result = {}
for c in (64, 256):
    result[f"linear_fwd/{c}x{c}/M26112"] = linear(c, 26112)
for t, h, d in ((102, 8, 32), (52, 1, 64)):
    name = f"{t}x{h}x{d}"
    result["attention_fwd/" + name], result["attention_bwd/" + name] = attention(256, t, h, d)
print(json.dumps(result))

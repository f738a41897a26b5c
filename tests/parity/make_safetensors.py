"""Writes the safetensors goldens from the PyTorch side, byte by byte as the format describes.

    /usr/bin/python3 tests/parity/make_safetensors.py tests/golden

Needs torch and numpy, not the safetensors package. For each floating tensor x of a half type there
is a tensor x.f64 with PyTorch's own conversion to double: what our reader must give."""
import json
import struct
import sys

import numpy as np
import torch

NAMES = {
    torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16",
    torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8",
    torch.uint8: "U8", torch.bool: "BOOL",
    np.dtype("uint16"): "U16", np.dtype("uint32"): "U32", np.dtype("uint64"): "U64",
}


def raw(t):
    """Little-endian bytes in C order."""
    if isinstance(t, np.ndarray):
        return t.astype(t.dtype.newbyteorder("<")).tobytes()
    if t.dtype == torch.bfloat16:
        t = t.contiguous().view(torch.int16)
    return t.contiguous().numpy().tobytes()


def itemsize(t):
    return t.dtype.itemsize if isinstance(t, np.ndarray) else t.element_size()


def save(path, tensors, metadata=None):
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name in sorted(tensors, key=lambda n: (-itemsize(tensors[n]), n.encode())):
        t = tensors[name]
        chunk = raw(t)
        header[name] = {"dtype": NAMES[t.dtype], "shape": list(t.shape),
                        "data_offsets": [len(data), len(data) + len(chunk)]}
        data += chunk
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


def every_dtype():
    g = torch.Generator().manual_seed(0)
    t = {}
    for dtype in (torch.float32, torch.float64):
        t[NAMES[dtype].lower()] = torch.randn(3, 5, generator=g, dtype=dtype)
    # random bit patterns of the half types, the finite ones, and every kind of edge
    bits = torch.randint(-32768, 32768, (400,), generator=g, dtype=torch.int16)
    edges = {"f16": [0, -32768, 1, 0x03ff, 0x0400, 0x7bff, 0x3c00, -1025],
             "bf16": [0, -32768, 1, 0x007f, 0x0080, 0x7f7f, 0x3f80, -129]}
    for dtype in (torch.float16, torch.bfloat16):
        name = NAMES[dtype].lower()
        x = torch.cat([torch.tensor(edges[name], dtype=torch.int16), bits]).view(dtype)
        x = x[torch.isfinite(x)]
        t[name], t[name + ".f64"] = x, x.to(torch.float64)
    for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
        i = torch.iinfo(dtype)
        t[NAMES[dtype].lower()] = torch.tensor([i.min, i.max, 0, 1, 7], dtype=dtype)
    for dtype in ("uint16", "uint32", "uint64"):
        i = np.iinfo(dtype)
        t["u" + dtype[4:]] = np.array([i.min, i.max, 0, 1, 7], dtype=dtype)
    t["bool"] = torch.tensor([[True, False], [False, True]])
    t["scalar"] = torch.tensor(2.5)
    t["empty"] = torch.zeros(0, 3)
    t["empty.i64"] = torch.zeros(2, 0, 4, dtype=torch.int64)
    t["größe/重み"] = torch.arange(6, dtype=torch.float32).reshape(1, 2, 3)
    t["permuted"] = torch.arange(6, dtype=torch.float32).reshape(2, 3).t()
    return t


def network():
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.LayerNorm(6), torch.nn.GELU(),
                              torch.nn.Linear(6, 2))
    t = dict(net.state_dict())
    x = torch.randn(3, 4)
    t["input"], t["output"] = x, net(x).detach()
    return t


if __name__ == "__main__":
    folder = sys.argv[1]
    save(f"{folder}/dtypes.safetensors", every_dtype(),
         {"format": "pt", "config": "[train]\nlr = 0.0003 ; \"quoted\"\n", "größe": "ß\t\u0001"})
    save(f"{folder}/network.safetensors", network())

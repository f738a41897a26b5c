"""Reads two safetensors files from the description of the format and compares them.

    /usr/bin/python3 tests/parity/same_safetensors.py GOLDEN WRITTEN

Exits 0 if names, dtypes, shapes, values and metadata are equal and WRITTEN keeps the rules of a
writer (padded header, no gap, aligned tensors); prints what differs otherwise."""
import json
import struct
import sys

import numpy as np

DTYPES = {"F32": "<f4", "F64": "<f8", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4",
          "I16": "<i2", "I8": "i1", "U8": "u1", "U16": "<u2", "U32": "<u4", "U64": "<u8",
          "BOOL": "?"}


def load(path):
    with open(path, "rb") as f:
        (n,) = struct.unpack("<Q", f.read(8))
        assert n % 8 == 0, f"{path}: header of {n} bytes is not padded"
        header = json.loads(f.read(n).decode())
        data = f.read()
    metadata = header.pop("__metadata__", {})
    tensors, at = {}, 0
    for name, e in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = e["data_offsets"]
        dtype = np.dtype(DTYPES[e["dtype"]])
        assert begin == at and begin % dtype.itemsize == 0, f"{path}: {name} begins at {begin}"
        array = np.frombuffer(data[begin:end], dtype).reshape(e["shape"])
        tensors[name] = (e["dtype"], array)
        at = end
    assert at == len(data), f"{path}: {len(data) - at} bytes left over"
    return tensors, metadata


golden, golden_metadata = load(sys.argv[1])
written, written_metadata = load(sys.argv[2])
assert golden_metadata == written_metadata, (golden_metadata, written_metadata)
assert golden.keys() == written.keys(), golden.keys() ^ written.keys()
for name, (dtype, array) in golden.items():
    other_dtype, other = written[name]
    assert dtype == other_dtype and array.shape == other.shape, name
    assert array.tobytes() == other.tobytes(), name
print(f"{len(golden)} tensors equal")

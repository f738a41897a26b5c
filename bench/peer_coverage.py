"""PyTorch's side of `bex bench coverage`: peer_coverage.py MATRICES.f64 COUNT D

MATRICES.f64 holds COUNT raw D x D float64 matrices, the ones bex factors. Prints, for the better
of one and two threads: inverses a second of batched torch.linalg.inv on them; windows a second when
the matrices are first built from 301 gathered float32 feature rows each (gather, bmm, inv); and the
mean of 1 / trace, which must agree with ours.
"""
import json
import sys
import time

import numpy
import torch


def best_rate(work, count):
    best = 0.0
    for threads in (1, 2):
        torch.set_num_threads(threads)
        work()
        for _ in range(10):
            start = time.perf_counter()
            work()
            best = max(best, count / (time.perf_counter() - start))
    return best


def main():
    path, count, d = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    matrices = torch.from_numpy(numpy.fromfile(path, dtype=numpy.float64).reshape(count, d, d))
    features = torch.randn(100_000, d)
    windows = 512
    rows = torch.randint(100_000, (windows, 301))
    eye = 0.01 * torch.eye(d, dtype=torch.float64)

    def from_states():
        x = features[rows].double()
        return torch.linalg.inv(torch.bmm(x.transpose(1, 2), x) + eye)

    trace = torch.linalg.inv(matrices).diagonal(dim1=1, dim2=2).sum(1)
    print(json.dumps({
        "windows_per_second": best_rate(lambda: torch.linalg.inv(matrices), count),
        "from_states_per_second": best_rate(from_states, windows),
        "mean_coverage": (1 / trace).mean().item(),
    }))


main()

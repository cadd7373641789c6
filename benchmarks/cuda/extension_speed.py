"""An expression in PyTorch on a GPU: emitted, of PyTorch's own operators, and compiled of them.

    benchmarks/cuda/extension_speed.py FOLDER

FOLDER has the built package `my_ops` of `python -m opweave.build new my_ops`. Microseconds, the least of
several rounds, by the host's clock until the device is done.
"""

import sys
import time

import torch

LARGE = 30_000_000


def squareplus(x):
    return 0.5 * (x + torch.sqrt(x * x + 4))


def microseconds(call, calls):
    for _ in range(50):
        call()
    times = []
    for _ in range(7):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) / calls)
    return min(times) * 1e6


def row(name, calls, *ways):
    print(f"{name:32}", *(f"{microseconds(way, calls):10.2f}" for way in ways))


def main(folder):
    sys.path.insert(0, folder)
    import my_ops

    emitted, compiled = my_ops.squareplus, torch.compile(squareplus)
    few, leaf = (torch.randn(8, device="cuda", requires_grad=r) for r in (False, True))
    seed = torch.ones(8, device="cuda")
    print(f"{'us':32}    emitted      eager   compiled")
    ways = (emitted, squareplus, compiled)
    row("a call, 8 elements", 2000, *(lambda f=f: f(few) for f in ways))
    row(
        "forwards and backwards",
        500,
        *(lambda f=f: torch.autograd.grad(f(leaf), leaf, seed) for f in ways),
    )
    for dtype in (torch.float32, torch.bfloat16):
        x = torch.randn(LARGE, device="cuda", dtype=dtype)
        row(f"3e7 of {dtype}", 20, *(lambda f=f, x=x: f(x) for f in ways))


if __name__ == "__main__":
    main(sys.argv[1])

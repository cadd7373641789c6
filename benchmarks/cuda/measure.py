"""Operators on a CUDA device, by Opweave or PyTorch: the same rows, each in a Python of its own.

    benchmarks/cuda/measure.py opweave a.json; benchmarks/cuda/measure.py torch b.json
    benchmarks/cuda/measure.py compare a.json b.json

Calls are counted by the host's clock until the device is done, the rest by the device's events. A row is the
least of several rounds, in microseconds.
"""

import importlib
import json
import sys
import time
from pathlib import Path

ROUNDS = 7
LARGE = 30_000_000


def of_host(module, call, calls=2000):
    """Microseconds of a call of little work: what the host needs to enqueue it."""
    for _ in range(50):
        call()
    times = []
    for _ in range(ROUNDS):
        module.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        module.cuda.synchronize()
        times.append((time.perf_counter() - start) / calls)
    return min(times) * 1e6


def of_device(module, call, calls=10):
    """Microseconds of a call on the device."""
    start, end = (module.cuda.Event(enable_timing=True) for _ in range(2))
    call()
    times = []
    for _ in range(ROUNDS):
        module.cuda.synchronize()
        start.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / calls)
    return min(times) * 1e3


def calls(m):
    x, y = (m.full((8,), 1.5).to("cuda") for _ in range(2))
    leaf = m.full((8,), 1.5).to("cuda").requires_grad_()
    seed = m.full((8,), 1.0).to("cuda")
    a = m.full((64, 64), 0.5).to("cuda")
    yield "call: add", lambda: x + y
    yield "call: exp", lambda: m.exp(x)
    yield "call: number", lambda: x * 2.5
    yield "call: in place", lambda: x.mul_(1.0)
    yield "call: mm 64", lambda: m.mm(a, a)
    yield "call: forwards and backwards", lambda: m.autograd.grad(m.exp(leaf * leaf), leaf, seed)


def work(m):
    for name in ("float32", "bfloat16", "float64", "int32"):
        dtype = getattr(m, name)
        a, b = (m.full((LARGE,), 1.5).to(dtype).to("cuda") for _ in range(2))
        yield f"{name}: add", lambda a=a, b=b: a + b
        yield f"{name}: to int64", lambda a=a: a.to(m.int64)
        if name != "int32":
            yield f"{name}: exp", lambda a=a: m.exp(a)
            yield f"{name}: gelu", lambda a=a: m.nn.functional.gelu(a)
        matrix = a[:25_000_000].reshape(5000, 5000)
        row = matrix[0]
        yield f"{name}: add of transposed", lambda x=matrix: x + x.t()
        yield f"{name}: add of a row", lambda x=matrix, r=row: x + r
        yield f"{name}: transposed, made dense", lambda x=matrix: x.t().contiguous()
    for name, size in (("float32", 1024), ("float32", 4096), ("bfloat16", 4096), ("float16", 8192)):
        a = m.full((size, size), 0.5).to(getattr(m, name)).to("cuda")
        yield f"{name}: mm {size}", lambda a=a: m.mm(a, a)
    batch = m.full((64, 256, 256), 0.5).to(m.bfloat16).to("cuda")
    yield "bfloat16: bmm 64 x 256", lambda: m.bmm(batch, batch)
    pinned = m.full((LARGE,), 1.5).pin_memory()
    yield "float32: to the device", lambda: pinned.to("cuda", non_blocking=True)
    filled = pinned.to("cuda")
    yield "float32: fill", lambda: filled.fill_(2.0)


def measure(name):
    module = importlib.import_module(name)
    rows = {}
    for clock, cases in ((of_host, calls), (of_device, work)):
        for row, call in cases(module):
            try:
                rows[row] = round(clock(module, call), 3)
            except (RuntimeError, NotImplementedError) as error:
                rows[row] = None
                print(f"{name}: {row}: {error}", file=sys.stderr)
    return rows


def compare(ours, theirs):
    for row, time_taken in ours.items():
        other = theirs.get(row)
        ratio = f"{time_taken / other:6.2f}" if time_taken and other else "     -"
        print(f"{row:34} {time_taken!s:>10} {other!s:>10} {ratio}")


def main(words):
    if words[0] == "compare":
        compare(*(json.loads(Path(path).read_text()) for path in words[1:3]))
    else:
        Path(words[1]).write_text(json.dumps(measure(words[0])))


if __name__ == "__main__":
    main(sys.argv[1:])

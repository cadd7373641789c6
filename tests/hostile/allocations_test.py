"""Every allocation of the library fails once: the call raises an error, and can be made again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

PRELUDE = """
import ctypes, gc, os, pickle
import opweave as ow
import opweave.nn.functional as F

library = ctypes.CDLL(None)
library.fail_allocation.argtypes = [ctypes.c_int64]
library.stop_failing.restype = ctypes.c_int64
FAILURES = (MemoryError, ow.OutOfMemoryError)


# The answer, or the error; and how often memory was taken.
def attempt(work, n):
    library.fail_allocation(n)
    try:
        answer = work()
    except FAILURES as error:
        answer = error
    return answer, library.stop_failing()


# What it gives in a forked process, whose lists of free blocks are empty as they are here.
def in_child(function):
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "wb") as file:
            pickle.dump(function(), file)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        given = file.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, f"the process ended with {status}"
    return pickle.loads(given)


def fail_at(make, n):
    answer, _ = attempt(make(), n)
    gc.collect()
    return isinstance(answer, FAILURES), attempt(make(), 0)[0]


def every_site(make, most=500):
    wanted, count = in_child(lambda: attempt(make(), 0))
    failed = 0
    for n in range(1, min(count, most) + 1):
        refused, answer = in_child(lambda: fail_at(make, n))
        failed += refused
        assert answer == wanted, (n, answer, wanted)
    print(count, failed)
"""

WORK = {
    "a training step": """
        def make():
            ow.manual_seed(1)
            m = ow.nn.Sequential(ow.nn.Linear(3, 4), ow.nn.ReLU(), ow.nn.Linear(4, 2))
            step = ow.optim.Adam(m.parameters(), lr=0.1)
            x = ow.ones(5, 3)

            def work():
                loss = m(x).square().mean()
                loss.backward()
                step.step()
                return [p.tolist() for p in m.parameters()]

            return work
    """,
    "large tensors": """
        def make():
            x = ow.arange(3_000_000.0)

            def work():
                y = x * 2 + 1
                return [y.sum().item(), y[::2].contiguous()[5].item(), ow.cat([y, y]).numel()]

            return work
    """,
    "indexing": """
        def make():
            x = ow.arange(60.0).reshape(3, 4, 5)

            def work():
                y = x.clone()
                y[ow.tensor([0, 2]), :, 1] = 7
                y[y > 50] = 0
                masked = y[ow.tensor([True, False, True])]
                return [y[1:, [0, 3]].tolist(), y[..., None, 2].tolist(), masked.sum().item()]

            return work
    """,
    "backward": """
        def make():
            x = ow.arange(6.0).reshape(2, 3).requires_grad_()
            seen = []
            x.register_hook(lambda g: seen.append(g.sum().item()))

            def work():
                y = (x.exp() * x[:, 1:2]).sum(1)
                y.mul_(2)
                (first,) = ow.autograd.grad(y.sum(), x, create_graph=True)
                first.pow(2).sum().backward()
                return x.grad.tolist()

            return work
    """,
    "transforms": """
        def make():
            x = ow.arange(6.0).reshape(2, 3)
            f = lambda t: (t.sin() * t).sum()

            def work():
                tangents = ow.func.jvp(f, (x,), (ow.ones(2, 3),))
                return [ow.func.vmap(ow.func.grad(f))(x).tolist(), [t.item() for t in tangents]]

            return work
    """,
    "convolution and normalization": """
        def make():
            ow.manual_seed(1)
            m = ow.nn.Sequential(ow.nn.Conv2d(2, 3, 3), ow.nn.BatchNorm2d(3), ow.nn.MaxPool2d(2))
            x = ow.arange(72.0).reshape(1, 2, 6, 6) / 72

            def work():
                m(x).sum().backward()
                return [p.grad.tolist() for p in m.parameters()]

            return work
    """,
    "saving": """
        def make():
            state = {"a": ow.arange(6.0), "b": [ow.ones(2, 2, dtype=ow.int64)]}

            def work():
                read = pickle.loads(pickle.dumps(state))
                return [read["a"].tolist(), read["b"][0].tolist()]

            return work
    """,
    "texts and conversions": """
        def make():
            x = ow.arange(6.0).reshape(2, 3)

            def work():
                things = (x, x.dtype, x.shape, x.device, ow.ops.add.Tensor, x.max(0), ow.Generator())
                texts = [repr(t) for t in things[:-1]]
                for call in (lambda: x.view(7), lambda: ow.ones(2, "x"), lambda: x[5]):
                    try:
                        call()
                    except (RuntimeError, TypeError, IndexError) as error:
                        texts.append(str(error))
                return [*texts, ow.tensor([[1, 2], [3, 4]]).tolist(), x.numpy().sum().item()]

            return work
    """,
}


@pytest.mark.parametrize("name", WORK)
def test_every_allocation_fails_cleanly(name):
    library = Path(__file__).with_name("failing_allocations.so").resolve()
    lines = WORK[name].splitlines()
    program = PRELUDE + "\n".join(line[8:] for line in lines) + "\nevery_site(make)\n"
    env = dict(os.environ, LD_PRELOAD=str(library), OMP_NUM_THREADS="1")
    command = [sys.executable, "-X", "faulthandler", "-c", program]
    ended = subprocess.run(command, env=env, capture_output=True, text=True, timeout=250)
    assert ended.returncode == 0, ended.stdout + ended.stderr[-2000:]
    count, failed = map(int, ended.stdout.split())
    assert failed >= 0.9 * min(count, 500), (count, failed)

"""A rank that is killed, stops or is slow in each phase of a step: the others raise, and leave nothing."""

import os
import signal
import threading
import time

import opweave as ow
import pytest
from opweave import nn
from support.ranks import Ranks, run

VICTIM, TIMEOUT = 1, 2.0
PHASES = ["forward", "backward", "update"]


class Suffers(ow.autograd.Function):
    """What it passes on in both directions; in the second one something happens first."""

    @staticmethod
    def forward(ctx, x, what):
        ctx.what = what
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        ctx.what("backward")
        return grad, None


class Network(nn.Module):
    def __init__(self, what):
        super().__init__()
        self.first, self.last = nn.Linear(8, 16), nn.Linear(16, 1)
        self.what = what

    def forward(self, x):
        hidden = self.first(x)
        self.what("forward")
        return self.last(Suffers.apply(hidden, self.what))


def open_files():
    folder = "/proc/self/fd"
    numbers = [n for n in os.listdir(folder) if os.path.islink(f"{folder}/{n}")]
    return [os.readlink(f"{folder}/{n}") for n in numbers]


HAPPENS = {
    "killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "stopped": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "slow": lambda: time.sleep(0.4 * TIMEOUT),
}


def trains(dist, rank, size, phase, kind):
    """The error, how long it took, and what is left when the group is destroyed."""
    found = three_steps(dist, rank, phase, kind)
    if found[1] is None:
        return found
    dist.destroy_process_group()
    left = [t.name for t in threading.enumerate() if t is not threading.main_thread()]
    return [*found, left + [f for f in open_files() if f.startswith(("socket", "/memfd:"))]]


def three_steps(dist, rank, phase, kind):
    """What the parameters come to, or an error and when it came; after steps in which nothing happens."""
    armed = [False]

    def what(where):
        if armed[0] and where == phase:
            armed[0] = False
            HAPPENS[kind]()

    ow.manual_seed(0)
    model = nn.parallel.DistributedDataParallel(Network(what))
    optimizer = ow.optim.SGD(model.parameters(), lr=0.1)
    x = ow.randn(4, 8, generator=ow.Generator().manual_seed(rank))

    def step():
        optimizer.zero_grad()
        model(x).square().mean().backward()
        what("update")
        optimizer.step()

    for _ in range(3):
        step()
    dist.barrier()
    armed[0] = rank == VICTIM
    if armed[0]:
        time.sleep(0.2)  # who leaves a barrier first may not take its last message along
    began = time.monotonic()
    try:
        for _ in range(3):
            step()
    except dist.DistBackendError as error:
        return [str(error), time.monotonic() - began]
    return [float(sum(p.double().sum() for p in model.parameters())), None]


def ends_with_the_others(ranks):
    """A process that has stopped ends when no other needs it."""
    others = [p for rank, p in enumerate(ranks.processes) if rank != VICTIM]
    while any(p.poll() is None for p in others):
        time.sleep(0.05)
    ranks.processes[VICTIM].kill()


@pytest.mark.parametrize("backend", ["shm", "gloo"])
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("kind", ["killed", "stopped"])
def test_a_rank_goes(kind, phase, backend, tmp_path):
    given = {"backend": backend, "timeout": TIMEOUT, "phase": phase, "kind": kind}
    ranks = Ranks(trains, 3, tmp_path, **given)
    watching = threading.Thread(target=ends_with_the_others, args=[ranks])
    watching.start()
    results = ranks.wait()
    watching.join()
    assert results[VICTIM] is None
    for text, seconds, left in (results[0], results[2]):
        assert f"rank {VICTIM}" in text, text
        assert "all_reduce(sum) of float32[161]" in text, text
        assert "the gradients of last.bias" in text or "the gradients of last.weight" in text, text
        assert seconds < (1 if kind == "killed" else TIMEOUT + 1), text
        assert left == []


@pytest.mark.parametrize("backend", ["shm", "gloo"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_slow_rank_is_waited_for(phase, backend, tmp_path):
    given = {"backend": backend, "timeout": TIMEOUT, "phase": phase, "kind": "slow"}
    sums = {total for total, _ in run(trains, 3, tmp_path, **given)}
    assert len(sums) == 1

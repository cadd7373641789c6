"""A rank that raises in a step: the others raise at once, with what it raised and where they were."""

import inspect
import json
import time

import opweave as ow
import pytest
from opweave import nn
from support.ranks import Ranks

BACKENDS = pytest.mark.parametrize("backend", ["shm", "gloo"])


class Fails(nn.Module):
    """Raises in its forward pass if it is told so."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)

    def forward(self, x, fail=False):
        if fail:
            raise ValueError("bad data in the forward pass")
        return self.layer(x)


def broken(gradient):
    raise KeyError("no such gradient")


def step(model, rank, phase):
    fails = rank == 1
    y = model(ow.ones(2, 3), fail=fails and phase == "forward")
    if fails and phase == "backward":
        y.register_hook(broken)
    if fails and phase == "loss":
        raise ValueError("the loss is nan")
    y.sum().backward()


def raises(dist, rank, size, phase, leaves):
    model = nn.parallel.DistributedDataParallel(Fails())
    step(model, rank, "")
    time.sleep(0.3)  # all of them have come out of it
    if rank == 1:
        try:
            step(model, rank, phase)
        finally:
            if leaves:
                dist.destroy_process_group()
    began = time.monotonic()
    with pytest.raises(dist.DistBackendError) as caught:
        step(model, rank, phase)
    return str(caught.value), time.monotonic() - began


@BACKENDS
@pytest.mark.parametrize("leaves", [False, True], ids=["ends", "leaves"])
@pytest.mark.parametrize(
    ("phase", "text"),
    [
        ("forward", "rank 1 raised ValueError: bad data in the forward pass, at {file}:"),
        ("loss", "rank 1 raised ValueError: the loss is nan, at {file}:"),
        ("backward", "rank 1 raised in its backward pass: KeyError: 'no such gradient'"),
    ],
)
def test_the_others_are_told_what_a_rank_raised(tmp_path, phase, text, leaves, backend):
    ranks = Ranks(raises, 2, tmp_path, backend=backend, phase=phase, leaves=leaves)
    ranks.processes[1].communicate(timeout=30)
    out, _ = ranks.processes[0].communicate(timeout=30)
    told, seconds = json.loads(out.splitlines()[-1][7:])
    assert text.format(file=__file__) in told
    assert seconds < 1
    lines, first = inspect.getsourcelines(step)
    backward = first + next(i for i, line in enumerate(lines) if ".backward()" in line)
    assert f"called at {__file__}:{backward} in step; the gradients of layer." in told
    assert told.endswith(" were not reduced")


def is_done(dist, rank, size):
    """A rank that is done leaves while it handles what says so."""
    work = dist.all_reduce(ow.ones(3), async_op=True)
    try:
        next(iter([]))
    except StopIteration:
        work.wait()
        if rank == 1:
            dist.destroy_process_group()
            return "left"
    time.sleep(0.2)
    with pytest.raises(dist.DistBackendError) as caught:
        dist.all_reduce(ow.ones(3))
    return str(caught.value)


def test_an_exception_that_says_that_it_is_done_is_no_failure(tmp_path):
    first, second = Ranks(is_done, 2, tmp_path).wait()
    assert second == "left"
    assert "rank 1 left the group" in first

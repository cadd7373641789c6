"""Unused parameters beside no_sync, and beside gradients that are cleared: what PyTorch 2.15 has."""

import opweave as ow
import pytest
from opweave import nn
from support.ranks import run


class Two(nn.Module):
    """Two layers, of which a pass uses those that it names."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 1, bias=False)
        self.b = nn.Linear(2, 1, bias=False)

    def forward(self, x, which="ab"):
        out = x.sum() * ow.ones(1, requires_grad=True)
        for name in which:
            out = out + getattr(self, name)(x)
        return out


def mine(rank):
    return ow.full((1, 2), float(rank + 1))


def gradients(model):
    return [None if p.grad is None else p.grad.flatten().tolist() for p in model.parameters()]


def sums_of_unused(dist, rank, size, first, views):
    model = nn.parallel.DistributedDataParallel(
        Two(), find_unused_parameters=True, gradient_as_bucket_view=views
    )
    found = []
    for _ in range(2):  # in the second, gradients may be parts of buckets
        with model.no_sync():
            model(mine(rank), first[rank]).sum().backward()
        model(mine(rank), "a").sum().backward()
        found.append(gradients(model))
        model.zero_grad(set_to_none=False)
    return found


# What PyTorch 2.15 has.
@pytest.mark.parametrize("views", [False, True], ids=["copies", "views"])
@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (("ab", "ab"), [[3.0, 3.0], [1.5, 1.5]]),
        (("ab", "a"), [[3.0, 3.0], [0.5, 0.5]]),
        (("b", "b"), [[1.5, 1.5], [1.5, 1.5]]),
        (("b", "a"), [[2.5, 2.5], [0.5, 0.5]]),
    ],
    ids=["all", "one more", "others", "different"],
)
def test_what_no_sync_alone_has_used_is_reduced(tmp_path, first, expected, views):
    assert run(sums_of_unused, 2, tmp_path, first=first, views=views) == [[expected] * 2] * 2


def clears_between(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Two(), find_unused_parameters=True)
    model(mine(rank)).sum().backward()
    y = model(mine(rank), "a" if rank == 0 else "ab")
    model.zero_grad()
    y.sum().backward()
    return gradients(model)


def test_gradients_that_are_cleared_between_forward_and_backward(tmp_path):
    assert run(clears_between, 2, tmp_path) == [[[1.5, 1.5], [1.0, 1.0]]] * 2

"""Unused parameters, beside no_sync and where outputs are used in part: what PyTorch 2.15 has."""

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


class Branches(nn.Module):
    """Two outputs, each of a layer of its own; or none of them."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 1, bias=False)
        self.b = nn.Linear(2, 1, bias=False)

    def forward(self, x, use=True):
        return (self.a(x), self.b(x)) if use else x


def uses_a_part(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Branches(), find_unused_parameters=True)
    found = []
    for _ in range(2):
        model(mine(rank))[0].sum().backward()
        found.append(gradients(model))
        model.zero_grad()
    model(mine(rank))[rank].sum().backward()
    return [*found, gradients(model)]


def test_outputs_that_the_loss_leaves_out(tmp_path):
    """What nobody has used has no gradient; what one rank has used is averaged with zeros."""
    one, each = [[1.5, 1.5], None], [[0.5, 0.5], [1.0, 1.0]]
    assert run(uses_a_part, 2, tmp_path) == [[one, one, each]] * 2


def uses_a_part_unasked(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Branches())
    model(mine(rank))[0].sum().backward()
    with pytest.raises(RuntimeError, match=r"^Expected to have finished reduction") as caught:
        model(mine(rank))
    return str(caught.value)


def test_outputs_that_the_loss_leaves_out_have_names(tmp_path):
    for rank, text in enumerate(run(uses_a_part_unasked, 2, tmp_path)):
        assert (
            f"Parameters without a gradient on rank {rank}: b.weight. If the outputs do not depend"
            in text
        )
        assert "or the loss not on all outputs, use find_unused_parameters=True" in text


def one_output_after_the_other(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Branches(), find_unused_parameters=True)
    a, b = model(mine(rank))
    a.sum().backward()
    with pytest.raises(RuntimeError, match=r"^find_unused_parameters: the gradients") as caught:
        b.sum().backward()
    return [str(caught.value), gradients(model)]


def test_a_second_backward_pass_of_what_was_left_out_is_refused(tmp_path):
    """PyTorch lets the ranks' gradients differ here."""
    for text, found in run(one_output_after_the_other, 2, tmp_path):
        assert "without the parameter 'b.weight', which the backward pass did not come to" in text
        assert found == [[1.5, 1.5], None]


def asks_for_gradients_before(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Branches(), find_unused_parameters=True)
    x = mine(rank).requires_grad_()
    a, b = model(x)
    ow.autograd.grad(b.sum(), x, retain_graph=True)
    b.sum().backward(inputs=[x], retain_graph=True)
    (a + b).sum().backward()
    return gradients(model)


def test_gradients_of_inputs_are_no_backward_pass_of_the_parameters(tmp_path):
    assert run(asks_for_gradients_before, 2, tmp_path) == [[[1.5, 1.5], [1.5, 1.5]]] * 2


def returns_its_input(dist, rank, size):
    model = nn.parallel.DistributedDataParallel(Branches(), find_unused_parameters=True)
    x = mine(rank).requires_grad_()
    found = []
    for _ in range(2):
        if rank == 0:
            model(x, use=False).sum().backward()
        else:
            sum(model(x)).sum().backward()
        found.append(gradients(model))
        model.zero_grad()
    return found


def test_a_rank_whose_output_is_its_input(tmp_path):
    assert run(returns_its_input, 2, tmp_path, timeout=5) == [[[[1.0, 1.0]] * 2] * 2] * 2

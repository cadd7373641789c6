"""Collectives as functions: their gradients on all ranks against differences of the ranks' joint loss."""

import numpy as np
import opweave as ow
import pytest
from opweave.distributed.nn import functional as dist_nn
from support.ranks import run

STEP = 1e-6


def leaf(rank, *sizes):
    """Numbers that are different everywhere."""
    count = int(np.prod(sizes))
    values = np.sin(np.arange(count) * 1.7 + rank * 0.9) + 0.1 * rank
    return ow.tensor(values.reshape(sizes), dtype=ow.float64, requires_grad=True)


def weights(rank, result):
    count = result.numel()
    return ow.tensor(np.cos(np.arange(count) * 0.7 + rank), dtype=ow.float64).view(result.size())


def joint_loss(dist, rank, function, x):
    """The sum over all ranks of each one's weighted result: a number that all ranks know."""
    with ow.no_grad():
        result = function(x)
        loss = (weights(rank, result) * result).sum()
        dist.all_reduce(loss)
    return loss.item()


def differences(dist, rank, size, function, x):
    """By the elements of the ranks' tensors in turn, which all ranks move together with the others."""
    mine = ow.zeros_like(x)
    counts = [ow.zeros((), dtype=ow.int64) for _ in range(size)]
    dist.all_gather(counts, ow.tensor(x.numel()))
    for owner in range(size):
        for i in range(int(counts[owner].item())):
            losses = []
            for sign in (1, -1):
                moved = x.detach().clone()
                if owner == rank:
                    moved.view(-1)[i] += sign * STEP
                losses.append(joint_loss(dist, rank, function, moved))
            if owner == rank:
                mine.view(-1)[i] = (losses[0] - losses[1]) / (2 * STEP)
    return mine


def check_gradient(dist, rank, size, function, x, what):
    result = function(x)
    (weights(rank, result) * result).sum().backward()
    expected = differences(dist, rank, size, function, x)
    assert ow.allclose(x.grad, expected, rtol=1e-6, atol=1e-8), (what, rank, x.grad, expected)


def cases(dist, rank, size):
    from opweave.distributed import _functional_collectives as f

    goes = [1 + (rank + r) % 2 for r in range(size)]  # what this rank has for each, and each for it
    return {
        "broadcast": (lambda x: f.broadcast(x, 1), leaf(rank, 2, 2)),
        "all_reduce(sum)": (lambda x: f.all_reduce(x, "sum"), leaf(rank, 3)),
        "all_reduce(avg)": (lambda x: f.all_reduce(x, "avg"), leaf(rank, 3)),
        "reduce(sum)": (lambda x: f.reduce(x, 1), leaf(rank, 3)),
        "reduce(avg)": (lambda x: f.reduce(x, 0, "avg"), leaf(rank, 2)),
        "all_gather": (lambda x: f.all_gather_single(x, 0), leaf(rank, 2, 2)),
        "all_gather along 1": (lambda x: f.all_gather_single(x, 1), leaf(rank, 2, 2)),
        "all_gather of numbers": (lambda x: f.all_gather_single(x, 0), leaf(rank)),
        "reduce_scatter(sum)": (
            lambda x: f.reduce_scatter_single(x, "sum", 0),
            leaf(rank, 2 * size),
        ),
        "reduce_scatter(avg)": (
            lambda x: f.reduce_scatter_single(x, "avg", -1),
            leaf(rank, 2, size),
        ),
        "gather": (lambda x: f.gather(x, 1), leaf(rank, 2)),
        "scatter": (lambda x: f.scatter(x, 1), leaf(rank, size, 2)),
        "all_to_all": (lambda x: f.all_to_all_single(x, goes, goes), leaf(rank, sum(goes), 2)),
        "all_to_all, strided": (
            lambda x: f.all_to_all_single(x.t()),
            leaf(rank, 2, size),
        ),
        "permute": (
            lambda x: f.permute_tensor(x, [(r + 1) % size for r in range(size)]),
            leaf(rank, 2),
        ),
        "a chain": (
            lambda x: (
                f.all_reduce(f.all_gather_single(x * x, 0).sin(), "avg") * f.broadcast(x.sum(), 0)
            ),
            leaf(rank, 2),
        ),
    }


def gradients(dist, rank, size):
    for what, (function, x) in cases(dist, rank, size).items():
        check_gradient(dist, rank, size, function, x, what)


@pytest.mark.parametrize("size", [2, 3])
def test_gradients_are_the_slopes_of_the_joint_loss(tmp_path, size):
    run(gradients, size, tmp_path)


def uneven(dist, rank, size):
    rows = [r + 1 for r in range(size)]
    group = dist.group.WORLD

    def gather(x):
        return ow.ops.dist_all_gather(x, group, rows, sum(rows))

    def scatter(x):
        return ow.ops.dist_reduce_scatter(x, group, rows, rows[rank])

    check_gradient(dist, rank, size, gather, leaf(rank, rows[rank], 2), "all_gather")
    check_gradient(dist, rank, size, scatter, leaf(rank, sum(rows), 2), "reduce_scatter")


def test_ranks_may_have_different_numbers_of_rows(tmp_path):
    run(uneven, 3, tmp_path)


def forward_mode(dist, rank, size):
    for what, (function, x) in cases(dist, rank, size).items():
        x = x.detach()
        tangent = leaf(rank + 5, *x.size()).detach()
        _, got = ow.func.jvp(function, (x,), (tangent,))
        expected = (function(x + STEP * tangent) - function(x - STEP * tangent)) / (2 * STEP)
        assert ow.allclose(got, expected, rtol=1e-6, atol=1e-8), (what, rank, got, expected)


def test_forward_rules(tmp_path):
    run(forward_mode, 2, tmp_path)


def second_order(dist, rank, size):
    from opweave.distributed import _functional_collectives as f

    def slope(x):
        y = f.all_reduce(x * x * x, "sum")
        return ow.autograd.grad((y * y).sum(), x, create_graph=True)[0]

    x = leaf(rank, 2)
    slope(x).sum().backward()
    # The loss of all ranks together is size * (sum of cubes)^2.
    cubes = f.all_reduce((x * x * x).detach(), "sum")
    others = f.all_reduce((3 * x * x).detach(), "sum")
    expected = 2 * size * (cubes * 6 * x.detach() + others * 3 * x.detach() ** 2)
    assert ow.allclose(x.grad, expected, rtol=1e-9), (x.grad, expected)


def test_second_derivatives(tmp_path):
    run(second_order, 2, tmp_path)


def pipeline(dist, rank, size):
    from opweave.distributed import _functional_collectives as f

    weight = leaf(rank, 3)
    if rank == 0:
        sent = f.send(weight * 2, 1, tag=7)
        assert not sent.any()
        sent.sum().backward()
        return weight.grad.tolist()
    got = f.recv(ow.zeros(3, dtype=ow.float64, requires_grad=True), 0, tag=7)
    (got * got * weight).sum().backward()
    return [got.tolist(), weight.tolist()]


def test_a_gradient_goes_back_to_the_sender(tmp_path):
    gradient, (got, weight) = run(pipeline, 2, tmp_path)
    np.testing.assert_allclose(gradient, 2 * 2 * np.array(got) * np.array(weight), rtol=1e-12)


def as_pytorch_has_them(dist, rank, size):
    from opweave.distributed.nn import functional as f

    x = leaf(rank, 2, 2)
    others = [leaf(r, 2, 2) for r in range(size)]
    stack = np.stack([o.tolist() for o in others])
    assert [t.tolist() for t in f.all_gather(x)] == stack.tolist()
    np.testing.assert_allclose(f.all_reduce(x).tolist(), stack.sum(0), rtol=1e-14)
    np.testing.assert_allclose(f.reduce(x, 0).tolist(), stack.sum(0) * (rank == 0), rtol=1e-14)
    assert f.broadcast(x, 1).tolist() == stack[1].tolist()
    gathered = f.gather(x, 0)
    assert [t.tolist() for t in gathered] == (stack if rank == 0 else 0 * stack).tolist()
    assert f.scatter([x + r for r in range(size)], 1).tolist() == (stack[1] + rank).tolist()
    parts = f.reduce_scatter(ow.empty(2, 2, dtype=ow.float64), [x + r for r in range(size)])
    np.testing.assert_allclose(parts.tolist(), stack.sum(0) + size * rank, rtol=1e-14)
    sizes = [ow.empty(r + rank, dtype=ow.float64) for r in range(size)]
    given = [ow.full((r + rank,), float(rank), dtype=ow.float64) for r in range(size)]
    assert [t.tolist() for t in f.all_to_all(sizes, given)] == [
        [float(r)] * (r + rank) for r in range(size)
    ]
    flat = f.all_to_all_single(ow.empty(2, 2, dtype=ow.float64), x)
    assert flat.tolist() == [o.tolist()[rank] for o in others]


def test_names_of_pytorch(tmp_path):
    run(as_pytorch_has_them, 2, tmp_path)


@pytest.fixture
def world():
    import opweave.distributed as dist

    dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2)
    yield dist
    dist.destroy_process_group()


def test_reductions_without_derivative_are_refused_by_name(world):
    from opweave.distributed import _functional_collectives as f

    x = ow.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="the reduction 'max' of ranks has no derivative"):
        f.all_reduce(x, "max").sum().backward()


def test_what_does_not_fit_is_refused_before_anything_is_sent(world):
    from opweave.distributed import _functional_collectives as f

    x, group = ow.ones(4, 2), world.group.WORLD
    for call, text in [
        (
            lambda: ow.ops.dist_all_gather(x, group, [4], 4),
            r"expected 2 numbers of rows.* got \[4\]",
        ),
        (lambda: ow.ops.dist_all_gather(x, group, [4, 4], 9), r"\[4, 4\] are not the rows"),
        (lambda: ow.ops.dist_all_gather(x, group, [9, -1], 8), r"\[9, -1\] are not the rows"),
        (lambda: ow.ops.dist_all_gather(x.sum(), group, [1, 1], 2), "expected a tensor with dim"),
        (lambda: ow.ops.dist_reduce_scatter(x, group, [2, 2], 3), "rank 0 gets 3 rows"),
        (lambda: ow.ops.dist_reduce_scatter(x, group, [2, 2], -2), "and -2"),
        (lambda: ow.ops.dist_broadcast(x, group, 2), "rank 2 is not in the group"),
        (lambda: ow.ops.dist_broadcast(x, group, 2**40), f"there is no rank {2**40}"),
        (lambda: ow.ops.dist_send(x, group, 1, -1), "expected a tag of 0"),
        (lambda: f.all_reduce(x, "median"), "no reduction is called 'median'"),
        (lambda: f.reduce_scatter_single(ow.ones(3), "sum", 0), "does not divide equally"),
        (lambda: f.permute_tensor(x, [1, 1]), "expected a permutation"),
        (
            lambda: dist_nn.all_to_all_single(ow.ones(3), x),
            r"all_to_all_single\(\): Tensor's dim 0 \(3\) does not divide equally across group size 2",
        ),
        (lambda: ow.ops.start_all_reduce([x], group, "sum", timeout=-1.0), "timeout of at least 0"),
        (lambda: ow.ops.start_all_reduce([x], group, "sum", timeout=float("nan")), "timeout"),
        (
            lambda: ow.ops.start_all_reduce([], group, "sum"),
            "no tensor among its arguments 'tensors'",
        ),
    ]:
        with pytest.raises((ValueError, RuntimeError), match=text):
            call()


def test_groups_are_asked_for_by_name(world):
    with pytest.raises(TypeError, match=r"must be opweave\.distributed\.ProcessGroup, not int"):
        ow.ops.dist_all_reduce(ow.ones(2), 5)


def test_tensors_without_elements_are_not_sent(world):
    x = ow.empty(4, 2, device="meta")
    assert ow.ops.dist_all_gather(x, world.group.WORLD, [4, 4], 8).shape == (8, 2)
    assert ow.ops.dist_all_reduce(x, world.group.WORLD).device.type == "meta"


def batches(dist, rank, size):
    for what, (function, x) in cases(dist, rank, size).items():
        many = ow.stack([x.detach() * (i + 1) for i in range(3)], 1 if x.dim() else 0)
        at = 1 if x.dim() else 0
        got = ow.func.vmap(function, in_dims=at)(many)
        for i in range(3):
            assert ow.allclose(got[i], function(many.select(at, i))), what


def test_batches(tmp_path):
    run(batches, 2, tmp_path)


def test_batches_have_no_memory_to_write(world):
    with pytest.raises(RuntimeError, match="all_reduce works on memory, and a batched tensor"):
        ow.func.vmap(lambda row: world.all_reduce(row))(ow.ones(3, 2))

"""static_graph: what the first pass has is what all have; nested backward passes."""

import opweave as ow
import pytest
from opweave import nn
from support.ranks import run


class Two(nn.Module):
    """Layers that a call names, each as often as it names it."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x, which="ab"):
        for name in which:
            x = ow.tanh(getattr(self, name)(x))
        return x


class Segment(ow.autograd.Function):
    """Computes a layer again in its backward pass, by a backward pass of its own."""

    @staticmethod
    def forward(ctx, x, layer):
        ctx.layer = layer
        ctx.save_for_backward(x)
        with ow.no_grad():
            return layer(x)

    @staticmethod
    def backward(ctx, gradient):
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with ow.enable_grad():
            y = ctx.layer(x)
        y.backward(gradient)
        return x.grad, None


class Checkpointed(nn.Module):
    """The same layer twice, of which nothing is kept."""

    def __init__(self):
        super().__init__()
        self.layer, self.last = nn.Linear(3, 3), nn.Linear(3, 2)

    def forward(self, x):
        x = x.clone().requires_grad_()
        return self.last(Segment.apply(Segment.apply(x, self.layer), self.layer))


def gradients(model):
    return [None if p.grad is None else p.grad.flatten().tolist() for p in model.parameters()]


def mine(rank, step=0):
    return ow.randn(2, 3, generator=ow.Generator().manual_seed(10 * rank + step))


def expected(make, size, steps, **options):
    ow.manual_seed(1)
    model = make()
    found = []
    for step in range(steps):
        model.zero_grad()
        for rank in range(size):
            (model(mine(rank, step), **options).sum() / size).backward()
        found.append(gradients(model))
    return found


def is_close(found, wanted):
    for one, other in zip(found, wanted, strict=True):
        for a, b in zip(one, other, strict=True):
            assert (a is None) == (b is None)
            assert a is None or a == pytest.approx(b, rel=1e-5, abs=1e-6)
    return True


def passes(dist, rank, size, kind, views, **options):
    ow.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(
        Checkpointed() if kind == "nested" else Two(),
        static_graph=True,
        gradient_as_bucket_view=views,
        bucket_cap_mb=0.00004,
    )
    found = []
    for step in range(3):
        model.zero_grad()
        model(mine(rank, step), **options).sum().backward()
        found.append(gradients(model))
    return found


@pytest.mark.parametrize("views", [False, True], ids=["copies", "views"])
@pytest.mark.parametrize("which", ["ab", "a", "aab"])
def test_unused_parameters_are_found_in_the_first_pass(tmp_path, which, views):
    first, second = run(passes, 2, tmp_path, kind="plain", views=views, which=which)
    assert first == second
    assert is_close(first, expected(Two, 2, 3, which=which))


@pytest.mark.parametrize("views", [False, True], ids=["copies", "views"])
def test_nested_backward_passes(tmp_path, views):
    """A parameter has a gradient in each of them."""
    first, second = run(passes, 2, tmp_path, kind="nested", views=views)
    assert first == second
    assert is_close(first, expected(Checkpointed, 2, 3))


def changes(dist, rank, size, first, then):
    model = nn.parallel.DistributedDataParallel(Two(), static_graph=True)
    for _ in range(2):
        model(mine(rank), first).sum().backward()
    loss = model(mine(rank), then).sum()
    with pytest.raises(RuntimeError) as caught:
        loss.backward()
    return str(caught.value)


@pytest.mark.parametrize(
    ("first", "then", "text"),
    [
        ("ab", "a", "it had gradients in the first iteration of the parameters b.weight, b.bias"),
        ("a", "ab", "the parameter 'b."),
    ],
)
def test_a_graph_that_changes(tmp_path, first, then, text):
    for said in run(changes, 2, tmp_path, first=first, then=then):
        assert "Your training graph has changed in this iteration, which is not compatible" in said
        assert text in said


def later(dist, rank, size):
    ow.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(Two())
    model._set_static_graph()
    with pytest.warns(UserWarning, match="no need to set it again"):
        model._set_static_graph()
    model(mine(rank), "a").sum().backward()
    return [gradients(model), model._get_ddp_logging_data()["static_graph"]]


def test_it_can_be_set_later(tmp_path):
    (first, is_static), (second, _) = run(later, 2, tmp_path)
    assert first == second
    assert first[2] is None
    assert is_static == 1


class Three(nn.Module):
    """Layers in another order than their names, and one that only rank 1 uses."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c, self.d = (nn.Linear(4, 4) for _ in range(4))

    def forward(self, x, also):
        x = self.a(self.c(self.b(x)))
        return self.d(x) if also else x


def ordered(dist, rank, size):
    ow.manual_seed(1)
    model = nn.parallel.DistributedDataParallel(Three(), static_graph=True, bucket_cap_mb=0.0001)
    orders = []
    for _ in range(3):
        model.zero_grad()
        model(ow.full((2, 4), rank + 1.0), rank == 1).sum().backward()
        orders.append([n[0] for b in model.statistics()["buckets"] for n in b["parameters"]])
    gradients = [p.grad.flatten().tolist() for p in model.parameters()]
    return [orders, gradients, model._get_ddp_logging_data()["has_rebuilt_buckets"]]


def test_buckets_are_in_the_order_of_the_first_pass(tmp_path):
    """As those of PyTorch are; what rank 0 does not use comes last."""
    first, second = run(ordered, 2, tmp_path)
    assert first == second
    (one, two, three), _, rebuilt = first
    assert "".join(one) == "ddccbbaa"
    assert "".join(two) == "".join(three) == "aaccbbdd"
    assert rebuilt == 1

"""nn.DataParallel on devices that are heaps: results, gradients and errors, against one device."""

from collections import namedtuple

import opweave as ow
import pytest
from heap import on_heap, serve
from opweave import nn

serve()
DEVICES = [0, 1, 2, 3]
Pair = namedtuple("Pair", ["a", "b"])


def network(seed=0):
    ow.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 3)).double()


def batch(n):
    return ow.arange(4 * n, dtype=ow.float64).view(n, 4).sin().to("heap_target:0")


@pytest.mark.parametrize("n", [1, 3, 4, 7, 16])
@pytest.mark.parametrize(
    "devices", [[0], [0, 1], [0, 1, 2], DEVICES, ["heap_target:0", ow.device("heap_target:3")]]
)
def test_gradients_are_those_of_one_device(n, devices):
    one, several = network().eval().to("heap_target:0"), network().eval().to("heap_target:0")
    x = batch(n).requires_grad_()
    y = batch(n).requires_grad_()
    expected, found = one(x), nn.DataParallel(several, devices)(y)
    assert found.device == ow.device("heap_target:0")
    ow.testing.assert_close(found, expected)
    expected.pow(2).sum().backward()
    found.pow(2).sum().backward()
    ow.testing.assert_close(y.grad, x.grad)
    for p, q in zip(several.parameters(), one.parameters(), strict=True):
        ow.testing.assert_close(p.grad, q.grad)


def test_training():
    one, several = network().eval().to("heap_target:0"), network().eval().to("heap_target:0")
    parallel = nn.DataParallel(several)
    assert parallel.device_ids == list(range(ow.accelerator.device_count()))
    for model, parameters in ((one, one.parameters()), (parallel, parallel.parameters())):
        optimizer = ow.optim.SGD(parameters, lr=0.1, momentum=0.9)
        for _ in range(5):
            optimizer.zero_grad()
            model(batch(10)).pow(2).mean().backward()
            optimizer.step()
    for p, q in zip(several.parameters(), one.parameters(), strict=True):
        ow.testing.assert_close(p, q)
    assert list(parallel.state_dict()) == [f"module.{name}" for name in one.state_dict()]


def test_buffers_count_on_the_first_device():
    model = network().to("heap_target:0")
    x = batch(8)
    nn.DataParallel(model, [0, 1])(x)
    first = network().to("heap_target:0")
    first(x[:4])
    ow.testing.assert_close(model[1].running_mean, first[1].running_mean)
    assert model[1].num_batches_tracked == 1


def test_where_results_are_put():
    model = nn.Linear(4, 2).double().to("heap_target:1")
    found = nn.DataParallel(model, [1, 2], output_device=3)(batch(6))
    assert found.device == ow.device("heap_target:3")


class Containers(nn.Module):
    """What it was given, and where it was called."""

    seen = []

    def forward(self, x, *, pair=None, extra=None, scale=1):
        current = ow.empty(0, device="heap_target").device
        Containers.seen.append((x.device, current, extra, ow.is_grad_enabled()))
        total = x.sum()
        return {
            "x": x * scale,
            "pair": Pair(pair.a, pair.b) if pair else None,
            "all": [total, (x, x)],
        }


def test_containers():
    Containers.seen.clear()
    x = batch(4)
    pair = Pair(x + 1, x[:, :1])
    with pytest.warns(UserWarning, match="all input tensors were scalars"), ow.no_grad():
        found = nn.DataParallel(Containers(), [0, 1])(x, pair=pair, extra="word", scale=2)
    ow.testing.assert_close(found["x"], x * 2)
    ow.testing.assert_close(found["pair"].a, pair.a)
    ow.testing.assert_close(found["pair"].b, pair.b)
    ow.testing.assert_close(found["all"][0], ow.stack([x[:2].sum(), x[2:].sum()]))
    ow.testing.assert_close(found["all"][1][1], x)
    devices = [ow.device("heap_target", i) for i in (0, 1)]
    assert sorted(Containers.seen, key=str) == [(d, d, "word", False) for d in devices]


def test_threads_compute_in_the_callers_precision():
    seen = []

    class Seen(nn.Linear):
        def forward(self, x):
            seen.append(super().forward(x).dtype)
            return x

    model = Seen(4, 4).to("heap_target:0")
    with ow.autocast("heap_target", dtype=ow.bfloat16):
        nn.DataParallel(model, [0, 1])(batch(4).float())
    assert seen == [ow.bfloat16] * 2


def test_recurrent_and_shared_modules():
    layer = nn.LSTM(4, 5, batch_first=True).double().to("heap_target:0")
    x = batch(6).view(6, 1, 4)
    ow.testing.assert_close(nn.DataParallel(layer, [0, 1, 2])(x)[0], layer(x)[0])
    linear = nn.Linear(4, 4).double().to("heap_target:0")
    tied = nn.Sequential(linear, nn.Tanh(), linear)
    copies = nn.parallel.replicate(tied, [0, 1])
    assert copies[1][0] is copies[1][2]
    assert copies[1][0].weight.device == ow.device("heap_target:1")
    assert not list(copies[1].parameters())
    ow.testing.assert_close(nn.parallel.data_parallel(tied, x[:, 0], [0, 1]), tied(x[:, 0]))


class Picky(nn.Module):
    def forward(self, x):
        if x.device.index == 1:
            raise KeyError("not on the second")
        return x


def test_a_replicas_error_says_where():
    with pytest.raises(
        KeyError, match=r"Caught KeyError in replica 1 on device heap_target:1\.\n"
    ) as caught:
        nn.DataParallel(Picky(), [0, 1, 2])(batch(3))
    assert "in forward" in str(caught.value)


def test_what_is_refused():
    model = nn.DataParallel(nn.Linear(4, 2).double(), [0, 1])
    with pytest.raises(
        RuntimeError,
        match=r"on device heap_target:0 \(device_ids\[0\]\) but found one of them on device: cpu",
    ):
        model(batch(2))
    with pytest.raises(ValueError, match="All dicts must have the same number of keys"):
        nn.parallel.gather([{"a": batch(1)}, {}], 0)
    with pytest.raises(AssertionError, match="modules 1, inputs 2, keywords 1"):
        nn.parallel.parallel_apply([model], [1, 2])


def test_scatter():
    x = on_heap([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    parts = nn.parallel.scatter(x, DEVICES)
    assert [(p.device.index, p.tolist()) for p in parts] == [
        (0, [[1, 2]]), (1, [[3, 4]]), (2, [[5, 6]]),
    ]  # fmt: skip
    columns = nn.parallel.scatter({"x": [x, "word"]}, [0, 1], dim=1)
    assert [c["x"][0].tolist() for c in columns] == [[[1], [3], [5]], [[2], [4], [6]]]
    assert [c["x"][1] for c in columns] == ["word", "word"]
    assert nn.parallel.scatter((), [0, 1]) == [(), ()]

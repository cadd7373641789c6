"""Backward passes over streams and devices: a model whose layers sit on three devices trains."""

import ctypes
import itertools

import opweave as ow
import pytest

LIBRARY = ctypes.CDLL(str(ow._targets.available()["heap_target"]))
LIBRARY.heap_target_sleep.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int]


@pytest.fixture(autouse=True, scope="module")
def _all_operators():
    assert ow.heap_target.is_available()  # registers it
    LIBRARY.heap_target_run_everything()


class Layers(ow.nn.Module):
    """Each layer on a device of its own."""

    def __init__(self, devices):
        super().__init__()
        self.devices = devices
        sizes = [4, 16, 8, 1]
        self.layers = ow.nn.ModuleList([ow.nn.Linear(n, m) for n, m in itertools.pairwise(sizes)])
        for layer, device in zip(self.layers, devices, strict=True):
            layer.to(device)

    def forward(self, x):
        for layer, device in zip(self.layers, self.devices, strict=True):
            x = layer(x.to(device))
            if layer is not self.layers[-1]:
                x = ow.tanh(x)
        return x


def trained(devices, steps=20):
    """The losses, and the parameters at the end."""
    ow.manual_seed(3)
    model = Layers(devices)
    x = ow.randn(32, 4)
    y = (x * ow.tensor([1.0, -2.0, 0.5, 3.0])).sum(1, keepdim=True).to(devices[-1])
    optimizer = ow.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = ow.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, [p.tolist() for p in model.parameters()]


def test_a_model_on_three_devices_trains():
    losses, parameters = trained(["heap_target:0", "heap_target:1", "heap_target:2"])
    assert losses[-1] < 0.2 * losses[0]
    on_cpu = trained(["cpu"] * 3)
    assert losses == pytest.approx(on_cpu[0], rel=1e-5)
    for there, here in zip(parameters, on_cpu[1], strict=True):
        assert ow.tensor(there).allclose(ow.tensor(here), rtol=1e-4, atol=1e-6)


def test_gradients_are_where_their_parameters_are():
    model = Layers(["heap_target:2", "heap_target:0", "heap_target:1"])
    model(ow.ones(2, 4)).sum().backward()
    assert [p.grad.device.index for p in model.parameters()] == [2, 2, 0, 0, 1, 1]


def test_tensors_of_two_devices_do_not_meet():
    a, b = ow.ones(2, device="heap_target:0"), ow.ones(2, device="heap_target:1")
    with pytest.raises(RuntimeError, match=r"^Expected all tensors to be on the same device, but"):
        _ = a + b


def test_a_node_runs_on_the_stream_of_its_forward():
    side = ow.Stream("heap_target:0")
    a = ow.ones(3, device="heap_target:0", requires_grad=True)
    seen = {}

    def note(name):
        return lambda _: seen.__setitem__(name, ow.accelerator.current_stream(0))

    b = a * 2
    side.wait_stream(ow.accelerator.current_stream(0))
    with side:
        c = b * 3
        b.register_hook(note("b"))
        c.register_hook(note("c"))
    ow.accelerator.current_stream(0).wait_stream(side)
    c.sum().backward()
    assert seen["c"] == side
    assert seen["b"].stream_id == 0
    assert a.grad.tolist() == [6, 6, 6]


def test_gradients_of_other_streams_are_there_when_backward_returns():
    current = ow.accelerator.current_stream(0)
    for _ in range(20):
        a = ow.ones(1000, device="heap_target:0")
        side = ow.Stream("heap_target:0")
        side.wait_stream(current)
        with side:
            leaf = a.clone().requires_grad_()
            out = leaf.neg().neg()
        current.wait_stream(side)
        LIBRARY.heap_target_sleep(0, side.stream_id, 2)
        (-out).backward(a)
        assert leaf.grad.sum().item() == -1000
        leaf.record_stream(current)


def test_two_branches_on_two_streams_are_added():
    for _ in range(20):
        a = ow.ones(1000, device="heap_target:0", requires_grad=True)
        current = ow.accelerator.current_stream(0)
        outs = []
        for _ in range(2):
            side = ow.Stream("heap_target:0")
            side.wait_stream(current)
            with side:
                outs.append(a.neg().neg())
            LIBRARY.heap_target_sleep(0, side.stream_id, 1)
        ow.accelerator.synchronize(0)
        (outs[0] + outs[1]).sum().backward()
        assert a.grad.sum().item() == 2000

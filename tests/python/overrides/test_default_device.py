"""`with device(…)` and set_default_device(): what they move, and what they leave where it is."""

import threading

import numpy as np
import opweave as ow
import pytest

# As PyTorch 2.15 has it.
FOLLOWS = """
ow.ones(2)
ow.zeros(2, device=None)
ow.tensor([1.])
ow.tensor(host)
ow.as_tensor(host)
ow.as_tensor(np.ones(1))
ow.arange(3)
ow.linspace(0, 1, 3)
ow.logspace(0, 1, 3)
ow.eye(2)
ow.full((2,), 1.)
ow.rand(2)
ow.randn(2)
ow.randint(3, (2,))
ow.randperm(3)
ow.empty(2)
ow.empty_strided((2,), (1,))
ow.scalar_tensor(1.)
ow.nn.Linear(2, 2).weight
ow.nn.BatchNorm1d(2).running_mean
ow.nn.Embedding(2, 2).weight
ow.meshgrid(ow.arange(2), indexing='ij')[0]
""".strip().split("\n")
STAYS = """
ow.zeros(2, device='cpu')
ow.from_numpy(np.ones(1))
ow.empty_like(host)
host.new_zeros(2)
host.new_tensor([1.])
ow.normal(host)
ow.bernoulli(host)
ow.Tensor(2)
ow.Tensor([1.])
ow.FloatTensor(2)
ow.FloatTensor([1.])
host + 1
""".strip().split("\n")


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("expression", FOLLOWS + STAYS)
def test_what_names_no_device_follows_as_in_pytorch(expression):
    names = {"ow": ow, "np": np, "host": ow.ones(1)}
    with ow.device("meta"):
        made = eval(expression, names)
    assert made.device.type == ("meta" if expression in FOLLOWS else "cpu")


def test_contexts_nest_and_end():
    with ow.device("meta") as device:
        assert device == ow.device("meta")
        with ow.device("cpu"):
            assert ow.ones(1).device.type == "cpu"
        assert ow.ones(1).is_meta
        assert ow.get_default_device() == device
    assert ow.ones(1).device.type == "cpu"


def test_an_error_ends_the_context():
    with pytest.raises(ZeroDivisionError), ow.device("meta"):
        raise ZeroDivisionError
    assert ow.ones(1).device.type == "cpu"


def test_the_default_is_a_threads_and_contexts_go_before_it():
    found = []
    ow.set_default_device("meta")
    try:
        thread = threading.Thread(target=lambda: found.append(ow.ones(1).device.type))
        thread.start()
        thread.join()
        with ow.device("cpu"):
            found.append(ow.ones(1).device.type)
        found.append(ow.ones(1).device.type)
    finally:
        ow.set_default_device(None)
    assert found == ["cpu", "cpu", "meta"]
    assert ow.get_default_device() == ow.device("cpu")


@pytest.mark.parametrize(
    ("device", "error"),
    [(1.5, TypeError), ([], TypeError), (True, TypeError), ("nope", RuntimeError)],
)
def test_what_is_no_device_is_refused(device, error):
    with pytest.raises(error):
        ow.set_default_device(device)
    assert ow.ones(1).device.type == "cpu"

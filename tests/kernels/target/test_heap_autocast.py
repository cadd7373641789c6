"""Autocast on a target that is not the CPU: PyTorch's list for accelerators, float16 by default."""

import ctypes

import opweave as ow
import pytest

KIND = "heap_target"


@pytest.fixture(autouse=True, scope="module")
def _all_operators():
    library = ctypes.CDLL(str(ow._targets.available()[KIND]))
    assert ow.heap_target.is_available()  # registers it
    library.heap_target_run_everything()


def make(*sizes, dtype=None):
    return ow.rand(*sizes, dtype=dtype).to(KIND) / 2 + 0.25


@pytest.mark.parametrize(
    "product",
    [
        lambda a: a @ a,
        lambda a: ow.nn.functional.linear(a, a),
        lambda a: ow.addmm(a, a, a),
        lambda a: ow.mv(a, a[0]),
        lambda a: ow.einsum("ij,jk->ik", a, a),
    ],
)
def test_products_are_float16(product):
    with ow.autocast(KIND):
        assert product(make(3, 3)).dtype == ow.float16
    with ow.autocast(KIND, dtype=ow.bfloat16):
        assert product(make(3, 3)).dtype == ow.bfloat16


@pytest.mark.parametrize(
    "function",
    [
        ow.exp,
        ow.log,
        ow.rsqrt,
        ow.sum,
        ow.cumsum,
        lambda a: a**2,
        lambda a, dim=0: ow.nn.functional.mse_loss(a, a),
        lambda a, dim=0: ow.nn.functional.layer_norm(a, (3,)),
        lambda a, dim=0: a.softmax(0),
    ],
)
def test_what_needs_range_is_float32(function):
    a = make(3, 3, dtype=ow.float16)
    arguments = (a, 0) if function is ow.cumsum else (a,)
    with ow.autocast(KIND):
        assert function(*arguments).dtype == ow.float32


def test_the_widest_of_several():
    a, b = make(4), make(4, dtype=ow.float16)
    with ow.autocast(KIND):
        assert ow.dot(a, b).dtype == ow.float32
        assert ow.dot(b, b).dtype == ow.float16


@pytest.mark.parametrize(
    "function",
    [
        ow.addcmul,
        ow.addcdiv,
        lambda a, b, c: ow.atan2(a, b),
        lambda a, b, c: ow.index_put(a, (ow.arange(2).to(KIND),), b[:2]),
    ],
)
def test_the_widest_of_what_is_combined(function):
    half, single = make(4, dtype=ow.float16), make(4)
    with ow.autocast(KIND):
        assert function(single, half, half).dtype == ow.float32
        assert function(half, single, single).dtype == ow.float32
        assert function(half, half, half).dtype == ow.float16


def test_a_dtype_that_is_asked_for_stays():
    a = make(3, dtype=ow.float16)
    with ow.autocast(KIND):
        assert a.sum(dtype=ow.float16).dtype == ow.float16


def test_what_does_not_fit_is_refused():
    a = make(3)
    with ow.autocast(KIND), pytest.raises(RuntimeError, match="binary_cross_entropy is unsafe"):
        ow.nn.functional.binary_cross_entropy(a, a)


def test_kinds_of_devices_are_apart():
    with ow.autocast("cpu"):
        assert (make(2, 2) @ make(2, 2)).dtype == ow.float32
    with ow.autocast(KIND):
        assert (ow.ones(2, 2) @ ow.ones(2, 2)).dtype == ow.float32


def test_a_step_with_scaled_gradients():
    model = ow.nn.Linear(3, 2).to(KIND)
    optimizer = ow.optim.SGD(model.parameters(), lr=0.5)
    scaler = ow.amp.GradScaler(KIND, init_scale=256.0)
    before = model.weight.tolist()
    with ow.autocast(KIND):
        loss = ow.nn.functional.mse_loss(model(make(4, 3)), make(4, 2))
    scaler.scale(loss).backward()
    assert model.weight.grad.dtype == ow.float32
    scaler.step(optimizer)
    scaler.update()
    assert model.weight.tolist() != before


def test_functions_written_in_python():
    with ow.autocast("heap_target"):
        assert ow.nn.functional.prelu(make(2), make(1)).dtype is ow.float16
        assert ow.cdist(make(2, 2, dtype=ow.float16), make(2, 2)).dtype is ow.float32
    with ow.autocast("cpu"):
        assert ow.nn.functional.prelu(make(2), make(1)).dtype is ow.float32

"""register_autocast of operators that are Python functions: what is expected PyTorch 2.15 answers."""

import opweave as ow
import pytest
from opweave import Tensor, library


@pytest.fixture(name="seen")
def fixture_seen():
    """What `demo_autocast::f` was given, and what a product inside of it computes in."""
    seen = []

    def f(x: Tensor, ys: list[Tensor], k: int) -> Tensor:
        seen.append((x.dtype, [y.dtype for y in ys], (x.float() @ x.float()).dtype))
        return x * 2

    f.op = library.custom_op("demo_autocast::f", f, mutates_args=())
    f.op.register_autocast("cpu", ow.bfloat16)
    f.seen = seen
    return f


YS = [ow.float32, ow.float64, ow.int64]


def test_what_is_cast(seen):
    x, ys = ow.ones(2, 2), [ow.ones(1, dtype=dtype) for dtype in YS]
    with ow.autocast("cpu", dtype=ow.float16):  # the operator's own dtype is what counts
        assert seen.op(x, ys, 1).dtype == ow.bfloat16
        assert seen.op(x.double(), ys, 1).dtype == ow.float64
        with ow.autocast("cpu", enabled=False):
            assert seen.op(x, ys, 1).dtype == ow.float32
    assert seen.op(x, ys, 1).dtype == ow.float32
    cast = [ow.bfloat16, ow.float64, ow.int64]
    assert seen.seen == [
        (ow.bfloat16, cast, ow.float32),
        (ow.float64, cast, ow.float32),
        (ow.float32, YS, ow.float32),
        (ow.float32, YS, ow.float32),
    ]


def test_the_first_registration_holds(seen):
    seen.op.register_autocast("cpu", ow.float16)
    with ow.autocast("cpu"):
        assert seen.op(ow.ones(2, 2), [], 1).dtype == ow.bfloat16


def test_gradients_have_the_dtype_of_the_argument():
    op = library.custom_op(
        "demo_autocast::g", lambda x: x * 2, mutates_args=(), schema="(Tensor x) -> Tensor"
    )
    op.register_autograd(lambda ctx, gradient: gradient * 2)
    library.register_autocast("demo_autocast::g", "cpu", ow.bfloat16)
    x = ow.ones(2, requires_grad=True)
    with ow.autocast("cpu"):
        result = op(x)
        assert ow.mm(ow.ones(1, 1), ow.ones(1, 1)).dtype == ow.bfloat16  # the region goes on
    result.sum().backward()
    assert (result.dtype, x.grad.dtype, x.grad.tolist()) == (ow.bfloat16, ow.float32, [2.0, 2.0])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("meta", ow.float16), ValueError, "Device type 'meta' does not support autocast"),
        ((3, ow.float16), ValueError, "Expected `device_type` of type `str`, got: `<class 'int'>`"),
        (("nope", ow.float16), RuntimeError, "at start of device string: nope"),
        (("cpu", 3), TypeError, "argument 'cast_inputs' must be opweave.dtype, not int"),
    ],
)
def test_refused(seen, arguments, error, message):
    with pytest.raises(error, match=message):
        seen.op.register_autocast(*arguments)

"""Every operator with an expression: from its samples, against an independent reference."""

import numpy as np
import opweave as ow
import pytest
from pointwise_calls import POINTWISE, expected, invoke, is_float, tensor_arguments
from samples import call, draw_all, to_tensor

TOLERANCE = {"float32": 3e-5, "float64": 1e-9, "float16": 4e-3, "bfloat16": 3e-2}


def params(operators):
    return [pytest.param(o, id=o.full_name) for o in operators]


def tensors(operator, values, dtype=None, layout="contiguous"):
    """The values with arrays made tensors; float arrays in the given dtype."""
    result = dict(values)
    for name in tensor_arguments(operator, values):
        result[name] = to_tensor(values[name], dtype if is_float(values[name]) else None, layout)
    return result


def uses_floats(operator, values):
    return any(is_float(values[name]) for name in tensor_arguments(operator, values))


def as_float64(tensor):
    return tensor.to(ow.float64)


def rounded(value):
    """What the reference gets for an argument: the tensor's elements, as rounded to its dtype."""
    if not isinstance(value, ow.Tensor):
        return value
    return (as_float64(value) if value.is_floating_point() else value).numpy()


def assert_same(a, b):
    assert a.dtype == b.dtype
    assert ow.allclose(as_float64(a), as_float64(b), equal_nan=True)


def assert_close(actual, wanted, tolerance):
    actual = actual.to(ow.float64).numpy() if actual.dtype != ow.bool else actual.numpy()
    np.testing.assert_allclose(actual, wanted, rtol=tolerance, atol=tolerance)


def dtype_cases():
    """Every operator with each floating dtype that it is defined for, or with its integers or booleans."""
    for o in POINTWISE:
        known = [d for d in TOLERANCE if d in o.dtypes] if uses_floats(o, draw_all(o)) else [None]
        for dtype in known:
            yield pytest.param(o, dtype, id=f"{o.full_name}-{dtype or 'exact'}")


def nearest(values, dtype):
    """With numbers that the dtype has: whether others are rounded is asked in test_narrow.py."""
    made = {n: v for n, v in values.items() if type(v) is float}
    return {**values, **{n: ow.tensor(v, dtype=dtype).item() for n, v in made.items()}}


@pytest.mark.parametrize(("operator", "dtype"), dtype_cases())
def test_matches_reference(operator, dtype):
    values = draw_all(operator)
    if dtype in ("float16", "bfloat16"):
        values = nearest(values, getattr(ow, dtype))
    inputs = tensors(operator, values, dtype and getattr(ow, dtype))
    wanted = expected(operator, {name: rounded(value) for name, value in inputs.items()})
    assert_close(invoke(operator, inputs), wanted, TOLERANCE[dtype or "float32"])


@pytest.mark.parametrize("operator", params(POINTWISE))
def test_strided_and_broadcast_inputs(operator):
    values = draw_all(operator)
    plain = invoke(operator, tensors(operator, values))
    assert_same(plain, invoke(operator, tensors(operator, values, layout="strided")))
    first, *others = tensor_arguments(operator, values)
    if others:
        row = dict(values, **{first: values[first][:1]})
        whole = dict(values, **{first: np.broadcast_to(row[first], values[first].shape)})
        assert_same(
            invoke(operator, tensors(operator, row)), invoke(operator, tensors(operator, whole))
        )


@pytest.mark.parametrize("operator", params(POINTWISE))
@pytest.mark.parametrize("shape", [(0,), (2, 0, 3), ()], ids=["empty", "empty3d", "zero_dim"])
def test_empty_and_zero_dim(operator, shape):
    result = invoke(operator, tensors(operator, draw_all(operator, shape=shape)))
    assert tuple(result.shape) == shape


@pytest.mark.parametrize("operator", params([o for o in POINTWISE if o.out and o.function]))
def test_out_agrees(operator):
    values = tensors(operator, draw_all(operator))
    wanted = invoke(operator, values)
    out = ow.empty(0, dtype=wanted.dtype)
    assert invoke(operator, values, out=out) is out
    assert_same(out, wanted)


@pytest.mark.parametrize("operator", params([o for o in POINTWISE if o.inplace and o.method]))
def test_inplace_agrees(operator):
    values = tensors(operator, draw_all(operator))
    wanted = invoke(operator, values)
    first = operator.arguments[0].name
    target = values[first].clone()
    before = target._version

    def write():
        return call(operator, dict(values, **{first: target}), name=operator.inplace, method=True)

    if ow.can_cast(wanted.dtype, target.dtype):
        assert write() is target
        assert target._version > before
        assert_same(target, wanted.to(target.dtype))
    else:
        with pytest.raises(RuntimeError, match="can't be cast"):
            write()
        assert target._version == before


def differentiable_inputs(operator):
    values = tensors(operator, draw_all(operator, shape=(2, 3)))
    names = [
        name for name in tensor_arguments(operator, values) if values[name].is_floating_point()
    ]
    return values, names


def as_function(operator, values, names):
    return lambda *args: invoke(operator, dict(values, **dict(zip(names, args))))


DIFFERENTIABLE = [o for o in POINTWISE if o.differentiable and differentiable_inputs(o)[1]]


@pytest.mark.parametrize("operator", params(DIFFERENTIABLE))
def test_gradcheck(operator):
    values, names = differentiable_inputs(operator)
    inputs = [values[n].requires_grad_() for n in names]
    function = as_function(operator, values, names)
    assert ow.autograd.gradcheck(function, inputs)
    assert ow.autograd.gradgradcheck(function, inputs)


@pytest.mark.parametrize("operator", params(POINTWISE))
def test_meta_agrees(operator):
    values = tensors(operator, draw_all(operator))
    real = invoke(operator, values)
    on_meta = {
        k: ow.empty(v.shape, dtype=v.dtype, device="meta") if isinstance(v, ow.Tensor) else v
        for k, v in values.items()
    }
    meta = invoke(operator, on_meta)
    assert (meta.shape, meta.dtype, meta.stride()) == (real.shape, real.dtype, real.stride())
    assert meta.device.type == "meta"

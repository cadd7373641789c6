"""Generated tests of every operator with an expression: from its samples, against an independent reference."""

import numpy as np
import pytest

import opweave as ow
import reference
from operators import OPERATORS
from samples import call, draw_all, to_tensor

POINTWISE = [o for o in OPERATORS if o.reference is not None]
TOLERANCE = {"float32": 3e-5, "float64": 1e-9, "float16": 4e-3, "bfloat16": 3e-2}


def params(operators):
    return [pytest.param(o, id=o.full_name) for o in operators]


def is_tensor(argument):
    return argument.type.startswith("Tensor")


def tensors(operator, values, dtype=None, layout="contiguous"):
    """The values with arrays made tensors; float arrays in the given dtype."""
    result = dict(values)
    for a in operator.arguments:
        if is_tensor(a):
            as_float = np.asarray(values[a.name]).dtype == np.float64
            result[a.name] = to_tensor(values[a.name], dtype if as_float else None, layout)
    return result


def invoke(operator, values, **extra):
    return call(operator, values, method=not operator.function, **extra)


def expected(operator, values):
    with np.errstate(all="ignore"):
        return np.asarray(operator.reference(reference, values))


def uses_floats(operator, values):
    return any(is_tensor(a) and np.asarray(values[a.name]).dtype == np.float64 for a in operator.arguments)


def assert_close(actual, wanted, tolerance):
    actual = actual.to(ow.float64).numpy() if actual.dtype != ow.bool else actual.numpy()
    np.testing.assert_allclose(actual, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
@pytest.mark.parametrize("operator", params(POINTWISE))
def test_matches_reference(operator, dtype):
    values = draw_all(operator)
    if dtype not in operator.dtypes or not uses_floats(operator, values):
        pytest.skip("not defined for this dtype")
    inputs = tensors(operator, values, getattr(ow, dtype))
    # The reference sees the rounded inputs.
    rounded = {k: v.to(ow.float64).numpy() if isinstance(v, ow.Tensor) and v.is_floating_point()
               else v.numpy() if isinstance(v, ow.Tensor) else v for k, v in inputs.items()}
    assert_close(invoke(operator, inputs), expected(operator, rounded), TOLERANCE[dtype])


@pytest.mark.parametrize("operator", params(POINTWISE))
def test_strided_and_broadcast_inputs(operator):
    values = draw_all(operator)
    plain = invoke(operator, tensors(operator, values))
    strided = invoke(operator, tensors(operator, values, layout="strided"))
    assert ow.equal(plain, strided) or ow.allclose(plain, strided, equal_nan=True)
    first = next(a.name for a in operator.arguments if is_tensor(a))
    row = dict(values, **{first: values[first][:1]})
    whole = dict(values, **{first: np.broadcast_to(row[first], values[first].shape)})
    several = sum(is_tensor(a) for a in operator.arguments) > 1
    if several:
        a, b = invoke(operator, tensors(operator, row)), invoke(operator, tensors(operator, whole))
        assert ow.allclose(a.to(ow.float64), b.to(ow.float64), equal_nan=True)


@pytest.mark.parametrize("operator", params(POINTWISE))
@pytest.mark.parametrize("shape", [(0,), (2, 0, 3), ()], ids=["empty", "empty3d", "zero_dim"])
def test_empty_and_zero_dim(operator, shape):
    result = invoke(operator, tensors(operator, draw_all(operator, shape=shape)))
    assert tuple(result.shape) == shape


@pytest.mark.parametrize("operator", params([o for o in POINTWISE if o.out]))
def test_out_agrees(operator):
    values = tensors(operator, draw_all(operator))
    wanted = invoke(operator, values)
    if operator.function:
        out = ow.empty(0, dtype=wanted.dtype)
        assert invoke(operator, values, out=out) is out
        assert ow.allclose(out.to(ow.float64), wanted.to(ow.float64), equal_nan=True)


@pytest.mark.parametrize("operator", params([o for o in POINTWISE if o.inplace and o.method]))
def test_inplace_agrees(operator):
    values = tensors(operator, draw_all(operator))
    wanted = invoke(operator, values)
    first = operator.arguments[0].name
    if not ow.can_cast(wanted.dtype, values[first].dtype):
        pytest.skip("the result does not fit the first argument")
    target = values[first].clone()
    before = target._version
    assert call(operator, dict(values, **{first: target}), name=operator.inplace, method=True) is target
    assert target._version > before
    assert ow.allclose(target.to(ow.float64), wanted.to(ow.float64), equal_nan=True)


def differentiable_inputs(operator):
    values = tensors(operator, draw_all(operator, shape=(2, 3)))
    names = [a.name for a in operator.arguments
             if is_tensor(a) and values[a.name].is_floating_point()]
    return values, names


def as_function(operator, values, names):
    return lambda *args: invoke(operator, dict(values, **dict(zip(names, args))))


@pytest.mark.parametrize("operator", params([o for o in POINTWISE if o.differentiable]))
def test_gradcheck(operator):
    values, names = differentiable_inputs(operator)
    if not names:
        pytest.skip("no floating-point inputs")
    inputs = [values[n].requires_grad_() for n in names]
    function = as_function(operator, values, names)
    assert ow.autograd.gradcheck(function, inputs)
    assert ow.autograd.gradgradcheck(function, inputs)


@pytest.mark.parametrize("operator", params(POINTWISE))
def test_meta_agrees(operator):
    values = tensors(operator, draw_all(operator))
    real = invoke(operator, values)
    on_meta = {k: ow.empty(v.shape, dtype=v.dtype, device="meta") if isinstance(v, ow.Tensor) else v
               for k, v in values.items()}
    meta = invoke(operator, on_meta)
    assert (meta.shape, meta.dtype, meta.stride()) == (real.shape, real.dtype, real.stride())
    assert meta.device.type == "meta"

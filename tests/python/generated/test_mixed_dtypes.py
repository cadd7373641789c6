"""Derivatives of expressions beside a tensor of another dtype: those of the same numbers in one dtype. What a
kernel computes in one dtype is made of operators in a gradient of a gradient, which promote on their own."""

import opweave as ow
import pytest
from cases import cases, refuses_dtypes


def has_several(case):
    """Whether several tensors of an expression can be differentiated by."""
    tensors = [name for name in case.variable if isinstance(case.values()[name], ow.Tensor)]
    is_expression = case.operator.reference is not None and case.is_finite
    return is_expression and case.is_differentiable and case.has_values and len(tensors) > 1


def _whole(tensor):
    """Numbers that all dtypes of the test have, and that wrap and overflow when they are multiplied."""
    return (tensor.abs() * 40).floor().clamp(max=120) + 1


def _second_gradients(case, values, inputs):
    inputs = {name: values[name].clone().requires_grad_() for name in inputs}
    found = case.smooth(case.results(case.fresh({**values, **inputs})))
    each = list(inputs.values())
    first = ow.autograd.grad(
        [(y * y).sum() for y in found], each, create_graph=True, materialize_grads=True
    )
    total = sum((g * g).sum() for g in first)
    if not total.requires_grad:
        return [ow.zeros_like(x) for x in each]
    return ow.autograd.grad(total, each, materialize_grads=True)


@pytest.mark.parametrize(
    ("case", "dtype"), cases("mixed_second_gradient", has_several, "uint8", "int16", "float16")
)
def test_second_gradient(case, dtype):
    for name in case.variable:
        others = [n for n in case.variable if n != name]
        wide = {**case.values(), name: _whole(case.values()[name])}
        narrow = {**wide, name: wide[name].to(getattr(ow, dtype))}
        try:
            case.results(case.fresh(narrow))
        except (RuntimeError, TypeError) as error:
            if not refuses_dtypes(error):
                raise
            continue
        found = _second_gradients(case, narrow, others)
        for x, wanted in zip(found, _second_gradients(case, wide, others), strict=True):
            room = 1e-9 * max(1.0, float(wanted.nan_to_num().abs().max())) if wanted.numel() else 0
            same = ow.allclose(x, wanted, rtol=1e-9, atol=room, equal_nan=True)
            assert same, f"'{name}' in {dtype}: {x.tolist()} is not {wanted.tolist()}"

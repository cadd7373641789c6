"""Tensors of complex numbers: an operator that takes them moves both parts alike, and any other refuses them.

What moves elements, whatever stands in other places, is affine: f(x + iy) = f(x) + i (f(y) - f(0)).
"""

import opweave as ow
import pytest
from calls import call, has_dtype, mapped, results
from cases import CASES, parameter
from reference.dtypes import COMPLEX

# Their numbers are chance's, or whatever was in memory.
_WITHOUT_VALUES = {"random", "nondeterministic"}


def _moves(case):
    """What adds to what is there computes, and is refused by whoever adds."""
    return COMPLEX[0] in case.operator.dtypes and not case.sample.get("accumulate")


def _calls(takes):
    return [case for case in CASES if has_dtype(case.sample) and _moves(case) is takes]


def _joined(real, imag):
    """The tensor of complex numbers with these parts."""
    flat = [complex(a, b) for a, b in zip(_flat(real), _flat(imag), strict=True)]
    return ow.tensor(flat, dtype=ow.complex64).reshape(real.shape)


def _flat(tensor):
    return tensor.reshape(-1).tolist()


def _all(values, other):
    """Both calls' arguments side by side: of tensors that take the dtype, the complex ones."""
    if isinstance(values, dict):
        return {name: _all(v, other[name]) for name, v in values.items()}
    if isinstance(values, list):
        return [_all(v, w) for v, w in zip(values, other, strict=True)]
    is_part = isinstance(values, ow.Tensor) and values.dtype == ow.float32
    return _joined(values, other) if is_part else values


def _found(case, values):
    found = results(ow, call(ow, case.operator, values))
    return [_flat(r) if isinstance(r, ow.Tensor) else [r] for r in found]


def _zeros(values):
    return mapped(ow, lambda t: ow.zeros_like(t) if t.dtype == ow.float32 else t.clone(), values)


def _fresh(values):
    return mapped(ow, lambda t: t.clone(), values)


@pytest.mark.parametrize("case", [parameter(c, (), "moved") for c in _calls(takes=True)])
def test_both_parts_move_alike(case):
    if _WITHOUT_VALUES & set(case.operator.tags):
        pytest.skip("its values are chance's")
    real, imag = case.values("float32"), case.values("float32", salt="imaginary")
    imag = {n: imag[n] if _is_part(v) else real[n] for n, v in real.items()}
    found = _found(case, _fresh(_all(real, imag)))
    at_real, at_imag, at_zero = (_found(case, _fresh(v)) for v in (real, imag, _zeros(real)))
    for i, elements in enumerate(found):
        if not any(isinstance(e, complex) for e in elements):
            assert elements == at_real[i]
            continue
        parts = zip(at_real[i], at_imag[i], at_zero[i], strict=True)
        assert elements == [complex(x, y - zero) for x, y, zero in parts]


def _is_part(value):
    if isinstance(value, list):
        return any(map(_is_part, value))
    return isinstance(value, ow.Tensor) and value.dtype == ow.float32


@pytest.mark.parametrize("case", [parameter(c, (), "refused") for c in _calls(takes=False)])
def test_others_refuse(case):
    real = case.values("float32")
    values = _all(real, real)
    message = "not implemented for 'ComplexFloat'"
    with pytest.raises(NotImplementedError, match=message):
        call(ow, case.operator, values)

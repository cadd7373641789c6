"""The leaves of what assert_close() compares: None, bools, numbers, tensors."""

import cmath
import sys
from typing import NamedTuple

from opweave import _C
from opweave.testing._messages import scalars_message
from opweave.testing._tensors import TensorLeaf

# dtype: relative and absolute tolerance; those of 16 bits are as wide as their precision, others exact.
_TOLERANCES = {
    _C.float16: (1e-3, 1e-5),
    _C.bfloat16: (1.6e-2, 1e-5),
    _C.float32: (1.3e-6, 1e-5),
    _C.float64: (1e-7, 1e-7),
}
_OF_TYPES = {float: (1e-7, 1e-7), complex: (1e-7, 1e-7)}


class Options(NamedTuple):
    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool


class UnsupportedError(Exception):
    """No leaf: nothing that can be compared."""


def _tolerances(options, defaults):
    """The tolerances that were given, or the larger defaults of two dtypes or types.

    Raises:
        ValueError: one is given without the other, or is no tolerance.
    """
    rtol, atol = options.rtol, options.atol
    if rtol is None and atol is None:
        return max(d[0] for d in defaults), max(d[1] for d in defaults)
    if rtol is None or atol is None:
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, "
            f"but got no {'rtol' if rtol is None else 'atol'}."
        )
    return _number(rtol), _number(atol)


def _number(tolerance):
    return tolerance.item() if isinstance(tolerance, _C.TensorBase) else tolerance


def _numpy():
    """NumPy, where the program has it: without it nothing is of its types."""
    return sys.modules.get("numpy")


def _is_bool(value):
    numpy = _numpy()
    return isinstance(value, bool) or (numpy is not None and isinstance(value, numpy.bool_))


def _is_number(value):
    numpy = _numpy()
    kinds = (int, float, complex)
    return isinstance(value, kinds if numpy is None else (*kinds, numpy.number))


class NoneLeaf:
    def __init__(self, actual, expected):
        self.actual, self.expected = actual, expected

    def compare(self):
        if self.actual is not self.expected:
            raise AssertionError(f"None mismatch: {self.actual} is not {self.expected}")


class BoolLeaf(NoneLeaf):
    def compare(self):
        actual, expected = bool(self.actual), bool(self.expected)
        if actual is not expected:
            raise AssertionError(f"Booleans mismatch: {actual} is not {expected}")


def _plain(value):
    """A number of NumPy as Python's."""
    return value.item() if hasattr(value, "item") else value


class NumberLeaf:
    def __init__(self, actual, expected, options):
        self.actual, self.expected = _plain(actual), _plain(expected)
        self.options = options
        types = [_OF_TYPES.get(type(v), (0.0, 0.0)) for v in (self.actual, self.expected)]
        self.tolerances = _tolerances(options, types)

    def _is_close(self):
        rtol, atol = self.tolerances
        if self.actual == self.expected:
            return True
        if cmath.isnan(self.actual) or cmath.isnan(self.expected):
            return (
                self.options.equal_nan and cmath.isnan(self.actual) and cmath.isnan(self.expected)
            )
        difference = abs(self.actual - self.expected)
        return cmath.isfinite(difference) and difference <= atol + rtol * abs(self.expected)

    def compare(self):
        if self.options.check_dtype and type(self.actual) is not type(self.expected):
            raise AssertionError(
                f"The (d)types do not match: {type(self.actual)} != {type(self.expected)}."
            )
        if not self._is_close():
            raise AssertionError(scalars_message(self.actual, self.expected, self.tolerances))


def _related(actual, expected, options):
    if not options.allow_subclasses:
        return type(actual) is type(expected)
    return isinstance(actual, type(expected)) or isinstance(expected, type(actual))


def _as_tensor(value):
    if isinstance(value, _C.TensorBase):
        return value.detach()
    return _C.as_tensor(value)


def _check_real(*values):
    for value in values:
        if isinstance(value, _C.TensorBase) and value.is_complex():
            raise NotImplementedError(
                f"assert_close(): differences of {value.dtype} are not computed"
            )


def leaf_of(actual, expected, options):
    """The leaf that two values are together.

    Raises:
        UnsupportedError: they are none.
        ValueError: one tolerance without the other.
    """
    if actual is None or expected is None:
        return NoneLeaf(actual, expected)
    if _is_bool(actual) and _is_bool(expected):
        return BoolLeaf(actual, expected)
    if _is_number(actual) and _is_number(expected):
        return NumberLeaf(actual, expected, options)
    _check_real(actual, expected)
    try:
        if _related(actual, expected, options):
            tensors = _as_tensor(actual), _as_tensor(expected)
            defaults = [_TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in tensors]
            return TensorLeaf(*tensors, options, _tolerances(options, defaults))
    except (TypeError, RuntimeError):  # what no tensor can be made of
        pass
    raise UnsupportedError(
        f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
    )

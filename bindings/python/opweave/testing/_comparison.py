"""assert_close(): two nests of tensors, arrays and numbers are taken apart, then compared leaf by leaf."""

import warnings
from collections.abc import Mapping, Sequence

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.testing._leaves import Options, UnsupportedError, leaf_of


def _place(keys):
    """Where in the two nests a leaf lies, as messages end: nothing where they are leaves themselves."""
    where = "".join(f"[{key!r}]" for key in keys)
    return f"\n\nThe failure occurred for item {where}" if keys else ""


def _sorted(keys):
    try:
        return sorted(keys)
    except TypeError:  # keys of several types
        return list(keys)


def _check_keys(actual, expected):
    missing, added = (
        _sorted(expected.keys() - actual.keys()),
        _sorted(actual.keys() - expected.keys()),
    )
    if missing or added:
        raise AssertionError(
            f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {missing}\n"
            f"Additional keys in the actual mapping: {added}"
        )


def _is_sequence(value):
    return isinstance(value, Sequence) and not isinstance(value, str)


def _parts(actual, expected):
    """The pairs that two collections consist of, by key; None for leaves.

    Raises:
        AssertionError: other lengths, other keys.
    """
    if _is_sequence(actual) and _is_sequence(expected):
        if len(actual) != len(expected):
            raise AssertionError(
                f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            )
        return [(i, actual[i], expected[i]) for i in range(len(actual))]
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        _check_keys(actual, expected)
        return [(key, actual[key], expected[key]) for key in _sorted(actual)]
    return None


def _take_apart(actual, expected, options, keys=()):
    """All leaves with the keys that lead to them, before any is compared."""
    try:
        parts = _parts(actual, expected)
        if parts is None:
            return [(keys, leaf_of(actual, expected, options))]
    except (AssertionError, UnsupportedError, ValueError) as error:
        kind = TypeError if isinstance(error, UnsupportedError) else type(error)
        raise _ClosenessError(kind, f"{error}{_place(keys)}") from None
    return [leaf for key, a, e in parts for leaf in _take_apart(a, e, options, (*keys, key))]


class _ClosenessError(Exception):
    """What is wrong, with the place: its text may still be replaced by `msg`."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


def _compare(actual, expected, options):
    with no_grad():
        for keys, leaf in _take_apart(actual, expected, options):
            try:
                leaf.compare()
            except AssertionError as error:
                raise _ClosenessError(AssertionError, f"{error}{_place(keys)}") from None


def _text(failure, msg):
    if isinstance(msg, str):
        return msg
    return msg(str(failure)) if callable(msg) else str(failure)


def assert_close(
    actual,
    expected,
    *,
    allow_subclasses=True,
    rtol=None,
    atol=None,
    equal_nan=False,
    check_device=True,
    check_dtype=True,
    check_layout=True,
    check_stride=False,
    msg=None,
):
    """Raises AssertionError unless `actual` is close: |actual - expected| <= atol + rtol · |expected|.

    Both are tensors, arrays of NumPy, numbers, bools, None, or sequences and mappings of such.

    Args:
        actual: what was computed.
        expected: what it should be.
        allow_subclasses: whether one may be of a subclass of the other's type; else the types are the same.
        rtol: relative tolerance; with atol, or neither: then the dtypes decide.
        atol: absolute tolerance.
        equal_nan: whether two NaN agree.
        check_device: whether the devices have to be the same; tensors are compared on the host otherwise.
        check_dtype: whether the dtypes have to be the same; else both are promoted.
        check_layout: whether the layouts have to be the same.
        check_stride: whether the strides of strided tensors have to be the same.
        msg: the message of the error, or a function that makes it from the one that would be.

    Raises:
        AssertionError: they are not close.
        TypeError: values that cannot be compared with one another.
        ValueError: one tolerance without the other.
    """
    __tracebackhide__ = True  # pytest shows the caller
    options = Options(
        allow_subclasses,
        rtol,
        atol,
        equal_nan,
        check_device,
        check_dtype,
        check_layout,
        check_stride,
    )
    try:
        _compare(actual, expected, options)
        return
    except _ClosenessError as error:
        failure = error
    raise failure.kind(_text(failure, msg) if failure.kind is AssertionError else str(failure))


_ALLCLOSE = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}


def _old_tolerances(actual, expected):
    """Those of assert_allclose(): the larger ones of both dtypes, and none for other dtypes."""
    dtypes = [str(t.dtype).rpartition(".")[2] for t in (actual, expected)]
    both = [_ALLCLOSE.get(dtype, (0.0, 0.0)) for dtype in dtypes]
    return max(b[0] for b in both), max(b[1] for b in both)


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """The older function: like assert_close() with wider tolerances, of values that become tensors first.

    Raises:
        AssertionError: they are not close.
        ValueError: one tolerance without the other.
    """
    warnings.warn(
        "assert_allclose() is deprecated: use assert_close(), whose tolerances are tighter.",
        FutureWarning,
        stacklevel=2,
    )
    if not isinstance(actual, _C.TensorBase):
        actual = _C.tensor(actual)
    if not isinstance(expected, _C.TensorBase):
        expected = _C.tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        rtol, atol = _old_tolerances(actual, expected)
    assert_close(
        actual,
        expected,
        rtol=rtol,
        atol=atol,
        equal_nan=equal_nan,
        check_device=True,
        check_dtype=False,
        check_stride=False,
        msg=msg or None,
    )

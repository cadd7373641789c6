"""Comparisons for tests."""

import math

from opweave import _C

# dtype: relative and absolute tolerance
_TOLERANCES = {
    _C.float16: (1e-3, 1e-5),
    _C.bfloat16: (1.6e-2, 1e-5),
    _C.float32: (1.3e-6, 1e-5),
    _C.float64: (1e-7, 1e-7),
}


def _flat(values):
    if not isinstance(values, list):
        return [values]
    return [v for part in values for v in _flat(part)]


def _close(actual, expected, rtol, atol, equal_nan):
    if math.isnan(actual) or math.isnan(expected):
        return equal_nan and math.isnan(actual) and math.isnan(expected)
    if math.isinf(actual) or math.isinf(expected):
        return actual == expected
    return abs(actual - expected) <= atol + rtol * abs(expected)


def _check_tensors(actual, expected, rtol, atol, equal_nan, check_dtype):
    if actual.shape != expected.shape:
        raise AssertionError(
            f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}."
        )
    if check_dtype and actual.dtype != expected.dtype:
        raise AssertionError(
            f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}."
        )
    if rtol is None:
        dtypes = [_TOLERANCES.get(t.dtype, (0.0, 0.0)) for t in (actual, expected)]
        rtol, atol = max(d[0] for d in dtypes), max(d[1] for d in dtypes)
    pairs = list(zip(_flat(actual.tolist()), _flat(expected.tolist()), strict=True))
    wrong = [(a, e) for a, e in pairs if not _close(a, e, rtol, atol, equal_nan)]
    if wrong:
        difference = max(abs(a - e) for a, e in wrong)
        raise AssertionError(
            f"Tensor-likes are not close!\n\nMismatched elements: {len(wrong)} / {len(pairs)} "
            f"({100 * len(wrong) / len(pairs):.1f}%)\n"
            f"Greatest absolute difference: {difference} (up to {atol} allowed, with a relative "
            f"tolerance of {rtol})"
        )


def assert_close(
    actual, expected, *, rtol=None, atol=None, equal_nan=False, check_dtype=True, msg=None
):
    """Raises AssertionError unless two tensors, numbers or sequences of them agree.

    Args:
        actual: what was computed.
        expected: what it should be.
        rtol: relative tolerance; with atol, or neither, then the dtype decides.
        atol: absolute tolerance.
        equal_nan: whether two NaN agree.
        check_dtype: whether the dtypes have to be the same.
        msg: the message of the error.
    """
    if (rtol is None) != (atol is None):
        raise ValueError("rtol and atol must both be specified or both be unspecified")
    try:
        if isinstance(actual, (list, tuple)):
            if len(actual) != len(expected):
                raise AssertionError(
                    f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
                )
            for a, e in zip(actual, expected, strict=True):
                assert_close(
                    a, e, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype
                )
            return
        _check_tensors(
            _C.as_tensor(actual), _C.as_tensor(expected), rtol, atol, equal_nan, check_dtype
        )
    except AssertionError as error:
        raise AssertionError(msg if msg is not None else str(error)) from None

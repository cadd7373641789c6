"""Pointwise operators at special values, in every floating dtype: zeros of either sign, infinities, NaN, the
smallest and the largest numbers, in whole vectors, in what is left over, and alone. The expression in NumPy's
functions, which are C's, says what they give."""

import itertools
import math

import numpy as np
import opweave as ow
import pytest
from pointwise_calls import POINTWISE, expected, invoke, is_float, tensor_arguments
from samples import draw_all
from special_dtype_exceptions import EXCEPTIONS

DTYPES = ("float64", "float32", "float16", "bfloat16")
# Of the last digit of the dtype: a few roundings; and what references have.
DIGITS, REFERENCE = 64, 1e-11


def values_of(dtype):
    info = ow.finfo(getattr(ow, dtype))
    least = info.smallest_normal * info.eps
    sizes = (0.0, least, info.smallest_normal, 0.5, 1.0, 2.0, info.max, math.inf)
    return [s * x for x in sizes for s in (1, -1)] + [math.nan]


def points_of(dtype, tensors):
    values = values_of(dtype)
    if tensors == 1:
        return [(x,) for x in values]
    few = [0.0, -0.0, 1.0, -2.0, math.inf, -math.inf, math.nan]
    return list(itertools.product(values if tensors == 2 else few, *[few] * (tensors - 1)))


def cases():
    for operator in POINTWISE:
        values = draw_all(operator)
        names = tensor_arguments(operator, values)
        if names and len(names) <= 3 and all(is_float(values[n]) for n in names):
            for dtype in DTYPES:
                if dtype in operator.dtypes:
                    yield pytest.param(operator, dtype, id=f"{operator.full_name}-{dtype}")


def computed(operator, names, points, dtype, values):
    """The elements of the same points, however they lie: alone, behind whole vectors, and apart."""
    for times, begin, step in ((1, 0, 1), (5, 3, 1), (2, 0, 2)):
        given = {}
        for name, column in zip(names, zip(*points, strict=True), strict=True):
            elements = [x for x in (column * times)[begin:] for _ in range(step)]
            given[name] = ow.tensor(elements, dtype=getattr(ow, dtype))[::step]
        found = invoke(operator, {**values, **given}).to(ow.float64)
        yield found[-len(points) :].tolist()


def rounded(wanted, dtype):
    with np.errstate(all="ignore"):
        return (
            ow.tensor(np.asarray(wanted, np.float64)).to(getattr(ow, dtype)).to(ow.float64).tolist()
        )


def agrees(found, exact, dtype):
    (wanted,) = rounded([exact], dtype)
    if math.isnan(wanted) or math.isnan(found):
        return math.isnan(wanted) and math.isnan(found)
    if found == 0 and wanted == 0:  # what underflows may have come from either side
        return exact != 0 or math.copysign(1, found) == math.copysign(1, wanted)
    if math.isinf(found) or math.isinf(wanted):
        return found == wanted
    info = ow.finfo(getattr(ow, dtype))
    return abs(found - wanted) <= max(DIGITS * info.eps, REFERENCE) * max(
        abs(wanted), info.smallest_normal
    )


def differences(operator, dtype):
    """(point, found, wanted)"""
    values = draw_all(operator)
    names = tensor_arguments(operator, values)
    points = points_of(dtype, len(names))
    columns = [
        ow.tensor(list(c), dtype=getattr(ow, dtype)).to(ow.float64).numpy()
        for c in zip(*points, strict=True)
    ]
    wanted = expected(operator, {**values, **dict(zip(names, columns, strict=True))})
    wanted = np.broadcast_to(wanted, (len(points),)).astype(np.float64).tolist()
    for found in computed(operator, names, points, dtype, values):
        for row in zip(points, found, wanted, strict=True):
            if not agrees(row[1], row[2], dtype):
                yield row


def is_excepted(operator, point):
    reason = EXCEPTIONS.get(operator.full_name, (None, ""))[0]
    return reason is not None and reason(point)


@pytest.mark.parametrize(("operator", "dtype"), cases())
def test_special_values(operator, dtype):
    wrong = {
        f"at {point} it is {found}, and {wanted} by C"
        for point, found, wanted in differences(operator, dtype)
        if not is_excepted(operator, point)
    }
    assert not wrong, "\n".join(sorted(wrong))


def test_every_exception_is_needed():
    by_name = {o.full_name: o for o in POINTWISE}
    for name in EXCEPTIONS:
        operator = by_name[name]
        found = [p for d in DTYPES if d in operator.dtypes for p, *_ in differences(operator, d)]
        assert any(is_excepted(operator, p) for p in found), name

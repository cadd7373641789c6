"""Every operator whose entry has a `reference`: its values against that, in every dtype and layout."""

import warnings
from math import inf, nan

import numpy as np
import opweave as ow
import pytest
import references
from calls import mapped, takes_dtype
from cases import CASES, parameter, refuses_dtypes
from layouts import EXPANDED, LAYOUTS, laid_out
from operator_table import Drawn
from reference.dtypes import COMMON
from variations import REFUSALS, variations

# Of an element; sums in another order differ beside the largest of them as well.
TOLERANCE = {"float64": 1e-10, "float32": 5e-5, "float16": 1e-2, "bfloat16": 6e-2}
_BESIDE = {"float64": 1e-12}
_LAYOUTS = {"contiguous": lambda t: t, **LAYOUTS, "expanded": EXPANDED}


def _dtypes(case):
    """Those that its entry allows, if its tensors take the dtype of a call. Of whole numbers NumPy's
    expressions promote otherwise."""
    operator = case.operator
    allowed = [d for d in COMMON if d in operator.dtypes]
    if operator.reference:
        allowed = [d for d in allowed if d in TOLERANCE] or allowed
    return allowed if any(map(takes_dtype, case.sample.values())) else allowed[-1:]


def _cases():
    for case in CASES:
        if case.has_values and references.has_reference(case.operator):
            for dtype in _dtypes(case):
                yield parameter(case, (dtype,), "reference")


def _fail(case, dtype, layout, *told):
    what, *more = told
    call, *beside = case.told.splitlines()
    call = "\n".join([f"{call}, {dtype}, {layout}", *beside])
    text = "\n".join([f"{case.operator.place}: {case.operator.full_name}: {what}", call, *more])
    raise pytest.fail.Exception(text, pytrace=False) from None


def _rounded(wanted, dtype):
    return ow.from_numpy(wanted.astype(np.float64)).to(dtype).to(ow.float64).numpy()


def _elements(found, wanted):
    """(found, wanted, tolerance, tolerance beside the largest) as arrays that can be compared."""
    name = ""
    if isinstance(found, ow.Tensor) and found.is_floating_point():
        name = str(found.dtype).rpartition(".")[2]
        wanted = _rounded(np.asarray(wanted), found.dtype)
    found = np.asarray(references.in_numpy(found))
    wanted = np.asarray(wanted)
    if found.dtype.kind in "iu" and wanted.dtype.kind in "iu":
        wanted = wanted.astype(found.dtype)  # kernels wrap as well
    if found.dtype == wanted.dtype == np.int64:
        return found, wanted, 0, 0
    tolerance = TOLERANCE.get(name, 1e-9)
    beside = _BESIDE.get(name, tolerance)
    return found.astype(np.float64), wanted.astype(np.float64), tolerance, beside


def _room(wanted, beside):
    """What may be lost beside the largest element."""
    sizes = np.abs(wanted[np.isfinite(wanted)])
    return beside * max(1.0, sizes.max(initial=0.0))


def _difference(found, wanted):
    """What is told of a result that is another; empty if it is not."""
    if np.iscomplexobj(wanted):
        return "the reference gives complex numbers, which are no elements of a tensor"
    found, wanted, tolerance, beside = _elements(found, wanted)
    if found.shape != wanted.shape:
        return f"the result has the sizes {list(found.shape)}, the reference {list(wanted.shape)}"
    equal = np.isclose(found, wanted, rtol=tolerance, atol=_room(wanted, beside), equal_nan=True)
    if equal.all():
        return ""
    at = np.argwhere(~equal)[0] if equal.ndim else ()
    place = f"element {[int(i) for i in at]}" if equal.ndim else "the element"
    count = f"{int((~equal).sum())} of {equal.size} elements differ"
    return f"{place} is {found[tuple(at)]}, the reference says {wanted[tuple(at)]}: {count}"


def _run(case, dtype, layout, values):
    try:
        return case.results(values)
    except (RuntimeError, TypeError) as error:
        # What an entry does not say, the kernel decides: which dtypes it takes.
        says_nothing = case.operator.dtypes == list(COMMON)
        if layout == "contiguous" and says_nothing and refuses_dtypes(error):
            pytest.skip(f"{dtype} is refused: {error}")
        _fail(case, dtype, layout, f"the call is refused: {type(error).__name__}: {error}")


def _wanted(case, dtype, layout, values):
    try:
        return references.wanted(case.operator, values)
    except Exception as error:
        _fail(case, dtype, layout, f"its reference fails: {type(error).__name__}: {error}")


def _compare(case, dtype, layout, found, wanted):
    if len(found) != len(wanted):
        count = f"it gives {len(found)} results, its reference {len(wanted)}"
        _fail(case, dtype, layout, count)
    for i, (f, w) in enumerate(zip(found, wanted)):
        result = f"result {i}: " if len(found) > 1 else ""
        if difference := _difference(f, w):
            told = "its values are not those of its reference"
            _fail(case, dtype, layout, told, f"  {result}{difference}")


def _with_more_digits(values):
    """Those drawn have few, which a narrower float holds, and a kernel that goes through one would keep."""
    return mapped(ow, lambda t: t * (1 - 2.0**-26) if t.dtype is ow.float64 else t, values)


@pytest.mark.parametrize(("case", "dtype"), _cases())
def test_reference(case, dtype):
    for name, layout in _LAYOUTS.items():
        if name == "expanded" and case.operator.writes:
            continue
        values = laid_out(_with_more_digits(case.values(dtype)), layout)
        wanted = _wanted(case, dtype, name, values)
        found = _run(case, dtype, name, values)
        references.note(case.operator, found)
        _compare(case, dtype, name, found, wanted)


def _by_hand(kind):
    for case in CASES:
        if case.operator.by_hand and case.has_values and references.has_reference(case.operator):
            allowed = _dtypes(case)
            for dtype in [d for d in allowed if d in TOLERANCE] or allowed:
                yield parameter(case, (dtype,), kind)


def _compare_if_known(case, dtype, which, values):
    """What the operator refuses is fine, and so is what its reference does not say."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy, of means of nothing
            wanted = references.wanted(case.operator, case.fresh(values))
    except Exception:
        return
    try:
        found = case.results(case.fresh(values))
    # A call that is refused in every dtype ends a test otherwise.
    except (*REFUSALS, pytest.fail.Exception) as refusal:
        if "internal" in str(refusal):
            raise
        return
    _compare(case, dtype, which, found, wanted)


@pytest.mark.parametrize(("case", "dtype"), _by_hand("variations"))
def test_beside_the_samples(case, dtype):
    """What a call may leave out; other dimensions, indices, truth values, dtypes, sizes, ranks, elements."""
    for varied in variations(case):
        _compare_if_known(varied, dtype, "contiguous", varied.values(dtype))


@pytest.mark.parametrize(("case", "dtype"), _by_hand("special_values"))
def test_special_values(case, dtype):
    """NaN and infinities, each in one element of a tensor of real numbers: kernels that compare lose them."""
    for name, value in case.sample.items():
        if not isinstance(value, Drawn) or value.domain != "real":
            continue
        for special in (nan, inf, -inf):
            values = case.values(dtype)
            tensor = values[name]
            if (
                not isinstance(tensor, ow.Tensor)
                or not tensor.is_floating_point()
                or not tensor.numel()
            ):
                continue
            tensor.view(-1)[tensor.numel() // 2] = special
            _compare_if_known(case, dtype, f"with {special} in '{name}'", values)


def _pairs(sample):
    """Names of tensors that are drawn alike."""
    drawn = [(n, v) for n, v in sample.items() if isinstance(v, Drawn) and v.shape is not None]
    for i, (first, of) in enumerate(drawn):
        yield from ((first, second) for second, other in drawn[i + 1 :] if of == other)


@pytest.mark.parametrize(("case", "dtype"), _by_hand("given_twice"))
def test_a_tensor_given_twice(case, dtype):
    """Where a call has two tensors that are drawn alike: kernels may take one for where the other lies."""
    for first, second in () if case.operator.writes else _pairs(case.sample):
        values = case.values(dtype)
        values[second] = values[first]
        _compare_if_known(case, dtype, f"with '{first}' as '{second}' too", values)

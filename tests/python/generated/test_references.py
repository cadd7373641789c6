"""Every operator whose entry has a `reference`: its values against that, in every dtype and layout."""

import warnings
from fractions import Fraction
from math import inf, isnan, nan

import numpy as np
import opweave as ow
import pytest
import references
from calls import mapped, takes_dtype
from cases import CASES, parameter, refuses_dtypes
from kernel_faults import KernelFaultError
from layouts import EXPANDED, LAYOUTS, drawn_layouts, laid_out, told
from operator_table import Drawn, Elements
from reference.dtypes import COMMON
from variations import REFUSALS, Varied, resized, variations

# Of an element; sums in another order differ beside the largest of them as well.
TOLERANCE = {"float64": 1e-10, "float32": 5e-5, "float16": 1e-2, "bfloat16": 6e-2}
_BESIDE = {"float64": 1e-12}
_LAYOUTS = {"contiguous": lambda t: t, **LAYOUTS, "expanded": EXPANDED}


def _has_nan(value):
    """Whether a sample has elements that no whole number is."""
    if isinstance(value, dict):
        return any(map(_has_nan, value.values()))
    if isinstance(value, Elements):
        return _has_nan(value.values)
    if isinstance(value, list):
        return any(map(_has_nan, value))
    return isinstance(value, float) and isnan(value)


def _dtypes(case):
    """Those that its entry allows, if its tensors take the dtype of a call. Of whole numbers NumPy's
    expressions promote otherwise."""
    operator = case.operator
    allowed = [d for d in COMMON if d in operator.dtypes]
    if operator.reference or _has_nan(case.sample):
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


def _are_near(found, wanted, tolerance, room):
    """Of each element; whole numbers are equal, to digits that floats, by which isclose() compares, lack."""
    if found.dtype == wanted.dtype == np.int64:
        return np.equal(found, wanted)
    return np.isclose(found, wanted, rtol=tolerance, atol=room, equal_nan=True)


def _difference(found, wanted):
    """What is told of a result that is another; empty if it is not."""
    if np.iscomplexobj(wanted):
        return "the reference gives complex numbers, which are no elements of a tensor"
    found, wanted, tolerance, beside = _elements(found, wanted)
    if found.shape != wanted.shape:
        return f"the result has the sizes {list(found.shape)}, the reference {list(wanted.shape)}"
    equal = _are_near(found, wanted, tolerance, _room(wanted, beside))
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


def _squeezed(shape):
    return [size for size in shape if size != 1]


def _compare(case, dtype, layout, found, wanted):
    if len(found) != len(wanted):
        count = f"it gives {len(found)} results, its reference {len(wanted)}"
        _fail(case, dtype, layout, count)
    for i, (f, w) in enumerate(zip(found, wanted)):
        if case.operator.fold and _squeezed(f.shape) == _squeezed(w.shape):
            w = w.reshape(
                f.shape
            )  # whether ones stand for what is folded the rule says: test_rules
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


def _known(case, values):
    """What the reference says; None where it says nothing."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy, of means of nothing
            return references.wanted(case.operator, case.fresh(values))
    except Exception:
        return None


def _compare_if_known(case, dtype, which, values, wanted=None):
    """What the operator refuses is fine, and so is what its reference does not say. Gives the answer; a call
    may write its arguments."""
    wanted = wanted or _known(case, values)
    if wanted is None:
        return None
    try:
        found = case.results(values)
    except KernelFaultError:
        raise
    # A call that is refused in every dtype ends a test otherwise.
    except (*REFUSALS, pytest.fail.Exception):
        return None
    _compare(case, dtype, which, found, wanted)
    return wanted


@pytest.mark.parametrize(("case", "dtype"), _by_hand("variations"))
def test_beside_the_samples(case, dtype):
    """What a call may leave out; other dimensions, indices, numbers, dtypes, sizes, ranks, elements; each
    also with tensors that lie in memory as chance has it."""
    for varied in variations(case):
        values = varied.values(dtype)
        laid, kinds = drawn_layouts(varied.key, values, COMMON.index(dtype), case.operator.writes)
        wanted = _compare_if_known(varied, dtype, "contiguous", values)
        if wanted and told(kinds):
            same = None if "expanded" in kinds.values() else wanted
            _compare_if_known(varied, dtype, told(kinds), laid, same)


# What a domain that is no range has beside numbers.
_SPECIAL = {
    "real": (nan, inf, -inf),
    "wide": (nan, inf, -inf),
    "positive": (nan, inf),
    "nonzero": (nan,),
}


@pytest.mark.parametrize(("case", "dtype"), _by_hand("special_values"))
def test_special_values(case, dtype):
    """NaN and infinities in an element of a tensor, NaN in its last one too: what compares loses them."""
    for name, value in case.sample.items():
        if not isinstance(value, Drawn):
            continue
        for special in _SPECIAL.get(value.domain, ()):
            values = case.values(dtype)
            tensor = values[name]
            if (
                not isinstance(tensor, ow.Tensor)
                or not tensor.is_floating_point()
                or not tensor.numel()
            ):
                continue
            tensor.view(-1)[tensor.numel() // 2] = special
            tensor.view(-1)[-1 if isnan(special) else tensor.numel() // 2] = special
            _compare_if_known(case, dtype, f"with {special} in '{name}'", values)


def _pairs(sample):
    """Names of tensors that are drawn alike."""
    drawn = [(n, v) for n, v in sample.items() if isinstance(v, Drawn) and v.shape is not None]
    for i, (first, of) in enumerate(drawn):
        yield from ((first, second) for second, other in drawn[i + 1 :] if of == other)


@pytest.mark.parametrize(("case", "dtype"), _by_hand("given_twice"))
def test_a_tensor_given_twice(case, dtype):
    """Where a call has two tensors that are drawn alike: kernels may take one for where the other lies; and
    of a matrix of as many rows as columns also with the same one transposed."""
    for first, second in () if case.operator.writes else _pairs(case.sample):
        values = case.values(dtype)
        values[second] = values[first]
        _compare_if_known(case, dtype, f"with '{first}' as '{second}' too", values)
        shape = case.sample[first].shape
        if len(shape) == 2 and 0 not in shape and dtype == _dtypes(case)[-1]:
            square = Varied(case.operator, resized(case.sample, shape[0], shape[1]), case.sample)
            values = square.values(dtype)
            values[second] = values[first].t()
            _compare_if_known(square, dtype, f"with '{first}'.t() as '{second}'", values)


def _one_call_each():
    """Of each operator by hand the first sample with elements, in the last of its dtypes."""
    seen = set()
    for case in CASES:
        operator = case.operator
        drawn = [v for v in case.sample.values() if isinstance(v, Drawn) and v.shape]
        elements = [v for v in drawn if 0 not in v.shape and takes_dtype(v)]
        if operator.by_hand and case.has_values and elements and operator.full_name not in seen:
            seen.add(operator.full_name)
            yield parameter(case, (_dtypes(case)[-1],), "same_memory")


def _overwrite(values, others):
    """Other elements in the memory of tensors, those in lists too."""
    for value, other in zip(values, others):
        if isinstance(value, list):
            _overwrite(value, other)
        elif isinstance(value, ow.Tensor) and value.shape == other.shape:
            value.copy_(other)


def _aliases(values):
    """Tensors in the same memory, whose sizes a call may change."""
    return mapped(ow, lambda t: t.detach(), values)


@pytest.mark.parametrize(("case", "dtype"), _one_call_each())
def test_other_elements_in_the_same_memory(case, dtype):
    """A kernel that keeps what it has computed, such as weights in an order of its own, must not know them
    by where they lie: programs write there."""
    values, later = case.values(dtype), case.values(dtype, salt=" later")
    try:
        case.results(_aliases(values))
        _overwrite(values.values(), later.values())
        found = references.in_numpy(case.results(_aliases(values)))
        wanted = references.in_numpy(case.results(later))
    except KernelFaultError:
        raise
    except (*REFUSALS, pytest.fail.Exception):
        return  # other tests tell of a sample that is refused
    place = "in memory that held other elements in the call before"
    for number, (f, w) in enumerate(zip(found, wanted)):
        same = np.shape(f) == np.shape(w)
        if not same or not np.allclose(f, w, rtol=1e-2, atol=1e-2, equal_nan=True):
            told = f"result {number} is not that of the same elements in other memory"
            _fail(case, dtype, place, told)


# Not held by the floats that a kernel may count in; few of them, so that sums hold it.
_BEYOND_FLOATS = 2**60 + 1


def _may_be_large(value, operator):
    if not isinstance(value, Drawn) or not value.shape or 0 in value.shape or value.dtype:
        return False
    of_its_own = value.domain == "int"
    return of_its_own or ("int64" in operator.dtypes and value.domain in ("real", "wide"))


def _of_whole_numbers(case):
    """Names of tensors that may have large ones."""
    return [n for n, v in case.sample.items() if _may_be_large(v, case.operator)]


def _compared_large():
    for case in CASES:
        operator = case.operator
        compared = operator.by_hand and case.has_values and operator.numpy and not operator.writes
        if compared and _of_whole_numbers(case):
            yield parameter(case, (), "large_whole_numbers")


def _endless(array):
    if not isinstance(array, np.ndarray) or array.dtype != np.int64:
        return array
    return np.vectorize(Fraction, otypes=[object])(array)


def _exact(operator, values):
    """What the reference says, if it says the same of numbers that have no end; else None."""
    arrays = references.in_numpy(values)
    try:
        (wanted,) = references.wanted(operator, arrays)
        (exact,) = references.wanted(operator, {n: _endless(a) for n, a in arrays.items()})
    except Exception:
        return None  # not every function of NumPy has them
    wanted, exact = np.asarray(wanted), np.asarray(exact)
    if wanted.dtype != np.int64 or exact.dtype != object or wanted.shape != exact.shape:
        return None
    without_floats = all(isinstance(e, (int, Fraction)) for e in exact.flat)
    return [wanted] if without_floats and wanted.tolist() == exact.tolist() else None


@pytest.mark.parametrize("case", _compared_large())
def test_large_whole_numbers(case):
    """Counted in floats they lose their last digits. What goes beyond 64 bits is not compared."""
    for name in _of_whole_numbers(case):
        values = case.values("int64")
        if values[name].dtype is not ow.int64:
            continue
        values[name].view(-1)[0] = _BEYOND_FLOATS
        if wanted := _exact(case.operator, values):
            told = f"contiguous, with {_BEYOND_FLOATS} in '{name}'"
            _compare_if_known(case, "int64", told, values, wanted)

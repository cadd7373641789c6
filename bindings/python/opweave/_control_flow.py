"""What programs say so that a tracer can follow them, run as it stands: choices, loops, arithmetic of
sizes."""

import math
import numbers
from collections.abc import Iterable

from opweave import _C
from opweave._arguments import expect_ints as _expect_ints
from opweave._arguments import expect_number as _expect_number
from opweave._C import Tensor

__all__ = [
    *("cond", "sym_constrain_range", "sym_constrain_range_for_size", "sym_float", "sym_int"),
    *("sym_ite", "sym_max", "sym_min", "sym_not", "sym_sqrt", "sym_sum", "while_loop"),
]


def _truth(where, pred):
    if isinstance(pred, Tensor) and pred.numel() != 1:
        raise RuntimeError(
            f"{where}(): Expected pred to be bool or single-element tensor, but got {pred}."
        )
    return bool(pred)


def cond(pred, true_fn, false_fn, operands=()):
    """`true_fn(*operands)` or `false_fn(*operands)`: what an `if` would call.

    Raises:
        RuntimeError: `pred` is a tensor of several elements.
    """
    return (true_fn if _truth("cond", pred) else false_fn)(*operands)


def while_loop(cond_fn, body_fn, carried_inputs):
    """Calls `body_fn` with what it returned before, while `cond_fn` of that is true.

    Args:
        cond_fn: returns a bool, or a tensor of one element.
        body_fn: returns a tuple, or list, like `carried_inputs`.
        carried_inputs: what the loop begins with.

    Raises:
        RuntimeError: `cond_fn` returns several elements, `body_fn` another number of values.
    """
    carried = tuple(carried_inputs)
    while _truth("while_loop", cond_fn(*carried)):
        made = body_fn(*carried)
        if not isinstance(made, (tuple, list)) or len(made) != len(carried):
            raise RuntimeError(
                f"while_loop(): body_fn: expected a tuple of {len(carried)} values, as carried_inputs are, "
                f"got {made!r}"
            )
        carried = tuple(made)
    return carried


def sym_int(a):
    """The whole number towards zero.

    Raises:
        OverflowError: `a` is infinite.
        ValueError: `a` is NaN.
    """
    if isinstance(a, float) and not math.isfinite(a):
        error = ValueError if math.isnan(a) else OverflowError
        raise error(f"sym_int(): expected a finite number, got {a}")
    return math.trunc(a) if isinstance(a, float) else int(a)


def sym_float(a):
    """A float."""
    return float(a)


def sym_not(a):
    """`not a`"""
    return not a


def _expect_numbers(name, *values):
    for value in values:
        if not isinstance(value, numbers.Real):
            raise AssertionError(f"{name}(): expected numbers, got {type(value).__name__}")


def sym_max(a, b):
    """The larger; a float if either is.

    Raises:
        AssertionError: one is no number.
    """
    _expect_numbers("sym_max", a, b)
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def sym_min(a, b):
    """The smaller; a float if either is.

    Raises:
        AssertionError: one is no number.
    """
    _expect_numbers("sym_min", a, b)
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def sym_sqrt(a):
    """The square root.

    Raises:
        ValueError: of a number below 0.
    """
    _expect_number("sym_sqrt", "a", a)
    if a < 0:
        raise ValueError(f"sym_sqrt(): expected a number that is not negative, got {a}")
    return math.sqrt(a)


def sym_sum(args):
    """The sum."""
    if not isinstance(args, Iterable):
        raise TypeError(
            f"sym_sum(): argument 'args' must be a sequence of numbers, not {type(args).__name__}"
        )
    return sum(args)


def sym_ite(b, t, f):
    """`t if b else f`

    Raises:
        AssertionError: `b` is no bool, or `t` and `f` are of two types.
    """
    if not isinstance(b, bool):
        raise AssertionError(f"sym_ite(): b: expected a bool, got {type(b).__name__}")
    if type(t) is not type(f):
        raise AssertionError(
            f"sym_ite(): expected t and f of one type, got {type(t).__name__} and {type(f).__name__}"
        )
    return t if b else f


def sym_constrain_range(size, *, min=None, max=None):
    """Checks that a number lies where the program says.

    Raises:
        RuntimeError: it does not.
    """
    low, high = (-math.inf if min is None else min), (math.inf if max is None else max)
    if not low <= size <= high:
        raise RuntimeError(f"Invalid value range for {size} between [{low}, {high}].")


def sym_constrain_range_for_size(size, *, min=None, max=None):
    """The same of a size.

    Raises:
        RuntimeError: it lies elsewhere.
    """
    sym_constrain_range(size, min=min, max=max)


def empty_permuted(
    size,
    physical_layout,
    *,
    dtype=None,
    layout=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
):
    """A tensor whose elements are not set, and whose dimensions lie in memory in another order.

    Args:
        size: of each dimension.
        physical_layout: the dimensions, the one with the largest steps first.

    Raises:
        RuntimeError: `physical_layout` is no order of the dimensions.
    """
    _expect_ints("empty_permuted", "size", size)
    _expect_ints("empty_permuted", "physical_layout", physical_layout)
    size, order = (
        tuple(v) if isinstance(v, (tuple, list)) else (v,) for v in (size, physical_layout)
    )
    if len(size) != len(order):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(size)} is not equal to len(physical_layout) = {len(order)}"
        )
    for number, dim in enumerate(order):
        if not 0 <= dim < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {dim} at "
                f"index {number}).  NB: negative dims not currently supported"
            )
    if len(set(order)) != len(order):
        raise RuntimeError(f"Duplicate dim not allowed, got physical_layout={list(order)}")
    made = _C.empty(
        [size[d] for d in order], dtype=dtype, layout=layout, device=device, pin_memory=pin_memory
    )
    back = sorted(range(len(order)), key=order.__getitem__)
    return made.permute(back).detach().requires_grad_(requires_grad)

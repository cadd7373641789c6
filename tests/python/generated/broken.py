"""Broken sample calls (tests/reference/breaks.py), made here: through `opweave.ops`, so that internal
operators are called as public ones are."""

import calls
import opweave as ow
from reference.breaks import REFUSED, Breaks, described


def overload(operator):
    name, _, overload = operator.full_name.partition(".")
    return getattr(getattr(ow.ops, name), overload or "default")


def key(operator, sample):
    return f"{operator.full_name}({calls.label(sample)})"


def outcomes(operator, sample):
    """{broken: (what the results look like or REFUSED, the error's text)}."""
    call = overload(operator)
    found = {}
    for name, values in Breaks(ow, calls, operator, sample).all():
        positional, keywords = calls.split(operator, values)
        ow.manual_seed(7)
        try:
            found[name] = described(ow, calls, operator, call(*positional, **keywords)), ""
        except (RuntimeError, TypeError, ValueError, IndexError, OverflowError) as error:
            found[name] = REFUSED, f"{type(error).__name__}: {error}"
    return found

"""NaN, infinities and huge numbers in the place of every float: none of them becomes an index."""

import dataclasses
import re
import warnings

import pytest
import seeds
import worker
from values import Array, Items

WILD = ("float('nan')", "float('inf')", "float('-inf')", "3e38", "-3e38")
FLOATS = ("float16", "bfloat16", "float32", "float64")
# What is said where a float has become an index, a size or an integer of Python.
TELLS = re.compile(
    r"out of (bounds|range)|cannot convert float|overflow|negative dimension|invalid size|-92233720368547758",
    re.IGNORECASE,
)
# What is said of the number itself.
OF_NUMBERS = re.compile(
    r"cannot be converted to type|unsupported range|represent|without overflow|is not finite|Tensor values|"
    r"value out of range|outside the|should be in the range"
)


def has_floats(value):
    if isinstance(value, Items):
        return any(map(has_floats, value.items))
    return isinstance(value, Array) and value.dtype in FLOATS and 0 not in value.shape


def wild(value, text):
    """With every element of float tensors that number."""
    if isinstance(value, Items):
        return dataclasses.replace(value, items=[wild(v, text) for v in value.items])
    if not has_floats(value):
        return value
    count = 1
    for n in value.shape:
        count *= n
    return dataclasses.replace(value, elements=_Repeated(text, count))


class _Repeated(list):
    def __init__(self, text, count):
        super().__init__([0] * count)
        self.text = text

    def __str__(self):
        return f"[{self.text}] * {len(self)}"

    __format__ = object.__format__


def broken(call, text):
    positional = [wild(v, text) for v in call.positional]
    keywords = {k: wild(v, text) for k, v in call.keywords.items()}
    return dataclasses.replace(call, positional=positional, keywords=keywords)


def error_of(call, space):
    try:
        exec(compile(call.program(), "call", "exec"), dict(space))
    except Exception as error:  # noqa: BLE001: what is said is looked at
        return error
    return None


def tells(error):
    text = f"{type(error).__name__}: {error}"
    index = isinstance(error, (IndexError, OverflowError)) or TELLS.search(text) is not None
    return index and not OF_NUMBERS.search(text)


def with_floats():
    """Of each target the first two calls with floats."""
    found = {}
    for call in seeds.every_call():
        values = [*call.positional, *call.keywords.values()]
        calls = found.setdefault(call.target, [])
        if len(calls) < 2 and any(map(has_floats, values)):
            calls.append(call)
    return [c for calls in found.values() for c in calls]


@pytest.fixture(name="said", scope="module")
def said_of_wild_floats():
    """(program, error) of each call whose floats became something else."""
    space, found = worker.namespace(), []
    calls = with_floats()
    assert len(calls) > 1000
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in calls:
            if error_of(call, space) is not None:
                continue
            for text in WILD:
                made = broken(call, text)
                error = error_of(made, space)
                if error is not None and tells(error):
                    found.append((made.program(), error))
    return found


def test_no_float_becomes_an_index(said):
    assert not said, "\n\n".join(f"{program}# {type(e).__name__}: {e}" for program, e in said[:20])


def test_what_tells():
    assert tells(IndexError("index 5 is out of bounds"))
    assert tells(ValueError("cannot convert float NaN to integer"))
    assert not tells(RuntimeError("value cannot be converted to type float without overflow"))

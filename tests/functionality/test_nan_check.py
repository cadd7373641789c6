"""A functionality in a library of its own: that of docs/functionality.md."""

import ctypes
import os
import pathlib
import re

import opweave as ow
import pytest
from opweave.library import Library, dispatch_keys, register_functionality

LIBRARY = ctypes.CDLL(os.environ["NAN_CHECK"])
LIBRARY.nan_check_count.restype = ctypes.c_int64
LIBRARY.nan_check_register()
ON = {"include": ("NanCheck",)}


def test_the_operator_is_named_that_makes_a_nan():
    x = ow.tensor([1.0, -1.0])
    assert ow.isnan(ow.log(x)).any()
    with dispatch_keys(**ON), pytest.raises(RuntimeError, match=r"^log\(\) made a NaN$"):
        ow.log(x)
    assert ow.isnan(ow.log(x)).any()


def test_below_autograd_and_vmap():
    x = ow.tensor([[1.0, -1.0]], requires_grad=True)
    before = LIBRARY.nan_check_count()
    with dispatch_keys(**ON):
        ow.func.vmap(ow.exp)(x).sum().backward()
        with pytest.raises(RuntimeError, match="made a NaN"):
            ow.func.vmap(ow.log)(x)
    assert LIBRARY.nan_check_count() > before
    assert x.grad is not None


def test_operators_that_come_later_have_the_rule():
    with Library("late") as library:
        library.define("broken(Tensor self) -> Tensor")
        library.impl("broken", lambda t: ow.full_like(t, float("nan")), "cpu")
        with dispatch_keys(**ON), pytest.raises(RuntimeError, match="made a NaN"):
            ow.ops.late.broken(ow.ones(2))


def test_places_from_python():
    register_functionality("Above", above=("NanCheck",), below=("Autograd",))
    calls = []
    with Library() as library:
        library.impl("neg", lambda t: calls.append("neg") or ow.ones(()), "Above")
        with dispatch_keys(include=("Above",)):
            ow.neg(ow.ones(2, requires_grad=True))
    assert calls == ["neg"]
    with pytest.raises(RuntimeError, match="no room for the functionality 'Wrong'"):
        register_functionality("Wrong", above=("Autograd",), below=("NanCheck",))


def test_the_page_shows_this_code():
    checkout = pathlib.Path("pyproject.toml").resolve().parent
    page = (checkout / "docs/functionality.md").read_text(encoding="utf-8")
    code = (checkout / "tests/functionality/nan_check.cc").read_text(encoding="utf-8")
    shown = re.findall(r"^```cpp\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert shown
    assert all(block in code for block in shown)

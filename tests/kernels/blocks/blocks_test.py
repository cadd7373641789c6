"""Every schedule of kernels/blocks on every shape, run by PoCL, against float64; with threads reversed."""

import dataclasses

import numpy as np
import pytest

from tests.kernels.blocks.checks import check, expected, given, rounded
from tests.kernels.blocks.formulas import FORMULAS, SPECIAL
from tests.kernels.blocks.harness import (
    Call,
    Layouts,
    compile_text,
    compiled,
    schedules,
    source_of,
)

SIZES = [1, 2, 31, 32, 33, 1000, 4097, 70000]


# Outer and inner rows, few and many, as many as their length lets a test take.
def _rows_of(size):
    return [(1, 1), (3, 43) if size <= 1000 else (2, 5) if size < 10000 else (1, 2)]


_BY_NAME = {f.struct: f for f in FORMULAS}


# In double those that lose most in float.
_PRECISE = ("softmax_fold", "rms_norm_backward_fold", "var_mean_fold")


@pytest.mark.parametrize(
    ("types", "formula"),
    [("float", f) for f in FORMULAS] + [("double", f) for f in FORMULAS if f.struct in _PRECISE],
    ids=lambda value: getattr(value, "struct", value),
)
def test_sizes(types, formula):
    for size in SIZES:
        for outer, inner in _rows_of(size):
            check(formula, types, (outer, inner, size))


# More rows than groups of lanes: each walks several, the last ones fewer. More parts than lanes join.
@pytest.mark.parametrize("name", ["rms_norm_fold", "rms_norm_backward_fold"])
def test_several_rows_each(name):
    for rows_each in [2, 5, 64]:
        check(_BY_NAME[name], "float", (3, 67, 100), rows_each, part_size=33)
    check(_BY_NAME[name], "float", (1, 1, 70000), 2, part_size=150)


# Numbers of 16 bits are rounded where they are written.
@pytest.mark.parametrize("name", ["softmax_fold", "rms_norm_backward_fold"])
@pytest.mark.parametrize("types", ["half", "bfloat16"])
def test_narrow(types, name):
    check(_BY_NAME[name], types, (2, 3, 1000))


# Activations of 16 bits, weights and their gradient of 32.
def test_types_of_operands():
    memory = ("bfloat16", "half", "float", "float", "bfloat16", "float")
    formula = dataclasses.replace(_BY_NAME["rms_norm_backward_fold"], memory=memory)
    check(formula, "bfloat16", (2, 3, 1000))


@pytest.mark.parametrize("name", _PRECISE)
def test_devices_without_double(name):
    for size in [1000, 70000]:
        check(_BY_NAME[name], "float_alone", (1, 2, size))


def test_no_elements():
    check(_BY_NAME["extremes_fold"], "float", (2, 3, 0))


# NaN, either infinity, all of a row infinite, zeros of both signs.
def _special(inputs):
    full = inputs[0].copy()
    full[0, -1], full[1, 0], full[2, 0], full[3], full[4] = np.nan, np.inf, -np.inf, -np.inf, 0
    full[4, ::2], full[5] = -0.0, -full[5]
    return [full, *inputs[1:]]


@pytest.mark.parametrize("name", ["softmax_fold", "logsumexp_fold", "extremes_fold"])
def test_special_values(name):
    for size in [2, 33, 1000]:
        check(_BY_NAME[name], "float", (2, 3, size), change=_special)


# Programs without folds, and functions that are written for OpenCL: small, large, negative numbers.
@pytest.mark.parametrize(("types", "tolerance"), [("float", 1e-5), ("double", 1e-12)])
def test_functions(types, tolerance):
    schedule, size = schedules()[0], 24
    below = -np.arange(size) / 6 - 1 / 12
    inputs = [np.stack([np.linspace(0.1, 2, size), np.linspace(2, 23.5, size), below])]
    rows = [np.array([[2.0], [3.0], [2.0]])]
    inputs, rows = rounded(inputs, [types]), rounded(rows, [types])
    call = Call(SPECIAL, compiled(SPECIAL, types, False), types, schedule, 1, size)
    results = call.run(Layouts((1, 3), size, schedule), inputs, rows)
    for result, want in zip(results, SPECIAL.reference(inputs, rows, ())):
        np.testing.assert_allclose(result, want, rtol=tolerance, atol=tolerance / 10)


# These tests see what they are there for: without barriers results are others, or others in another order.
def test_barriers_are_missed():
    formula, shape = _BY_NAME["softmax_fold"], (2, 3, 1000)
    text = "#define barrier(flags)\n" + source_of(formula, "float")
    inputs, rows = given(formula, "float", shape)
    wanted = expected(formula, inputs, rows, 6)[0]
    programs = [compile_text(text), compile_text(text, "-DOW_REVERSED")]
    for schedule in schedules():
        calls = [Call(formula, p, "float", schedule, rows_each=1, part_size=100) for p in programs]
        layouts = Layouts((2, 3), 1000, schedule)
        one, other = (call.run(layouts, inputs, rows)[0] for call in calls)
        is_right = np.allclose(one, wanted, rtol=1e-3) and one.tobytes() == other.tobytes()
        assert not is_right, schedule.name

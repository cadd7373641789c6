"""Every schedule of kernels/blocks on every shape, run by PoCL, against float64; with threads reversed."""

import dataclasses

import numpy as np
import pytest

from tests.kernels.blocks.formulas import FORMULAS, SPECIAL
from tests.kernels.blocks.harness import (
    Call,
    Layouts,
    compile_text,
    compiled,
    from_memory,
    schedules,
    source_of,
    to_memory,
)

SIZES = [1, 2, 31, 32, 33, 1000, 4097, 70000]
_TOLERANCE = {"float": 4e-6, "double": 2e-14, "half": 2e-3, "bfloat16": 2e-2, "float_alone": 4e-6}


# Outer and inner rows, few and many, as many as their length lets a test take.
def _rows_of(size):
    return [(1, 1), (3, 43) if size <= 1000 else (2, 5) if size < 10000 else (1, 2)]


# All of one sign, so that no sum is smaller than what it rounds.
def _some(formula, rows, size):
    random = np.random.default_rng(size * 1000 + rows)
    made = {"full": (rows, size), "column": (size,)}
    inputs = [random.random(made[kind]) + 0.5 for kind in formula.inputs]
    return inputs, [random.random((rows, 1)) + 0.5 for _ in range(formula.rows)]


# What the kernels are given: numbers of their type.
def _rounded(values, types):
    return [from_memory(to_memory(v, t), t) for v, t in zip(values, types)]


def _expected(formula, inputs, rows, count):
    inputs = [np.broadcast_to(v, (count, v.shape[-1])) for v in inputs]
    with np.errstate(all="ignore"):
        return formula.reference(inputs, rows, formula.params)


def _compare(results, expected, tolerance, told):
    for k, (result, want) in enumerate(zip(results, expected)):
        assert result.shape == want.shape, told
        finite = np.isfinite(want)
        scale = np.abs(want[finite]).max(initial=0)
        off = np.abs(result[finite].astype(np.float64) - want[finite]).max(initial=0)
        assert off <= tolerance * scale, f"result {k} of {told} is off by {off}, of {scale}"
        np.testing.assert_array_equal(result[~finite], want[~finite], f"result {k} of {told}")


# What a call is made with, in the same numbers each time.
def _given(formula, types, shape, change=lambda inputs: inputs):
    outer, inner, size = shape
    inputs, rows = _some(formula, outer * inner, size)
    given, _ = formula.types_of(types)
    return _rounded(change(inputs), given), _rounded(rows, given[len(inputs) :])


def _check(
    formula, types, schedule, shape, rows_each=1, part_size=1000, change=lambda inputs: inputs
):
    outer, inner, size = shape
    inputs, rows = _given(formula, types, shape, change)
    layouts = Layouts((outer, inner), size, schedule)
    told = f"{formula.struct} of {types} in {shape} by {schedule.name}, {rows_each} rows each"
    ways = []
    # Half of the time goes into compiling: the order of threads matters to one type as to the other.
    for is_reversed in [False] if types == "double" else [False, True]:
        program = compiled(formula, types, is_reversed)
        ways.append(
            Call(formula, program, types, schedule, rows_each, part_size).run(layouts, inputs, rows)
        )
    expected = _expected(formula, inputs, rows, outer * inner)
    results = [from_memory(r, t) for r, t in zip(ways[0], formula.types_of(types)[1])]
    _compare(results, expected, _TOLERANCE[types], told)
    for forwards, backwards in zip(ways[0], ways[-1]):
        assert forwards.tobytes() == backwards.tobytes(), f"{told} depends on the order of threads"


_SCHEDULES = pytest.mark.parametrize("schedule", schedules(), ids=lambda s: s.name)
_BY_NAME = {f.struct: f for f in FORMULAS}


# In double those that lose most in float.
_PRECISE = ("softmax_fold", "rms_norm_backward_fold", "var_mean_fold")


@_SCHEDULES
@pytest.mark.parametrize(
    ("types", "formula"),
    [("float", f) for f in FORMULAS] + [("double", f) for f in FORMULAS if f.struct in _PRECISE],
    ids=lambda value: getattr(value, "struct", value),
)
def test_sizes(types, formula, schedule):
    for size in SIZES:
        for outer, inner in _rows_of(size):
            _check(formula, types, schedule, (outer, inner, size))


# More rows than groups of lanes: each walks several, the last ones fewer. More parts than lanes join.
@_SCHEDULES
@pytest.mark.parametrize("name", ["rms_norm_fold", "rms_norm_backward_fold"])
def test_several_rows_each(name, schedule):
    for rows_each in [2, 5, 64]:
        _check(_BY_NAME[name], "float", schedule, (3, 67, 100), rows_each, part_size=33)
    _check(_BY_NAME[name], "float", schedule, (1, 1, 70000), 2, part_size=150)


# Numbers of 16 bits are rounded where they are written.
@_SCHEDULES
@pytest.mark.parametrize("name", ["softmax_fold", "rms_norm_backward_fold"])
@pytest.mark.parametrize("types", ["half", "bfloat16"])
def test_narrow(types, name, schedule):
    _check(_BY_NAME[name], types, schedule, (2, 3, 1000))


# Activations of 16 bits, weights and their gradient of 32.
@_SCHEDULES
def test_types_of_operands(schedule):
    memory = ("bfloat16", "half", "float", "float", "bfloat16", "float")
    formula = dataclasses.replace(_BY_NAME["rms_norm_backward_fold"], memory=memory)
    _check(formula, "bfloat16", schedule, (2, 3, 1000))


@_SCHEDULES
@pytest.mark.parametrize("name", _PRECISE)
def test_devices_without_double(name, schedule):
    for size in [1000, 70000]:
        _check(_BY_NAME[name], "float_alone", schedule, (1, 2, size))


def test_no_elements():
    for schedule in schedules():
        _check(_BY_NAME["extremes_fold"], "float", schedule, (2, 3, 0))


# NaN, either infinity, all of a row infinite, zeros of both signs.
def _special(inputs):
    full = inputs[0].copy()
    full[0, -1], full[1, 0], full[2, 0], full[3], full[4] = np.nan, np.inf, -np.inf, -np.inf, 0
    full[4, ::2], full[5] = -0.0, -full[5]
    return [full, *inputs[1:]]


@_SCHEDULES
@pytest.mark.parametrize("name", ["softmax_fold", "logsumexp_fold", "extremes_fold"])
def test_special_values(name, schedule):
    for size in [2, 33, 1000]:
        _check(_BY_NAME[name], "float", schedule, (2, 3, size), change=_special)


# Programs without folds, and functions that are written for OpenCL: small, large, negative numbers.
@pytest.mark.parametrize(("types", "tolerance"), [("float", 1e-5), ("double", 1e-12)])
def test_functions(types, tolerance):
    schedule, size = schedules()[0], 24
    below = -np.arange(size) / 6 - 1 / 12
    inputs = [np.stack([np.linspace(0.1, 2, size), np.linspace(2, 23.5, size), below])]
    rows = [np.array([[2.0], [3.0], [2.0]])]
    inputs, rows = _rounded(inputs, [types]), _rounded(rows, [types])
    call = Call(SPECIAL, compiled(SPECIAL, types, False), types, schedule, 1, size)
    results = call.run(Layouts((1, 3), size, schedule), inputs, rows)
    for result, want in zip(results, SPECIAL.reference(inputs, rows, ())):
        np.testing.assert_allclose(result, want, rtol=tolerance, atol=tolerance / 10)


# These tests see what they are there for: without barriers results are others, or others in another order.
@_SCHEDULES
def test_barriers_are_missed(schedule):
    formula, shape = _BY_NAME["softmax_fold"], (2, 3, 1000)
    text = "#define barrier(flags)\n" + source_of(formula, "float")
    inputs, rows = _given(formula, "float", shape)
    expected = _expected(formula, inputs, rows, 6)[0]
    ways = []
    for options in [[], ["-DOW_REVERSED"]]:
        program = compile_text(text, *options)
        call = Call(formula, program, "float", schedule, rows_each=1, part_size=100)
        ways += call.run(Layouts((2, 3), 1000, schedule), inputs, rows)
    is_wrong = [not np.allclose(way, expected, rtol=1e-3) for way in ways]
    assert any(is_wrong) or ways[0].tobytes() != ways[1].tobytes()

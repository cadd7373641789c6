"""Calls of a formula by every schedule, beside its reference in float64 and calls of reversed threads."""

import numpy as np

from tests.kernels.blocks.harness import Call, Layouts, compiled, from_memory, schedules, to_memory

# Of the largest number of a result.
_TOLERANCE = {"float": 4e-6, "double": 2e-14, "half": 2e-3, "bfloat16": 2e-2, "float_alone": 4e-6}


def rounded(values, types):
    """What kernels are given: numbers of their type, each of its own."""
    return [from_memory(to_memory(v, t), t) for v, t in zip(values, types)]


def given(formula, types, shape, change=lambda inputs: inputs):
    """Inputs and row inputs, the same ones each time, of one sign: sums are larger than their rounding."""
    outer, inner, size = shape
    rows = outer * inner
    random = np.random.default_rng(size * 1000 + rows)
    made = {"full": (rows, size), "column": (size,), "row": (rows, 1)}
    inputs = change([random.random(made[kind]) + 0.5 for kind in formula.inputs])
    of_rows = [random.random(made["row"]) + 0.5 for _ in range(formula.rows)]
    memory, _ = formula.types_of(types)
    return rounded(inputs, memory), rounded(of_rows, memory[len(inputs) :])


def expected(formula, inputs, rows, count):
    inputs = [np.broadcast_to(v, (count, v.shape[-1])) for v in inputs]
    with np.errstate(all="ignore"):
        return formula.reference(inputs, rows, formula.params)


def _cancelled(formula, inputs, rows, count, wanted):
    """By how much NumPy's float32 is off in each result, where terms cancel by more than others."""
    narrow = [[v.astype(np.float32) for v in values] for values in (inputs, rows)]
    found = expected(formula, *narrow, count)
    return [np.nanmax(np.abs(f - w), initial=0) for f, w in zip(found, wanted)]


def _compare(results, wanted, tolerance, spare, told):
    for k, (result, want) in enumerate(zip(results, wanted)):
        assert result.shape == want.shape, told
        finite = np.isfinite(want)
        scale = np.abs(want[finite]).max(initial=0)
        off = np.abs(result[finite].astype(np.float64) - want[finite]).max(initial=0)
        assert off <= max(tolerance * scale, spare[k]), (
            f"result {k} of {told} is off by {off}, of {scale}"
        )
        np.testing.assert_array_equal(result[~finite], want[~finite], f"result {k} of {told}")


def check(
    formula,
    types,
    shape,
    rows_each=1,
    part_size=1000,
    change=lambda inputs: inputs,
    only=None,
    cancels=False,
):
    """`shape`: outer rows, inner rows, elements. Lanes walk `rows_each`, parts have `part_size`.

    `only`: names of schedules; all if it is not given. `cancels`: results may be off by twice what NumPy's
    are that are computed in float32.
    """
    outer, inner, size = shape
    inputs, rows = given(formula, types, shape, change)
    wanted = expected(formula, inputs, rows, outer * inner)
    spare = [0] * len(wanted)
    if cancels:
        spare = [2 * off for off in _cancelled(formula, inputs, rows, outer * inner, wanted)]
    # The order of threads matters to one type as to the others, and compiling takes most of the time.
    ways = [False, True] if types == "float" else [False]
    programs = [compiled(formula, types, is_reversed) for is_reversed in ways]
    for schedule in schedules():
        if only is not None and schedule.name not in only:
            continue
        told = f"{formula.struct} of {types} in {shape} by {schedule.name}, {rows_each} rows each"
        layouts = Layouts((outer, inner), size, schedule)
        calls = [Call(formula, p, types, schedule, rows_each, part_size) for p in programs]
        forwards, *others = [call.run(layouts, inputs, rows) for call in calls]
        _, memory = formula.types_of(types)
        results = [from_memory(r, t) for r, t in zip(forwards, memory)]
        _compare(results, wanted, _TOLERANCE[types], spare, told)
        for backwards in others:
            for one, other in zip(forwards, backwards):
                assert one.tobytes() == other.tobytes(), f"{told} depends on the order of threads"

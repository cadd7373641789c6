"""The programs that the generator prints, gradients among them, run by PoCL by every schedule of
kernels/blocks, beside what their expressions are in NumPy."""

from collections import defaultdict

import numpy as np
import numpy_folds
import pytest

from tests.kernels.blocks import own_folds
from tests.kernels.blocks.checks import check
from tests.kernels.blocks.harness import Formula

# What a call of a kernel of a device can take.
_MOST_OPERANDS, _MOST_PARAMS = 12, 8
# One for each way of lanes, of which a program is run by one: compiling takes the time. All of them, and
# all sizes, are blocks_test.py's.
_SCHEDULES = ("lanes8", "split", "columns_split")


def value_of(param):
    """The number that a kernel is given, and what the argument is in NumPy."""
    how, _, of = param
    if how == "value":
        return (1.0, True) if of == "bool" else (1.0, 1) if of == "int" else (0.75, 0.75)
    return (1.0, of) if how == "text" else (1.0, None)


def reference(program):
    def values(inputs, rows, _params):
        # What only names a dimension is read by no program.
        arguments = defaultdict(int, zip(program.inputs, inputs))
        arguments.update(zip(program.rows, rows))
        for param in program.params:
            if param[0] != "given":
                arguments[param[1]] = value_of(param)[1]
        shape = inputs[0].shape
        found = program.values(numpy_folds.Folds((1,), shape), arguments)
        return [placed(v, kind, shape) for v, kind in zip(found, program.results)]

    return values


def placed(value, kind, shape):
    if kind == "full":
        return np.broadcast_to(value, shape)
    return np.broadcast_to(value, (shape[0], 1)) if kind == "row" else np.reshape(value, -1)


def formula_of(program):
    return Formula(
        struct=program.struct,
        folds=program.walks,
        reference=reference(program),
        inputs=tuple(program.kinds),
        rows=len(program.rows),
        params=tuple(value_of(param)[0] for param in program.params),
        results=tuple(program.results),
        coordinates=tuple(program.coordinates),
        header="tests/kernels/blocks/own_folds_programs.h",
    )


def fits(program):
    count = len(program.inputs) + len(program.rows) + len(program.results)
    return (
        count <= _MOST_OPERANDS and len(program.params) <= _MOST_PARAMS and "full" in program.kinds
    )


PROGRAMS = [p for p in own_folds.PROGRAMS if fits(p)]


def test_most_fit():
    """What has too many operands for a device, and what has elements in its results alone."""
    assert len(PROGRAMS) >= 0.8 * len(own_folds.PROGRAMS)


@pytest.mark.parametrize(
    ("index", "program"), enumerate(PROGRAMS), ids=lambda p: getattr(p, "name", "")
)
def test_program(index, program):
    for shape in [(2, 3, 5), (1, 37, 70)]:
        check(
            formula_of(program),
            "float",
            shape,
            part_size=33,
            only=_SCHEDULES[index % len(_SCHEDULES) :][:1],
            cancels="_backward_backward" in program.name,
        )

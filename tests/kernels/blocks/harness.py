"""Runs programs of kernels/blocks on the processor: compiles them with clang, calls every schedule.

A formula is tested by what it computes alone (`Formula`); where operands lie, how rows are shared out and
which kernels run is decided here, as a target would, but by force: every schedule runs on every shape.
"""

import functools
import math
import os
import re
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tests.kernels.blocks.opencl import Device

_MAX_OPERANDS, _MAX_COORDINATES, _MAX_PARAMS, _MAX_SLOTS = 12, 4, 8, 24
_UNTOUCHED = 77  # what lies around the elements of results

# How elements lie in memory and what is computed with: types of C++, and NumPy's of both.
TYPES = {
    "float": ("float", "float", np.float32, np.float32),
    "double": ("double", "double", np.float64, np.float64),
    "half": ("Half", "float", np.float16, np.float32),
    "bfloat16": ("BFloat16", "float", np.uint16, np.float32),
    "float_alone": ("float", "float", np.float32, np.float32),
}
# Devices without float64.
_FLOAT_ALONE = ["-Xclang", "-cl-ext=-cl_khr_fp64,-__opencl_c_fp64", "-cl-single-precision-constant"]


def to_memory(values, types):
    if types != "bfloat16":
        return values.astype(TYPES[types][2])
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_memory(values, types):
    if types != "bfloat16":
        return values.astype(np.float64)
    return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


@dataclass(frozen=True)
class Formula:
    """A program (`struct` of `header`) and what it takes and gives; the kinds of inputs are those of results.

    `full`: elements of every row; `column`: one for each folded element, the same for all rows; `row`: one
    for a row. `reference(inputs, rows, params)` has inputs as float64 [rows, size], row inputs as [rows, 1],
    and returns results of these shapes, column results as [size].
    """

    struct: str
    folds: int
    reference: Callable
    inputs: tuple = ("full",)
    rows: int = 0
    params: tuple = ()
    results: tuple = ("full",)
    coordinates: tuple = ()  # each along what is "folded", or the "kept" number of the row
    memory: tuple = ()  # TYPES of all operands in order, where these are not of one
    header: str = "tests/kernels/blocks/programs.h"

    def types_of(self, types):
        """Those of inputs and row inputs, and those of results, in a call of `types`."""
        given = len(self.inputs) + self.rows
        every = self.memory or (types,) * (given + len(self.results))
        return every[:given], every[given:]


@dataclass(frozen=True)
class Schedule:
    name: str
    lanes: int
    rows: int
    is_adjacent: bool
    is_split: bool
    dims: int  # that are folded

    @property
    def threads(self):
        return self.lanes * self.rows


@functools.cache
def device():
    return Device()


# The table of kernels/blocks/schedules.h.
@functools.cache
def schedules():
    text = Path("kernels/blocks/schedules.h").read_text()
    line = r"define\((\w+), (\d+), (\d+), (\w+), (\w+), (\d), __VA_ARGS__\)"
    return [
        Schedule(name, int(lanes), int(rows), adjacent == "true", split == "true", int(dims))
        for name, lanes, rows, adjacent, split, dims in re.findall(line, text)
    ]


# --- compiling -----------------------------------------------------------------------------------
def compile_text(text, *options):
    clang = shutil.which("clang-15", path=os.environ.get("PATH", "") + ":/usr/bin")
    if clang is None:
        raise RuntimeError("there is no clang-15: install it (./dev setup does)")
    with tempfile.TemporaryDirectory() as folder:
        source, bitcode = Path(folder, "kernels.cl"), Path(folder, "kernels.bc")
        source.write_text(text)
        command = [
            clang,
            "-x",
            "cl",
            "-cl-std=clc++",
            "-target",
            "spir64",
            "-O1",
            "-emit-llvm",
            "-Werror",
        ]
        command += [
            "-Xclang",
            "-finclude-default-header",
            "-I.",
            *options,
            "-c",
            source,
            "-o",
            bitcode,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"clang refuses kernels of\n{text}\n{done.stderr}")
        return device().program(bitcode.read_bytes())


# The text that a target compiles.
def source_of(formula, types):
    compute = TYPES[types][1]
    given, results = formula.types_of(types)
    memory = [TYPES[t][0] for t in [*given, *results]]
    operands = f"OperandsOf<{len(formula.inputs)}, {formula.rows}, {compute}, {', '.join(memory)}>"
    if not formula.memory:
        operands = f"Operands<{len(formula.inputs)}, {formula.rows}, {memory[0]}, {compute}>"
    sums = [t for t, kind in zip(memory[len(given) :], formula.results) if kind == "column"]
    return (
        f'#include "{formula.header}"\n'
        '#include "kernels/blocks/columns.h"\n'
        "using namespace opweave::blocks;\n"
        f"OW_FOLD_KERNELS(formula, {formula.struct}, {operands})\n"
        f"OW_FOLD_KERNELS_OVER_TWO(formula, {formula.struct}, {operands})\n"
        f"OW_COLUMN_SUMS(sums, {[*sums, compute][0]}, {compute})\n"
    )


@functools.cache
def compiled(formula, types, is_reversed):
    options = ["-DOW_REVERSED"] if is_reversed else []
    options += _FLOAT_ALONE if types == "float_alone" else []
    return compile_text(source_of(formula, types), *options)


# --- operands --------------------------------------------------------------------------------------
class Layouts:
    """Arrays of [outer rows, inner rows, outer elements, inner elements], with something between them."""

    def __init__(self, rows, size, schedule):
        self.rows, self.schedule = rows, schedule
        # Rows over two dimensions are cut into few or, where they are long, into many parts.
        cut = next((n for n in (7, 5, 3, 2) if size % n == 0), 1) if schedule.dims == 2 else 1
        around = size // cut if cut > 1 and size > 2000 else cut
        self.shape = (*rows, around, size // around)

    # The array that is allocated, its elements by row and place in the row, and which of it that is.
    def make(self, kind, dtype):
        outer, inner, around, size = self.shape
        if kind == "column":
            base = np.full((around, size, 2), _UNTOUCHED, dtype)
            return base, np.broadcast_to(base[None, None, :, :, 0], self.shape), np.s_[:, :, 0]
        if kind == "row":
            base = np.full((outer, inner + 1), _UNTOUCHED, dtype)
            return base, np.broadcast_to(base[:, :inner, None, None], self.shape), np.s_[:, :inner]
        if self.schedule.is_adjacent:
            base = np.full((outer, size, inner + 1), _UNTOUCHED, dtype)
            return base, base[:, None, :, :inner].transpose(0, 3, 1, 2), np.s_[:, :, :inner]
        base = np.full((around, outer, inner, size + 3), _UNTOUCHED, dtype)
        return base, base[..., :size].transpose(1, 2, 0, 3), np.s_[..., :size]

    def holding(self, kind, values, dtype):
        base, view, inside = self.make(kind, dtype)
        if kind == "full":
            view[...] = values.reshape(self.shape)
        else:
            base[inside] = values.reshape(base[inside].shape)
        return base, view


def strides_of(view):
    outer, inner, around, element = (s // view.itemsize for s in view.strides)
    return inner, outer, element, around


def geometry(shape, rows_each, parts, part_size, phase, strides, coordinates, params, dtype):
    """The bytes of a Geometry. `shape`: of rows and elements, as Layouts has it."""
    outer, inner, around, size = shape
    numbers = [
        size * around,
        max(1, size),
        outer * inner,
        inner,
        rows_each,
        parts,
        part_size,
        phase,
    ]
    for of in strides + [(0, 0, 0, 0)] * (_MAX_OPERANDS - len(strides)):
        numbers += of
    steps = {"folded": (0, 0, 1, size), "kept": (1, inner, 0, 0)}
    for k in range(_MAX_COORDINATES):
        numbers += steps[coordinates[k]] if k < len(coordinates) else (0, 0, 0, 0)
    params = list(params) + [0.0] * (_MAX_PARAMS - len(params))
    kind = "f" if dtype is np.float32 else "d"
    return struct.pack(f"{len(numbers)}q{_MAX_PARAMS}{kind}", *numbers, *params)


# --- calls -----------------------------------------------------------------------------------------
class Call:
    """One call of a formula's kernels by one schedule."""

    def __init__(self, formula, program, types, schedule, rows_each, part_size):
        self.formula, self.program, self.types, self.schedule = formula, program, types, schedule
        self.compute = TYPES[types][3]
        self.rows_each, self.part_size = rows_each, part_size

    def run(self, layouts, inputs, rows):
        """The results of [rows, size], [rows, 1] and [size], as they lie in memory."""
        formula, self.shape = self.formula, layouts.shape
        self.rows, self.size = math.prod(self.shape[:2]), math.prod(self.shape[2:])
        kinds = [*formula.inputs, *(["row"] * len(rows))]
        of_given, of_results = formula.types_of(self.types)
        values = [to_memory(v, types) for v, types in zip([*inputs, *rows], of_given)]
        given = [layouts.holding(kind, v, v.dtype) for kind, v in zip(kinds, values)]
        results = [layouts.make(kind, TYPES[t][2]) for kind, t in zip(formula.results, of_results)]
        sums = [self._sums() if kind == "column" else None for kind in formula.results]
        self._launch(given + [s or r[:2] for s, r in zip(sums, results)])
        for partial, result in zip(sums, results):
            if partial is not None:
                self._add_up(partial[0], result[0])
        return [self._read(kind, *result) for kind, result in zip(formula.results, results)]

    def _groups(self):
        each = self.rows_each * self.schedule.rows
        return math.ceil(self.rows / each) * self.schedule.rows

    # A sum for each group of lanes; groups write side by side where their rows lie side by side.
    def _sums(self):
        if self.schedule.is_adjacent:
            base = np.full((self.size, self._groups()), np.nan, self.compute)
            return base, base.T[None, :, None, :]
        base = np.full((self._groups(), self.size), np.nan, self.compute)
        return base, base[None, :, None, :]

    def _launch(self, operands):
        is_split = self.schedule.is_split
        parts = max(1, math.ceil(self.size / self.part_size)) if is_split else 1
        blocks = self._groups() // self.schedule.rows * parts
        scratch = np.full(_MAX_SLOTS * self.rows * parts, np.nan) if is_split else None
        strides = [strides_of(view) for _, view in operands]
        how = (self.rows_each, parts, self.part_size)
        for phase in range(self.formula.folds + 1 if is_split else 1):
            given = (self.formula.coordinates, self.formula.params)
            told = geometry(self.shape, *how, phase, strides, *given, self.compute)
            name = f"formula_{self.schedule.name}"
            self._run(
                name, [base for base, _ in operands], scratch, told, blocks, self.schedule.threads
            )

    # The second kernel of a column result: its rows are elements, which are sums of groups.
    def _add_up(self, partial, result):
        each = self.rows_each * self.schedule.rows
        last = math.ceil(self.rows / each) - 1
        used = last * self.schedule.rows + min(self.schedule.rows, self.rows - last * each)
        is_adjacent = self.schedule.is_adjacent
        strides = [(self._groups(), 0, 1, 0) if is_adjacent else (1, 0, self.size, 0), (2, 0, 0, 0)]
        told = geometry((1, self.size, 1, used), 1, 1, used, 0, strides, (), (), self.compute)
        name = "sums_block" if is_adjacent else "sums_columns"
        blocks = self.size if is_adjacent else math.ceil(self.size / 32)
        self._run(name, [partial, result], None, told, blocks, 256)

    def _run(self, name, operands, scratch, told, blocks, threads):
        operands = operands + [None] * (_MAX_OPERANDS - len(operands))
        self.program.run(name, [*operands, scratch, told], 8 * threads, blocks, threads)

    def _read(self, kind, base, view, inside):
        if kind == "full":
            values = view.reshape(self.rows, self.size)
        else:
            values = base[inside].reshape((-1, 1) if kind == "row" else -1)
        values, around = np.array(values), base.copy()
        around[inside] = _UNTOUCHED
        assert (around == _UNTOUCHED).all(), f"{self.formula.struct} wrote beside its results"
        return values

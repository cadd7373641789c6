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

_MAX_OPERANDS, _MAX_PARAMS, _MAX_SLOTS = 12, 8, 24
_UNTOUCHED = 77  # what lies around the elements of results

# How elements lie in memory and what is computed with: types of C++, and NumPy's of both.
TYPES = {
    "float": ("float", "float", np.float32, np.float32),
    "double": ("double", "double", np.float64, np.float64),
    "half": ("Half", "float", np.float16, np.float32),
    "bfloat16": ("BFloat16", "float", np.uint16, np.float32),
}


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
    header: str = "tests/kernels/blocks/programs.h"


@dataclass(frozen=True)
class Schedule:
    name: str
    lanes: int
    rows: int
    is_adjacent: bool
    is_split: bool

    @property
    def threads(self):
        return self.lanes * self.rows


@functools.cache
def device():
    return Device()


# The table of kernels/blocks/kernels.h.
@functools.cache
def schedules():
    text = Path("kernels/blocks/kernels.h").read_text()
    found = re.findall(r"define\((\w+), (\d+), (\d+), (\w+), (\w+), __VA_ARGS__\)", text)
    return [Schedule(name, int(n), int(m), a == "true", s == "true") for name, n, m, a, s in found]


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
    memory, compute, _, _ = TYPES[types]
    operands = f"Operands<{len(formula.inputs)}, {formula.rows}, {memory}, {compute}>"
    return (
        f'#include "{formula.header}"\n'
        '#include "kernels/blocks/columns.h"\n'
        "using namespace opweave::blocks;\n"
        f"OW_FOLD_KERNELS(formula, {formula.struct}, {operands})\n"
        f"OW_COLUMN_SUMS(sums, {memory}, {compute})\n"
    )


@functools.cache
def compiled(formula, types, is_reversed):
    return compile_text(source_of(formula, types), *(["-DOW_REVERSED"] if is_reversed else []))


# --- operands --------------------------------------------------------------------------------------
class Layouts:
    """Arrays of [outer rows, inner rows, size], with something between them."""

    def __init__(self, outer, inner, size, is_adjacent):
        self.shape = (outer, inner, size)
        self.is_adjacent = is_adjacent

    # The array that is allocated, and its elements by row and place in the row.
    def make(self, kind, dtype):
        outer, inner, size = self.shape
        if kind == "column":
            base = np.full(size * 2, _UNTOUCHED, dtype)
            return base, np.broadcast_to(base[::2], self.shape)
        if kind == "row":
            base = np.full((outer, inner + 1), _UNTOUCHED, dtype)
            return base, np.broadcast_to(base[:, :inner, None], self.shape)
        if self.is_adjacent:
            base = np.full((outer, size, inner + 1), _UNTOUCHED, dtype)
            return base, base[:, :, :inner].transpose(0, 2, 1)
        base = np.full((outer, inner, size + 3), _UNTOUCHED, dtype)
        return base, base[:, :, :size]

    def holding(self, kind, values, dtype):
        base, view = self.make(kind, dtype)
        outer, inner, _ = self.shape
        if kind == "column":
            base[::2] = values
        elif kind == "row":
            base[:, :inner] = values.reshape(outer, inner)
        else:
            view[...] = values.reshape(self.shape)
        return base, view


def strides_of(view):
    outer, inner, element = (s // view.itemsize for s in view.strides)
    return inner, outer, element


def geometry(shape, rows_each, parts, part_size, phase, strides, params, dtype):
    size, rows, inner = shape
    numbers = [size, rows, inner, rows_each, parts, part_size, phase]
    for of in strides + [(0, 0, 0)] * (_MAX_OPERANDS - len(strides)):
        numbers += of
    params = list(params) + [0.0] * (_MAX_PARAMS - len(params))
    kind = "f" if dtype is np.float32 else "d"
    return struct.pack(f"{len(numbers)}q{_MAX_PARAMS}{kind}", *numbers, *params)


# --- calls -----------------------------------------------------------------------------------------
class Call:
    """One call of a formula's kernels by one schedule."""

    def __init__(self, formula, program, types, schedule, rows_each, part_size):
        self.formula, self.program, self.types, self.schedule = formula, program, types, schedule
        _, _, self.memory, self.compute = TYPES[types]
        self.rows_each, self.part_size = rows_each, part_size

    def run(self, layouts, inputs, rows):
        """The results of [rows, size], [rows, 1] and [size], as they lie in memory."""
        formula = self.formula
        outer, inner, size = layouts.shape
        self.shape = (size, outer * inner, inner)
        kinds = [*formula.inputs, *(["row"] * len(rows))]
        values = [to_memory(v, self.types) for v in [*inputs, *rows]]
        given = [layouts.holding(kind, v, self.memory) for kind, v in zip(kinds, values)]
        sums = [self._sums() if kind == "column" else None for kind in formula.results]
        results = [layouts.make(kind, self.memory) for kind in formula.results]
        written = [(s[0], s[1]) if s is not None else r for s, r in zip(sums, results)]
        operands = given + written
        self._launch(operands)
        for partial, result in zip(sums, results):
            if partial is not None:
                self._add_up(partial[0], result)
        return [self._read(kind, *result) for kind, result in zip(formula.results, results)]

    def _groups(self):
        each = self.rows_each * self.schedule.rows
        return math.ceil(self.shape[1] / each) * self.schedule.rows

    # A sum for each group of lanes; groups write side by side where their rows lie side by side.
    def _sums(self):
        size, groups = self.shape[0], self._groups()
        if self.schedule.is_adjacent:
            base = np.full((size, groups), np.nan, self.compute)
            return base, base.T[None]
        base = np.full((groups, size), np.nan, self.compute)
        return base, base[None]

    def _launch(self, operands):
        size, rows, _ = self.shape
        parts = max(1, math.ceil(size / self.part_size)) if self.schedule.is_split else 1
        blocks = self._groups() // self.schedule.rows * parts
        scratch = np.full(_MAX_SLOTS * rows * parts, np.nan) if self.schedule.is_split else None
        pointers = [base for base, _ in operands] + [None] * (_MAX_OPERANDS - len(operands))
        strides = [strides_of(view) for _, view in operands]
        for phase in range(self.formula.folds + 1 if self.schedule.is_split else 1):
            told = geometry(
                self.shape,
                self.rows_each,
                parts,
                self.part_size,
                phase,
                strides,
                self.formula.params,
                self.compute,
            )
            name, threads = f"formula_{self.schedule.name}", self.schedule.threads
            self.program.run(name, [*pointers, scratch, told], 8 * threads, blocks, threads)

    # The second kernel of a column result: its rows are elements, which are sums of groups.
    def _add_up(self, partial, result):
        size, rows, _ = self.shape
        each = self.rows_each * self.schedule.rows
        last = math.ceil(rows / each) - 1
        used = last * self.schedule.rows + min(self.schedule.rows, rows - last * each)
        name, threads = ("block", 256) if self.schedule.is_adjacent else ("columns", 256)
        of_row, of_element = (self._groups(), 1) if self.schedule.is_adjacent else (1, size)
        blocks = size if self.schedule.is_adjacent else math.ceil(size / 32)
        strides = [(of_row, 0, of_element), (2, 0, 0)]
        told = geometry((used, size, size), 1, 1, used, 0, strides, (), self.compute)
        pointers = [partial, result[0]] + [None] * (_MAX_OPERANDS - 2)
        self.program.run(f"sums_{name}", [*pointers, None, told], 8 * threads, blocks, threads)

    def _read(self, kind, base, view):
        around = base.copy()
        outer, inner, size = view.shape
        if kind == "column":
            values, around[::2] = base[::2].copy(), _UNTOUCHED
        elif kind == "row":
            values, around[:, :inner] = base[:, :inner].reshape(-1, 1), _UNTOUCHED
        else:
            values = view.reshape(outer * inner, size)
            around[tuple(slice(0, n) for n in self._inside(base, view))] = _UNTOUCHED
        assert (around == _UNTOUCHED).all(), f"{self.formula.struct} wrote beside its results"
        return np.array(values)

    @staticmethod
    def _inside(base, view):
        outer, inner, size = view.shape
        return (outer, inner, size) if base.shape[1] == inner else (outer, size, inner)

"""Calls beside the samples of an entry: without an argument that has a default, with other dimensions,
indices counted from the end, truth values the other way, tensors of other dtypes, more elements, and none.
Kernels are seldom wrong where their authors look."""

from dataclasses import replace
from math import prod

import opweave as ow
from cases import Case
from operator_table import REQUIRED, Drawn
from references import operators_of_library

_DIMS = {"dim", "dims_or_all"}


def _roles(operator):
    name, _, overload = operator.full_name.partition(".")
    found = getattr(getattr(operators_of_library(), name), overload or "default")
    return {record["name"]: record["role"] for record in found.arguments}


def _left_out(case):
    for argument in case.operator.arguments:
        if argument.default is not REQUIRED and argument.name in case.sample:
            yield {n: v for n, v in case.sample.items() if n != argument.name}


def _rank(case):
    tensors = [v for v in case.values().values() if isinstance(v, ow.Tensor)]
    return tensors[0].dim() if tensors else 0


def _from_the_end(case):
    rank = _rank(case)
    for name, role in _roles(case.operator).items():
        value = case.sample.get(name)
        dims = value if isinstance(value, list) else [value]
        if role not in _DIMS or not all(type(d) is int and 0 <= d < rank for d in dims):
            continue
        if dims:
            counted = [d - rank for d in dims]
            yield {**case.sample, name: counted if isinstance(value, list) else counted[0]}


def _of_other_dims(case):
    for name, role in _roles(case.operator).items():
        value = case.sample.get(name)
        if role not in _DIMS or type(value) is not int:
            continue
        for other in range(_rank(case)):
            if other != value % max(1, _rank(case)):
                yield {**case.sample, name: other}


def _last_index(case):
    for name, role in _roles(case.operator).items():
        if role == "index" and type(case.sample.get(name)) is int:
            yield {**case.sample, name: -1}


def _other_way(case):
    for argument in case.operator.arguments:
        value = case.sample.get(argument.name, argument.default)
        if type(value) is bool:
            yield {**case.sample, argument.name: not value}


def _of_two_dtypes(case):
    """One tensor in float32, whatever the call is run with."""
    drawn = [n for n, v in case.sample.items() if isinstance(v, Drawn) and not v.dtype]
    for name in drawn if len(drawn) > 1 else ():
        yield {**case.sample, name: replace(case.sample[name], dtype="float32")}


def _resized(value, size, to):
    """The argument with another number of elements along the dimensions of a size."""
    if isinstance(value, list):
        return [_resized(v, size, to) for v in value]
    if not isinstance(value, Drawn) or not value.shape:
        return value
    return replace(value, shape=tuple(to if n == size else n for n in value.shape))


def _first_shape(case):
    return next((v.shape for v in case.sample.values() if isinstance(v, Drawn) and v.shape), ())


def _longer(case):
    """Rows of four vectors of 16 and a rest; and so many of them that a kernel is split for threads."""
    shape = _first_shape(case)
    if 0 in shape or not shape:
        return
    longer = {name: _resized(value, shape[-1], 67) for name, value in case.sample.items()}
    yield longer
    if shape[0] != shape[-1]:
        yield {name: _resized(value, shape[0], 1031) for name, value in longer.items()}


def _of_more_elements(case):
    """Where the sizes are alike, so many that a test takes long are not needed."""
    for sample in _longer(case):
        drawn = [v for v in sample.values() if isinstance(v, Drawn) and v.shape]
        if all(prod(v.shape) <= 1 << 20 for v in drawn):
            yield sample


def _without_elements(case):
    shape = _first_shape(case)
    if shape and shape[0] > 0:
        yield {name: _resized(value, shape[0], 0) for name, value in case.sample.items()}


def variations(case):
    """Other calls of the operator, which it may refuse."""
    every = (_left_out, _from_the_end, _of_other_dims, _last_index, _other_way, _of_two_dtypes)
    for samples in (*every, _of_more_elements, _without_elements):
        for sample in samples(case):
            yield Case(case.operator, sample)

"""Calls beside the samples of an entry: without an argument that has a default, with dimensions counted from
the end, of tensors without elements. Kernels are seldom wrong where their authors look."""

from dataclasses import replace

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


def _from_the_end(case):
    tensors = [v for v in case.values().values() if isinstance(v, ow.Tensor)]
    rank = tensors[0].dim() if tensors else 0
    for name, role in _roles(case.operator).items():
        value = case.sample.get(name)
        dims = value if isinstance(value, list) else [value]
        if role not in _DIMS or not all(type(d) is int and 0 <= d < rank for d in dims):
            continue
        if dims:
            counted = [d - rank for d in dims]
            yield {**case.sample, name: counted if isinstance(value, list) else counted[0]}


def _resized(value, size):
    """The argument with no elements along the dimensions of a size."""
    if isinstance(value, list):
        return [_resized(v, size) for v in value]
    if not isinstance(value, Drawn) or not value.shape:
        return value
    return replace(value, shape=tuple(0 if n == size else n for n in value.shape))


def _without_elements(case):
    shapes = [v.shape for v in case.sample.values() if isinstance(v, Drawn) and v.shape]
    if shapes and shapes[0][0] > 0:
        yield {name: _resized(value, shapes[0][0]) for name, value in case.sample.items()}


def variations(case):
    """Other calls of the operator, which it may refuse."""
    for samples in (_left_out, _from_the_end, _without_elements):
        for sample in samples(case):
            yield Case(case.operator, sample)

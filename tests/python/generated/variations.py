"""Calls beside the samples of an entry: without an argument that has a default, with other dimensions,
indices counted from the end, truth values the other way, tensors of other dtypes, sizes, ranks and elements,
and lists of one. Kernels and their derivatives are seldom wrong where their authors look."""

from dataclasses import dataclass, field, replace
from itertools import cycle, islice
from math import prod

import opweave as ow
from calls import label
from cases import Case
from operator_table import REQUIRED, Drawn, Elements
from reference import samples
from references import operators_of_library

_DIMS = {"dim", "dims_or_all"}
REFUSALS = (RuntimeError, TypeError, ValueError, IndexError, OverflowError)


def _told(name, values):
    """An argument of a call; its elements are in the call itself."""
    if isinstance(values.get(name), Elements):
        return f"elements of '{name}'"
    return label({name: values[name]}) if name in values else f"no '{name}'"


@dataclass(frozen=True, eq=False)
class Varied(Case):
    """A call beside a sample, which the operator may refuse."""

    beside: dict = field(default_factory=dict)  # the sample

    @property
    def told(self):
        return f"{super().told}\n  beside its sample: {', '.join(self._differences())}"

    def _differences(self):
        """The arguments that are others: `dim=0 instead of dim=1`."""
        for name in {**self.beside, **self.sample}:
            now, before = (_told(name, values) for values in (self.sample, self.beside))
            if now != before:
                yield f"{now} instead of {before}"

    def run(self, values, **options):
        return self._call(values, **options)

    @property
    def is_taken(self):
        """Whether the operator takes the call: what its rule refuses is fine."""
        try:
            self.results(self.fresh(self.values()))
        except REFUSALS as refusal:
            if "internal" in str(refusal):
                raise
            return False
        return True


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


def _one_dim(value):
    """The dimension that an argument names; None if it names none, or several."""
    if isinstance(value, list):
        return _one_dim(value[0]) if len(value) == 1 else None
    return value if type(value) is int else None


def _of_other_dims(case):
    rank = _rank(case)
    for name, role in _roles(case.operator).items():
        value = case.sample.get(name)
        dim = _one_dim(value)
        if role not in _DIMS or dim is None:
            continue
        for other in range(rank):
            if other != dim % max(1, rank):
                yield {**case.sample, name: [other] if isinstance(value, list) else other}


def _last_index(case):
    for name, role in _roles(case.operator).items():
        if role == "index" and type(case.sample.get(name)) is int:
            yield {**case.sample, name: -1}


def _other_way(case):
    for argument in case.operator.arguments:
        value = case.sample.get(argument.name, argument.default)
        if type(value) is bool:
            yield {**case.sample, argument.name: not value}


def _together(case):
    """Every truth value the other way, with another dimension: what each alone does not show."""
    flags = [{n: v for n, v in s.items() if type(v) is bool} for s in _other_way(case)]
    for dims in list(_of_other_dims(case))[:1] if flags else ():
        changed = {n: v for each in flags for n, v in each.items() if v is not case.sample.get(n)}
        yield {**dims, **changed}


def _of_two_dtypes(case):
    """One tensor in float32, whatever the call is run with."""
    drawn = [n for n, v in case.sample.items() if isinstance(v, Drawn) and not v.dtype]
    for name in drawn if len(drawn) > 1 else ():
        yield {**case.sample, name: replace(case.sample[name], dtype="float32")}


def _mapped(function, value):
    """The argument with each drawn tensor that has dimensions changed."""
    if isinstance(value, list):
        return [_mapped(function, v) for v in value]
    return function(value) if isinstance(value, Drawn) and value.shape else value


def _resized(sample, size, to):
    """The sample with another number of elements along the dimensions of a size, and indices into them."""

    def resized(drawn):
        limit = max(1, to) if drawn.limit == size else drawn.limit
        shape = tuple(to if n == size else n for n in drawn.shape)
        return replace(drawn, shape=shape, limit=limit)

    return {name: _mapped(resized, value) for name, value in sample.items()}


def _first_shape(case):
    return next((v.shape for v in case.sample.values() if isinstance(v, Drawn) and v.shape), ())


def _longer(case):
    """Rows of four vectors of 16 and a rest; and so many of them that a kernel is split for threads."""
    shape = _first_shape(case)
    if 0 in shape or not shape:
        return
    longer = _resized(case.sample, shape[-1], 67)
    yield longer
    if shape[0] != shape[-1]:
        yield _resized(longer, shape[0], 1031)


def _of_more_elements(case):
    """Where the sizes are alike, so many that a test takes long are not needed."""
    for sample in _longer(case):
        drawn = [v for v in sample.values() if isinstance(v, Drawn) and v.shape]
        if all(prod(v.shape) <= 1 << 20 for v in drawn):
            yield sample


def _without_elements(case):
    shape = _first_shape(case)
    if shape and shape[0] > 0:
        yield _resized(case.sample, shape[0], 0)


def _drawn(sample):
    """The drawn tensors that have dimensions, those in lists too."""
    found = []
    for value in sample.values():
        _mapped(found.append, value)
    return found


def _of_size_one(case):
    """Dimensions of one element: the first, the last, and all."""
    shape = _first_shape(case)
    if not shape or 0 in shape:
        return
    for size in sorted({shape[0], shape[-1]} - {1}):
        yield _resized(case.sample, size, 1)
    if len(set(shape) - {1}) > 1:
        ones = case.sample
        for size in set(shape) - {1}:
            ones = _resized(ones, size, 1)
        yield ones


def _of_rank(sample, rank):
    """All tensors with their last dimensions alone, or with more before them where they have the most."""
    most = max(len(v.shape) for v in _drawn(sample))

    def changed(drawn):
        shape = drawn.shape[max(0, len(drawn.shape) - rank) :]
        more = rank - most if len(drawn.shape) == most else 0
        return replace(drawn, shape=(2,) * more + shape)

    return {name: _mapped(changed, value) for name, value in sample.items()}


def _of_other_ranks(case):
    drawn = _drawn(case.sample)
    if not drawn or not all(0 < prod(v.shape) <= 256 for v in drawn):
        return
    for rank in (0, 1, 4):
        if rank != max(len(v.shape) for v in drawn):
            yield _of_rank(case.sample, rank)


def _of_unequal_ranks(case):
    """One tensor without its first dimension, and with one element along its last, beside others."""
    if len(_drawn(case.sample)) < 2:
        return
    for name, value in case.sample.items():
        if isinstance(value, Drawn) and value.shape and 0 not in value.shape:
            yield {**case.sample, name: replace(value, shape=value.shape[1:])}
            if value.shape[-1] > 1:
                yield {**case.sample, name: replace(value, shape=(*value.shape[:-1], 1))}


def _is_list_of_tensors(value):
    return isinstance(value, list) and bool(value) and isinstance(value[0], Drawn)


def _lists_of_one(case):
    lists = {n: v[:1] for n, v in case.sample.items() if _is_list_of_tensors(v) and len(v) > 1}
    if lists:
        yield {**case.sample, **lists}


def _of_whole_numbers(case):
    """Zeros, ones and other whole numbers, as far as the domains have them: floats are drawn beside them."""
    for name, value in case.sample.items():
        if not isinstance(value, Drawn) or not value.shape or value.dtype:
            continue
        kind = int if value.domain == "int" else float
        numbers = samples.whole_numbers("real" if value.domain == "int" else value.domain)
        chosen = [kind(n) for n in (0, 1, -1, 2, -2, 3) if n in numbers]
        if chosen and 0 < prod(value.shape) <= 256:
            elements = list(islice(cycle(chosen), prod(value.shape)))
            yield {**case.sample, name: Elements(samples.nest(elements, value.shape))}


_OF_ARGUMENTS = (_left_out, _from_the_end, _of_other_dims, _last_index, _other_way, _together)
_OF_ELEMENTS = (_of_two_dtypes, _of_more_elements, _without_elements, _of_whole_numbers)
_OF_SIZES = (_of_size_one, _of_other_ranks, _of_unequal_ranks, _lists_of_one)


def _variations(case, kinds):
    for samples_of in kinds:
        for sample in samples_of(case):
            yield Varied(case.operator, sample, case.sample)


def variations(case):
    """Other calls of the operator, which it may refuse."""
    return _variations(case, (*_OF_ARGUMENTS, *_OF_ELEMENTS, *_OF_SIZES))


def variations_of_derivatives(case):
    """Those whose derivatives differences tell: elements as drawn, which kinks are seldom at, and few."""
    return _variations(case, (*_OF_ARGUMENTS, *_OF_SIZES))


def is_varied(case):
    """Whether hands have written what computes it, or its derivatives."""
    return case.operator.by_hand or bool(case.operator.gradients)

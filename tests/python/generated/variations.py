"""Calls beside the samples of an entry: without an argument that has a default, with other dimensions,
indices counted from the end, truth values the other way, tensors of other dtypes, sizes, ranks and elements,
and lists of one. Kernels and their derivatives are seldom wrong where their authors look."""

from dataclasses import dataclass, field, replace
from itertools import combinations, cycle, islice
from math import inf, prod

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
        if isinstance(self.glance, tuple):
            return True
        if not isinstance(self.glance, REFUSALS):
            raise self.glance
        return False


def _roles(operator):
    name, _, overload = operator.full_name.partition(".")
    found = getattr(getattr(operators_of_library(), name), overload or "default")
    return {record["name"]: record["role"] for record in found.arguments}


def _dims(case):
    """Names of the arguments that are dimensions."""
    return [n for n, role in _roles(case.operator).items() if role in _DIMS and n in case.sample]


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


def _of_other_dims(case, from_the_end=False):
    rank = _rank(case)
    for name, role in _roles(case.operator).items():
        value = case.sample.get(name)
        dim = _one_dim(value)
        if role not in _DIMS or dim is None:
            continue
        for other in range(rank):
            if other != dim % max(1, rank):
                counted = other - rank if from_the_end else other
                yield {**case.sample, name: [counted] if isinstance(value, list) else counted}


def _of_others_from_the_end(case):
    yield from _of_other_dims(case, from_the_end=True)


def _last_index(case):
    for name, role in _roles(case.operator).items():
        if role == "index" and type(case.sample.get(name)) is int:
            yield {**case.sample, name: -1}


def _turned(case):
    """Every truth value the other way, by argument."""
    given = {a.name: case.sample.get(a.name, a.default) for a in case.operator.arguments}
    return {name: not value for name, value in given.items() if type(value) is bool}


def _other_way(case):
    for name, value in _turned(case).items():
        yield {**case.sample, name: value}


def _two_other_ways(case):
    for pair in combinations(_turned(case).items(), 2):
        yield {**case.sample, **dict(pair)}


def _together(case):
    """Every truth value the other way, with another dimension, and with one that is counted from the end and
    not the last: what each alone does not show."""
    if not (turned := _turned(case)):
        return
    rank = _rank(case)
    others = list(_of_other_dims(case))[:1]
    counted = [*_of_others_from_the_end(case), *_from_the_end(case)]
    inner = [s for s in counted if any(_one_dim(s[n]) in range(-rank, -1) for n in _dims(case))]
    # The other one of a matrix is the same.
    chosen = inner[:1] if inner and (rank == 2 or not others) else [*others, *inner[:1]]
    for dims in chosen:
        yield {**dims, **turned}


def _others_of(number, of_type):
    """Numbers beside one: what products and sums are neutral in, of the other sign, the next one; of what is
    of either kind whole ones too."""
    if type(number) is int:
        beside = (0, 1, -1, number + 1)
    else:
        beside = (0.0, -number, *((1, 3) if of_type.startswith("Scalar") else (1.0,)))
    return [n for n in beside if n != number]


def _other_numbers(case):
    """Where they have no role: what names a dimension or an element is varied above."""
    roles = _roles(case.operator)
    types = {a.name: a.type for a in case.operator.arguments}
    for name, value in case.sample.items():
        if type(value) in (int, float) and roles[name] in ("", "number", "probability"):
            for other in _others_of(value, types[name]):
                yield {**case.sample, name: other}


def _of_two_dtypes(case):
    """One tensor in float32, or a number in float64, whatever the call is run with."""
    drawn = [n for n, v in case.sample.items() if isinstance(v, Drawn) and not v.dtype]
    for name in drawn if len(drawn) > 1 else ():
        value = case.sample[name]
        shape = () if _are_alike([case.sample[n] for n in drawn]) else value.shape
        yield {**case.sample, name: replace(value, dtype="float32")}
        yield {**case.sample, name: replace(value, dtype="float64", shape=shape)}


def _mapped(function, value):
    """The argument with each drawn tensor that has dimensions changed."""
    if isinstance(value, list):
        return [_mapped(function, v) for v in value]
    return function(value) if isinstance(value, Drawn) and value.shape else value


def resized(sample, size, to):
    """The sample with another number of elements along the dimensions of a size, and indices into them."""

    def changed(drawn):
        limit = max(1, to) if drawn.limit == size else drawn.limit
        shape = tuple(to if n == size else n for n in drawn.shape)
        return replace(drawn, shape=shape, limit=limit)

    return {name: _mapped(changed, value) for name, value in sample.items()}


def _first_shape(case):
    return next((v.shape for v in case.sample.values() if isinstance(v, Drawn) and v.shape), ())


def _longer(case):
    """Rows of four vectors of 16 and a rest; and so many of them that a kernel is split for threads."""
    shape = _first_shape(case)
    if 0 in shape or not shape:
        return
    longer = resized(case.sample, shape[-1], 67)
    yield longer
    if shape[0] != shape[-1]:
        yield resized(longer, shape[0], 1031)


def _of_more_elements(case):
    """Where the sizes are alike, so many that a test takes long are not needed."""
    for sample in _longer(case):
        drawn = [v for v in sample.values() if isinstance(v, Drawn) and v.shape]
        if all(prod(v.shape) <= 1 << 20 for v in drawn):
            yield sample


def _of_thousands(case):
    """So many elements that a kernel goes another way, and differences take no long time. Of one sample: that
    many are alike in each."""
    shape = _first_shape(case)
    first = next(
        (s for s in case.operator.samples if len(_drawn(s)) == len(_drawn(case.sample))), None
    )
    if shape and 0 not in shape and case.sample is first:
        sample = resized(case.sample, shape[-1], 67 if len(shape) > 1 else 2053)
        sample = resized(sample, shape[0], 61) if shape[0] != shape[-1] else sample
        if all(prod(v.shape) <= 1 << 14 for v in _drawn(sample)):
            yield sample


def _without_elements(case):
    shape = _first_shape(case)
    for size in dict.fromkeys((*shape[:1], *shape[-1:])) if 0 not in shape else ():
        yield resized(case.sample, size, 0)


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
        yield resized(case.sample, size, 1)
    if len(set(shape) - {1}) > 1:
        ones = case.sample
        for size in set(shape) - {1}:
            ones = resized(ones, size, 1)
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
    """Of none to four dimensions; what names a dimension names one that is there."""
    drawn = _drawn(case.sample)
    if not drawn or not all(0 < prod(v.shape) <= 256 for v in drawn):
        return
    dims = {n: case.sample[n] for n in _dims(case) if type(case.sample[n]) is int}
    for rank in range(5):
        if rank != max(len(v.shape) for v in drawn):
            changed = _of_rank(case.sample, rank)
            if rank:
                changed |= {n: max(-rank, min(d, rank - 1)) for n, d in dims.items()}
            yield changed
            if rank == 1 and dims and (turned := _turned(case)):
                yield {**changed, **turned}


def _are_alike(drawn):
    """Whether tensors may broadcast: all have the same sizes, some that are not one."""
    shapes = {v.shape for v in drawn}
    return len(drawn) > 1 and len(shapes) == 1 and prod(*shapes) > 1


def _broadcast(case):
    """Tensors of sizes that broadcast to one another: a column with a row, a number, and a vector with three
    dimensions."""
    names = [n for n, v in case.sample.items() if isinstance(v, Drawn) and v.shape]
    if len(names) < 2 or not _are_alike([case.sample[n] for n in names]):
        return

    def of(name, *shape):
        return {name: replace(case.sample[name], shape=shape)}

    shape = case.sample[names[0]].shape
    first, second = names[:2]
    if len(shape) > 1:
        column, row = (*shape[:-1], 1), (1, *shape[1:])
        yield {**case.sample, **of(first, *column), **of(second, *row)}
        yield {**case.sample, **of(first, *row), **of(second, *column)}
    more = (2,) * (3 - len(shape)) + shape
    for one, other in ((first, second), (second, first)):
        if len(shape) > 1:
            yield {**case.sample, **of(one)}
        yield {**case.sample, **of(one, shape[-1]), **of(other, *more)}


def _of_unequal_ranks(case):
    """One tensor without its first dimension, and with one element along its first or last, beside others."""
    if len(_drawn(case.sample)) < 2:
        return
    broadcast = list(_broadcast(case))
    yield from broadcast
    for name, value in case.sample.items():
        if isinstance(value, Drawn) and value.shape and 0 not in value.shape:
            yield {**case.sample, name: replace(value, shape=value.shape[1:])}
            if broadcast and name == next(iter(broadcast[0])):
                continue  # it was a column beside a row
            if value.shape[-1] > 1:
                yield {**case.sample, name: replace(value, shape=(*value.shape[:-1], 1))}
            if len(value.shape) > 1 and value.shape[0] > 1:
                yield {**case.sample, name: replace(value, shape=(1, *value.shape[1:]))}


def _is_list_of_tensors(value):
    return isinstance(value, list) and bool(value) and isinstance(value[0], Drawn)


def _lists_of_other_lengths(case):
    """Of one, and of one more."""
    lists = {n: v for n, v in case.sample.items() if _is_list_of_tensors(v)}
    if lists:
        yield {**case.sample, **{n: v[:1] for n, v in lists.items()}}
        yield {**case.sample, **{n: [*v, v[-1]] for n, v in lists.items()}}


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


# Where domains have no end, or one beyond what is drawn.
_RANGES = {"real": (-inf, inf), "wide": (-inf, inf), "distinct": (-inf, inf), "unit": (-0.99, 0.99)}
_RANGES |= {
    "positive": (1e-3, inf),
    "nonzero": (1e-3, inf),
    "ge1": (1.01, inf),
    "prob": (0.01, 0.99),
}
# Numbers for every second element, which a formula may divide by, multiply by or compare with.
_PLACES = ((0.0, 1.0, -1.0, 2.0, 0.5, 3.0), (100.0, -100.0, 30.0), (1000.0, -1000.0))


def _at_places(case):
    """Tensors of floats with such numbers in between, as far as their domain has them, one at a time."""
    for name, value in case.sample.items():
        if not isinstance(value, Drawn) or value.domain not in _RANGES or value.dtype:
            continue
        smallest, largest = _RANGES[value.domain]
        if not 0 < prod(value.shape or (0,)) <= 256:
            continue
        flat = case.values()[name].flatten().tolist()
        for numbers in _PLACES:
            numbers = [n for n in numbers if smallest <= n <= largest]
            if numbers:
                flat[::2] = islice(cycle(numbers), len(flat[::2]))
                yield {**case.sample, name: Elements(samples.nest(flat, value.shape))}


def _alike(case):
    """Tensors that are drawn alike have the same elements."""
    drawn = [(n, v) for n, v in case.sample.items() if isinstance(v, Drawn) and v.shape]
    for (first, of), (second, other) in combinations(drawn, 2):
        if of == other and 0 < prod(of.shape) <= 256:
            elements = Elements(case.values()[first].tolist())
            yield {**case.sample, first: elements, second: elements}


_OF_ARGUMENTS = (_left_out, _from_the_end, _of_other_dims, _last_index)
_OF_VALUES = (_other_way, _two_other_ways, _together, _other_numbers)
_OF_ELEMENTS = (
    _of_others_from_the_end,
    _of_two_dtypes,
    _of_more_elements,
    _without_elements,
    _of_whole_numbers,
)
_OF_SIZES = (_of_size_one, _of_other_ranks, _of_unequal_ranks, _lists_of_other_lengths)


def _variations(case, kinds):
    for samples_of in kinds:
        for sample in samples_of(case):
            yield Varied(case.operator, sample, case.sample)


def variations(case):
    """Other calls of the operator, which it may refuse."""
    return _variations(case, (*_OF_ARGUMENTS, *_OF_VALUES, *_OF_ELEMENTS, *_OF_SIZES))


def variations_of_derivatives(case):
    """Those whose derivatives differences tell: elements as drawn, which kinks are seldom at, and few."""
    return _variations(case, (*_OF_ARGUMENTS, *_OF_VALUES, *_OF_SIZES))


def variations_of_places(case):
    """Those whose values differences may not tell, as at a kink."""
    return _variations(case, (_at_places, _alike, _of_thousands))


def is_varied(case):
    """Whether hands have written what computes it, or its derivatives."""
    return case.operator.by_hand or bool(case.operator.gradients)


def has_forward_rule(case):
    """Whether its entry says how it is differentiated forwards."""
    arguments = {a.name for a in case.operator.arguments}
    return not arguments.issuperset(case.operator.gradients)

"""Ways in which tensors of the same elements lie in memory: each in its own, as what a call writes to one
must not change another."""

import random
from zlib import crc32

import opweave as ow
from calls import mapped


def _strided(t):
    wide = ow.zeros((*t.shape[:-1], 2 * t.shape[-1]), dtype=t.dtype)
    wide[..., ::2] = t
    return wide[..., ::2]


def _transposed(t):
    return _with_swapped(t, 0, -1)


def _with_swapped(t, first, second):
    """As if two dimensions were the other way round. A row is contiguous either way: contiguous() copies
    none."""
    swapped = t.transpose(first, second).clone(memory_format=ow.contiguous_format)
    return swapped.transpose(first, second)


def _offset(t):
    longer = ow.zeros((t.shape[0] + 1, *t.shape[1:]), dtype=t.dtype)
    longer[1:] = t
    return longer[1:]


def _expanded(t):
    """Rows that share memory: of other elements, that of the first row."""
    return t[:1].clone().expand(t.shape)


LAYOUTS = {"strided": _strided, "transposed": _transposed, "offset": _offset}
EXPANDED = _expanded


def laid_out(values, layout):
    """The arguments with each tensor that has dimensions and elements in a layout."""
    return mapped(ow, lambda t: layout(t) if t.dim() and t.numel() else t.clone(), values)


def _every_second(t, chance):
    """Along a dimension, mostly along one of several elements."""
    dim = chance.choice([d for d in range(t.dim()) if t.shape[d] > 1] or [-1])
    return _strided(t.transpose(dim, -1)).transpose(dim, -1)


def _swapped(t, chance):
    first, second = chance.sample(range(t.dim()), 2)
    return _with_swapped(t, first, second)


def _expanded_along(t, chance):
    """Along a dimension, or along all."""
    dims = chance.choice([[dim] for dim in range(t.dim())] + [range(t.dim())])
    kept = t[tuple(slice(1) if d in dims else slice(None) for d in range(t.dim()))]
    return kept.clone().expand(t.shape)


KINDS = {
    "contiguous": lambda t, chance: t.clone(),
    "strided": _every_second,
    "transposed": _swapped,
    "offset": lambda t, chance: _offset(t),
    "expanded": _expanded_along,
}


def drawn_layouts(call, values, turn=0, dense=(), of=tuple(KINDS)):
    """(the arguments, the layout of each tensor), one drawn for each: what lies alike is read alike by most
    kernels. Each `turn` of a call, such as a dtype, gives a tensor another one. Elements of arguments that
    `dense` names do not share memory."""
    kinds = {}
    # Of equal indices that write to one place none is known to be the last.
    tensors = [t for v in values.values() for t in (v if isinstance(v, list) else [v])]
    among_floats = any(isinstance(t, ow.Tensor) and t.is_floating_point() for t in tensors)

    def lay(name, value):
        if isinstance(value, list):
            return [lay(f"{name}[{i}]", v) for i, v in enumerate(value)]
        if not isinstance(value, ow.Tensor):
            return value
        if not value.dim() or not value.numel():
            return value.clone()
        chance = random.Random(crc32(f"{call} {name}".encode()))
        unable = {"transposed"} if value.dim() == 1 else set()
        apart = name.partition("[")[0] in dense or (among_floats and not value.is_floating_point())
        unable |= {"expanded"} if apart else set()
        able = [kind for kind in of if kind not in unable]
        kinds[name] = chance.sample(able, len(able))[turn % len(able)]
        return KINDS[kinds[name]](value, chance)

    return {name: lay(name, v) for name, v in values.items()}, kinds


def told(kinds):
    """Layouts as failures tell them; empty if all are contiguous."""
    if set(kinds.values()) <= {"contiguous"}:
        return ""
    return ", ".join(f"'{name}' {kind}" for name, kind in kinds.items())

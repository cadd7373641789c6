"""Custom functions under vmap that say themselves how they run on a batch."""

import contextlib

from opweave import _C
from opweave.func import _tree


class VmapInfo:
    """What a vmap rule gets to know.

    Args:
        batch_size: how many examples there are.
        randomness: "error", "different" or "same".
    """

    def __init__(self, batch_size, randomness):
        self.batch_size = batch_size
        self.randomness = randomness

    def __repr__(self):
        return f"VmapInfo(batch_size={self.batch_size}, randomness='{self.randomness}')"


@contextlib.contextmanager
def outside_of(level):
    """Within `with`, calls are those of the vmaps outside of a level."""
    before = _C._vmap_change_levels(level - 1)
    try:
        yield
    finally:
        _C._vmap_change_levels(before)


def _level(value):
    return _C._batch_value(value)[0] if isinstance(value, _C.TensorBase) else 0


def highest_level(args):
    """That of the innermost vmap between whose examples an argument differs; 0: none does."""
    return max(map(_level, _tree.flatten(args)[0]), default=0)


def apply(cls, level, args):
    """A call of `cls` by its method vmap(), on the whole batch of a level."""
    if cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both generate_vmap_rule=True and a vmap "
            "staticmethod. Set generate_vmap_rule=False or delete the vmap staticmethod, so that it is clear "
            "which is meant."
        )
    leaves, structure = _tree.flatten(args)
    found = [
        _C._batch_value(a)[1] if own == level else a for a, own in zip(leaves, map(_level, leaves))
    ]
    dims = [0 if _level(a) == level else None for a in leaves]
    size = next(v.size(0) for v, d in zip(found, dims) if d == 0)
    info = VmapInfo(size, _C._vmap_randomness(level))
    with outside_of(level):
        answer = cls.vmap(
            info, _tree.unflatten(dims, structure), *_tree.unflatten(found, structure)
        )
    return _batched(cls, level, size, answer)


def _batched(cls, level, size, answer):
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise RuntimeError(
            f"Expected the vmap staticmethod of {cls.__name__} to have two returns, an output and out_dims "
            f"of a compatible structure. Got a {type(answer)} instead"
        )
    output, out_dims = answer
    leaves, structure = _tree.flatten(output)
    dims = _tree.spread(out_dims, output)
    if dims is None:
        raise RuntimeError(
            f"The vmap staticmethod of {cls.__name__} returned an incompatible (output, out_dims) tuple. "
            f"Expected out_dims={out_dims} to have the structure of the output: {len(leaves)} values"
        )
    return _tree.unflatten(
        [_batch(cls, level, size, v, d) for v, d in zip(leaves, dims)], structure
    )


def _batch(cls, level, size, value, dim):
    if dim is None or not isinstance(value, _C.TensorBase):
        return value
    if not isinstance(dim, int) or not -value.dim() <= dim < value.dim() or value.size(dim) != size:
        raise RuntimeError(
            f"The vmap staticmethod of {cls.__name__} returned out_dim={dim} for an output of shape "
            f"{tuple(value.shape)}, expected a dimension of {size} examples or None"
        )
    return _C._batch(value.movedim(dim, 0), level)

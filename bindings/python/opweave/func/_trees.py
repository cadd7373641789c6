"""What the transforms take from trees, and from what functions return."""

from opweave._C import Tensor
from opweave.func import _tree


def tensors(tree, what):
    """The leaves, all of them tensors, and the structure of the tree."""
    leaves, structure = _tree.flatten(tree)
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise TypeError(f"{what}: expected Tensors, got a value of type {type(leaf)}")
    return leaves, structure


def with_aux(result, has_aux):
    """The output and the rest, which is None without `has_aux`."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple) or len(result) != 2:
        raise RuntimeError(
            "with has_aux=True the function should return a tuple (output, aux), got "
            f"{type(result)}"
        )
    return result

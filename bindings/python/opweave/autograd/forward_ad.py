"""Forward-mode differentiation, after torch.autograd.forward_ad.

Tensors made by make_dual() carry a tangent through every operator until the level ends. Unlike
PyTorch's, levels may be nested.
"""

from typing import NamedTuple

from opweave import _C
from opweave._grad_mode import _Mode
from opweave.func._forward import laid_apart

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


def enter_dual_level():
    """Opens a level, and returns its number: 0 for the outermost."""
    return _C._forward_enter() - 1


def exit_dual_level(*, level=None):
    """Ends the innermost level: its tangents go."""
    if level is not None and level != _C._forward_depth() - 1:
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was created. This is "
            "not supported."
        )
    _C._forward_leave()


class dual_level(_Mode):  # noqa: N801 - PyTorch's name
    """A level as a context manager, or as a decorator of a function."""

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *error):
        exit_dual_level()


def make_dual(tensor, tangent, *, level=None):
    """A view of `tensor` that carries `tangent`, at the innermost level unless said otherwise."""
    number = _C._forward_depth() if level is None else level + 1
    if number < 1:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first."
        )
    for what, value in (("primal", tensor), ("tangent", tangent)):
        if not value.dtype._is_differentiable:
            raise ValueError(
                f"Expected {what} to be floating point or complex, but got: {value.dtype}"
            )
    depth = _C._vmap_depth()
    values = [laid_apart(tensor, depth), _C._to_physical(tangent, depth)]
    return _C._from_physical(_C._make_dual(*values, number), depth)


class UnpackedDualTensor(NamedTuple):
    """A tensor without its tangent, and the tangent, which may be None."""

    primal: _C.Tensor
    tangent: _C.Tensor | None


def unpack_dual(tensor, *, level=None):
    """The value and the tangent of a tensor, each without tangents of the level."""
    number = _C._forward_depth() if level is None else level + 1
    if number < 1:
        return UnpackedDualTensor(tensor, None)
    depth = _C._vmap_depth()
    physical = _C._to_physical(tensor, depth)
    tangent = _C._tangent(physical, number)
    previous = _C._set_forward_limit(number - 1)
    try:
        primal = _C._from_physical(physical.view_as(physical), depth)
    finally:
        _C._set_forward_limit(previous)
    return UnpackedDualTensor(
        primal, None if tangent is None else _C._from_physical(tangent, depth)
    )

"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from opweave import _C
from opweave._C import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of the parameters, one after another. ValueError where there is none."""
    parts = [p.view(-1) for p in parameters]
    if not parts:
        raise ValueError("parameters_to_vector(): expected at least one parameter, got none")
    return _C.cat(parts)


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Gives the parameters consecutive slices of `vec` as their data."""
    if not isinstance(vec, Tensor):
        raise TypeError(
            f"vector_to_parameters(): vec: expected a Tensor, but got: {type(vec).__name__}"
        )
    position = 0
    for parameter in parameters:
        n = parameter.numel()
        parameter.data = vec[position : position + n].view_as(parameter).data
        position += n

"""Parametrizations that networks are known by: norms of weights, and orthogonal ones."""

from __future__ import annotations

import functools
from typing import Any, TypeVar

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.nn import functional
from opweave.nn.modules.module import Module
from opweave.nn.utils import parametrize
from opweave.nn.utils._orthogonal import MAPS, _Orthogonal
from opweave.nn.utils.spectral_norm import as_matrix, default_dim
from opweave.nn.utils.weight_norm import norm_except_dim, scaled

_M = TypeVar("_M", bound=Module)

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


class _WeightNorm(Module):
    """From lengths `original0` and directions `original1`."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return scaled(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: _M, name: str = "weight", dim: int = 0) -> _M:
    """Has a module compute its parameter from lengths along `dim` (None: one length) and directions.

    Source: T. Salimans and D. Kingma, "Weight Normalization", 2016.

    Raises:
        ValueError: it has no such parameter.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    module._register_load_state_dict_pre_hook(functools.partial(_take_older_names, name))
    return module


def _take_older_names(name: str, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
    """A hook of loading: the names that utils.weight_norm gives lengths and directions become those here."""
    older = [f"{prefix}{name}{end}" for end in ("_g", "_v")]
    if all(key in state_dict for key in older):
        for i, key in enumerate(older):
            state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)


class _SpectralNorm(Module):
    """Divides by an estimate of the largest singular value, which calls in training improve."""

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        dims = weight.dim()
        if not -dims <= dim < dims:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{dims}, {dims - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.dim, self.eps = dim % dims, eps
        if dims > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight)
            height, width = matrix.size()
            u, v = matrix.new_empty(height).normal_(0, 1), matrix.new_empty(width).normal_(0, 1)
            self.register_buffer("_u", functional.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", functional.normalize(v, dim=0, eps=eps))
            self._improve(matrix, 15)

    def _matrix(self, weight):
        return as_matrix(weight, self.dim)

    @no_grad()
    def _improve(self, matrix, iterations):
        for _ in range(iterations):
            self._u.copy_(functional.normalize(_C.mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(functional.normalize(_C.mv(matrix.t(), self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        if weight.dim() == 1:
            return functional.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._improve(matrix, self.n_power_iterations)
        # The graph keeps them; the next iteration writes to the buffers.
        u, v = self._u.clone(), self._v.clone()
        return weight / _C.dot(u, _C.mv(matrix, v))

    def right_inverse(self, value):
        return value


def _tensor_named(module, name):
    weight = getattr(module, name, None)
    if not isinstance(weight, _C.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


def spectral_norm(
    module: _M,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> _M:
    """Has a module divide its parameter by its largest singular value, which power iterations estimate.

    Source: T. Miyato et al., "Spectral Normalization for Generative Adversarial Networks", 2018.

    Raises:
        ValueError: it has no such parameter, or iterations are not positive.
        IndexError: there is no such dimension.
    """
    weight = _tensor_named(module, name)
    dim = default_dim(module) if dim is None else dim
    made = _SpectralNorm(weight, n_power_iterations, dim, eps)
    parametrize.register_parametrization(module, name, made)
    return module


def orthogonal(
    module: _M,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> _M:
    """Has a module compute a parameter that is orthogonal: [..., n, k] with orthonormal columns, or rows
    where these are fewer.

    Args:
        orthogonal_map: "matrix_exp" or "cayley", of a skew-symmetric matrix, or "householder", of
            reflections; None for matrix_exp of square matrices, householder of others.
        use_trivialization: whether answers are multiplied with a matrix that makes them begin with what
            the parameter is made orthogonal to; without it parameters can only be set with householder.

    Raises:
        ValueError: no such parameter, one of fewer than 2 dimensions, or no such map.
    """
    weight = _tensor_named(module, name)
    if weight.dim() < 2:
        raise ValueError(
            f"Expected a matrix or batch of matrices. Got a tensor of {weight.dim()} dimensions."
        )
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square else "householder"
    if orthogonal_map not in MAPS:
        raise ValueError(
            'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
            f"Got: {orthogonal_map}"
        )
    made = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    parametrize.register_parametrization(module, name, made, unsafe=True)
    return module

"""Pruning: parameters with elements, or slices of them, that are held at zero.

Each function here prunes one tensor of a module in one way: `name` becomes the parameter `name_orig`, with a
buffer `name_mask`, whose product `name` is before each call. `remove` makes that the parameter again.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any, TypeVar

from opweave import _C, linalg
from opweave._C import Tensor
from opweave._dims import wrapped
from opweave.nn.modules.module import Module
from opweave.nn.utils._pruning import (
    BasePruningMethod,
    PruningContainer,
    has_method,
    remove_method,
)
from opweave.nn.utils.convert import parameters_to_vector

_M = TypeVar("_M", bound=Module)

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


def _check_amount(amount):
    """TypeError for what is no number, ValueError for one that no part and no count can be."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    most = float("inf") if isinstance(amount, numbers.Integral) else 1.0
    if not 0 <= amount <= most:
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
        )


def _count(amount, n):
    """How many of `n` go: an int as it is, a float as a part of them. ValueError for more than there are."""
    if not isinstance(amount, numbers.Integral):
        return round(amount * n)
    if amount > n:
        raise ValueError(
            f"amount={amount} should be smaller than the number of parameters to prune={n}"
        )
    return amount


class Identity(BasePruningMethod):
    """Prunes nothing, but has the tensor and its mask in their places."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask


class _Unstructured(BasePruningMethod):
    """Prunes the elements of which `_ranks` are the largest.

    Args:
        amount: how many elements, or as a float what part of those that are left.

    Raises:
        TypeError, ValueError: an amount that is no number, is negative, or is more than there is.
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _check_amount(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = _count(self.amount, t.nelement())
        mask = default_mask.clone(memory_format=_C.contiguous_format)
        if count:
            mask.view(-1)[self._chosen(t, count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prunes elements by chance."""

    def _chosen(self, t, count):
        return _C.topk(_C.rand_like(t).reshape(-1), count).indices


class L1Unstructured(_Unstructured):
    """Prunes the elements that are nearest to zero."""

    def _chosen(self, t, count):
        return _C.topk(t.abs().reshape(-1), count, largest=False).indices

    @classmethod
    def apply(
        cls, module: Module, name: str, amount: float, importance_scores: Tensor | None = None
    ) -> BasePruningMethod:
        return super().apply(module, name, amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    """Prunes whole slices along `dim`.

    Args:
        amount: how many, or as a float what part of those that are left.

    Raises:
        TypeError, ValueError: an amount that is no number, is negative, or is more than there is; a tensor
            of less than two dimensions.
        IndexError: a dimension that there is not.
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        _check_amount(amount)
        self.amount, self.dim = amount, dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        self._check(t)
        size = t.size(self.dim)
        count = _count(self.amount, size)
        if count == 0:
            return default_mask
        index = [slice(None)] * t.dim()
        index[self.dim] = self._kept(t, size, count)
        mask = _C.zeros_like(t)
        mask[tuple(index)] = 1
        return mask * default_mask.to(dtype=mask.dtype)

    def _check(self, t):
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.dim()} dims"
            )
        if not -t.dim() <= self.dim < t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")


class RandomStructured(_Structured):
    """Prunes slices along `dim` by chance."""

    def _kept(self, t, size, count):
        drawn = _C.rand(size)
        return drawn > _C.kthvalue(drawn, k=count).values


class LnStructured(_Structured):
    """Prunes the slices along `dim` whose norms are the least: of order `n`, or "fro" or "nuc"."""

    def __init__(self, amount: float, n: float | str, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        amount: float,
        n: float | str,
        dim: int,
        importance_scores: Tensor | None = None,
    ) -> BasePruningMethod:
        return super().apply(module, name, amount, n, dim, importance_scores=importance_scores)

    def _kept(self, t, size, count):
        return _C.topk(self._norms(t), size - count).indices

    def _norms(self, t):
        dims = [d for d in range(t.dim()) if d != wrapped(self.dim, t.dim())]
        if self.n == "nuc":
            of = dims if len(dims) == 2 else (-2, -1)
            return linalg.matrix_norm(t, "nuc", of)
        return linalg.vector_norm(t, 2 if self.n == "fro" else self.n, dims)


class CustomFromMask(BasePruningMethod):
    """Prunes what a mask has zeros for, of the tensor's shape."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


def identity(module: _M, name: str) -> _M:
    """Puts a tensor and a mask of ones in their places; the module."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: _M, name: str, amount: float) -> _M:
    """Prunes a number or a part (`amount`) of a tensor's elements by chance; the module."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(
    module: _M, name: str, amount: float, importance_scores: Tensor | None = None
) -> _M:
    """Prunes a number or a part of a tensor's elements, those next to zero, or of least score; the module."""
    L1Unstructured.apply(module, name, amount, importance_scores=importance_scores)
    return module


def random_structured(module: _M, name: str, amount: float, dim: int) -> _M:
    """Prunes a number or a part of a tensor's slices along `dim` by chance; the module."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: _M,
    name: str,
    amount: float,
    n: float | str,
    dim: int,
    importance_scores: Tensor | None = None,
) -> _M:
    """Prunes a number or a part of a tensor's slices along `dim`, those of least norm; the module."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: _M, name: str, mask: Tensor) -> _M:
    """Prunes what `mask`, of the tensor's shape, has zeros for; the module."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prunes elements chosen among those of several tensors.

    Args:
        parameters: pairs of a module and a name of a tensor of it.
        pruning_method: a class of methods of the type "unstructured".
        importance_scores: scores by such pairs, in place of values.
        kwargs: the method's.

    Raises:
        TypeError: no pairs, scores that are no dictionary, or a method of another type.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    parameters = [_module_and_name(i, pair) for i, pair in enumerate(parameters)]
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    tensors = [getattr(module, name) for module, name in parameters]
    masks = [
        getattr(module, f"{name}_mask", _C.ones_like(tensor))
        for (module, name), tensor in zip(parameters, tensors, strict=True)
    ]
    ranked = [scores.get(pair, tensor) for pair, tensor in zip(parameters, tensors, strict=True)]
    chosen = _chosen_among_all(pruning_method, ranked, masks, kwargs)
    parts = chosen.split([tensor.numel() for tensor in tensors])
    for (module, name), tensor, part in zip(parameters, tensors, parts, strict=True):
        custom_from_mask(module, name, mask=part.view_as(tensor))


def _module_and_name(i, pair):
    """A member of what `global_unstructured` is given."""
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not isinstance(pair[0], Module):
        raise TypeError(
            f"global_unstructured(): parameters[{i}]: expected a pair of a Module and a name of one of "
            f"its parameters, got {type(pair).__name__}"
        )
    return tuple(pair)


def _chosen_among_all(pruning_method, ranked, masks, options):
    """A mask for all tensors, one after another."""
    method = pruning_method(**options)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    method._tensor_name = "all"
    return PruningContainer(method).compute_mask(
        parameters_to_vector(ranked), parameters_to_vector(masks)
    )


def remove(module: _M, name: str) -> _M:
    """Makes what is left of a pruned tensor the module's parameter; the module.

    Raises:
        ValueError: it is not pruned.
    """
    return remove_method(module, name)


def is_pruned(module: Module) -> bool:
    """Whether any tensor of a module, or of one in it, is pruned."""
    return has_method(module)

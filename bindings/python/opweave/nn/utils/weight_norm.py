"""A weight as its length times its direction, computed before each call.

Source: T. Salimans and D. Kingma, "Weight Normalization", 2016. As parametrizations.weight_norm, with the
names of parameters that older programs have saved.
"""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

from opweave._C import Tensor
from opweave._dims import wrapped
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter, UninitializedParameter

_M = TypeVar("_M", bound=Module)

__all__ = ["WeightNorm", "norm_except_dim", "remove_weight_norm", "weight_norm"]


def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm along all dimensions but one, of size 1 there; of all elements for dim=-1."""
    if dim == -1:
        return v.norm(pow)
    return v.norm(pow, [d for d in range(v.dim()) if d != wrapped(dim, v.dim())], keepdim=True)


def scaled(v: Tensor, g: Tensor, dim: int) -> Tensor:
    """`v` with the lengths `g`."""
    return v * (g / norm_except_dim(v, 2, dim))


class WeightNorm:
    """What computes a weight before each call of its module."""

    def __init__(self, name: str, dim: int) -> None:
        self.name, self.dim = name, -1 if dim is None else dim

    def compute_weight(self, module: Module) -> Tensor:
        """Of the module's parameters `name_v` and `name_g`."""
        return scaled(
            getattr(module, self.name + "_v"), getattr(module, self.name + "_g"), self.dim
        )

    @staticmethod
    def apply(module: Module, name: str, dim: int) -> WeightNorm:
        """Replaces the parameter `name` of a module; RuntimeError if that was done."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == name:
                raise RuntimeError(
                    f"Cannot register two weight_norm hooks on the same parameter {name}"
                )
        hook = WeightNorm(name, dim)
        weight = getattr(module, name)
        if isinstance(weight, UninitializedParameter):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the "
                "dummy forward before applying weight normalization"
            )
        del module._parameters[name]
        module.register_parameter(name + "_g", Parameter(norm_except_dim(weight, 2, hook.dim).data))
        module.register_parameter(name + "_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter of the value that it has."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[self.name + "_g"], module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: _M, name: str = "weight", dim: int = 0) -> _M:
    """Has a module compute its parameter from `name_g` (lengths along `dim`) and `name_v`.

    Raises:
        RuntimeError: it does so already.
    """
    warnings.warn(
        "`nn.utils.weight_norm` is deprecated in favor of `nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: _M, name: str = "weight") -> _M:
    """Makes a normed weight a parameter again. ValueError if it is none."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")

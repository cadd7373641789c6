"""A weight divided by its largest singular value, computed before each call.

Source: T. Miyato et al., "Spectral Normalization for Generative Adversarial Networks", 2018. As
parametrizations.spectral_norm, with the names of tensors that older programs have saved.
"""

from __future__ import annotations

from typing import Any, TypeVar

from opweave import _C, _dtype_info, linalg
from opweave._C import Tensor
from opweave._grad_mode import no_grad
from opweave.functional import where
from opweave.nn import functional
from opweave.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter, UninitializedParameter

_M = TypeVar("_M", bound=Module)

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "remove_spectral_norm",
    "spectral_norm",
]


def as_matrix(weight: Tensor, dim: int) -> Tensor:
    """[size of dim, all others]"""
    if dim != 0:
        weight = weight.permute(dim, *(d for d in range(weight.dim()) if d != dim))
    return weight.reshape(weight.size(0), -1)


def default_dim(module: Module) -> int:
    """Along which the outputs of a module lie in its weight."""
    transposed = isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d))
    return 1 if transposed else 0


class SpectralNorm:
    """What computes a weight before each call of its module."""

    # Of what it saves: without a version there was no `name_v`, and the normed weight was saved as well.
    _version = 1

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got "
                f"n_power_iterations={n_power_iterations}"
            )
        self.name, self.dim, self.eps = name, dim, eps
        self.n_power_iterations = n_power_iterations

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """[outputs, rest]"""
        return as_matrix(weight, self.dim)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """Of `name_orig`, `name_u` and `name_v`; power iterations improve the vectors in place."""
        weight, u, v = (getattr(module, self.name + end) for end in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(functional.normalize(matrix.t().mv(u), dim=0, eps=self.eps))
                    u.copy_(functional.normalize(matrix.mv(v), dim=0, eps=self.eps))
                # The graph keeps them; the next iteration writes to the buffers.
                u, v = u.clone(), v.clone()
        return weight / _C.dot(u, matrix.mv(v))

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter of the value that it has."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        for end in ("_u", "_v", "_orig"):
            delattr(module, self.name + end)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    @staticmethod
    def apply(
        module: Module, name: str, n_power_iterations: int, dim: int, eps: float
    ) -> SpectralNorm:
        """Replaces the parameter `name` of a module; RuntimeError if that was done."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(
                    f"Cannot register two spectral_norm hooks on the same parameter {name}"
                )
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run "
                "the dummy forward before applying spectral normalization"
            )
        with no_grad():
            height, width = hook.reshape_weight_to_matrix(weight).size()
            u = functional.normalize(weight.new_empty(height).normal_(0, 1), dim=0, eps=eps)
            v = functional.normalize(weight.new_empty(width).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook

    def _v_of(self, matrix: Tensor, u: Tensor, sigma: Tensor) -> Tensor:
        """The vector that `u` is the normed image of, in the length for which u @ matrix @ v is `sigma`."""
        left, values, right = linalg.svd(matrix, full_matrices=False)
        least = max(matrix.size()) * _dtype_info.finfo(matrix.dtype).eps * values.max()
        inverse = where(values > least, values.reciprocal(), 0)
        v = right.t().mv(inverse * left.t().mv(u))  # the shortest of which u is the image
        return v * (sigma / _C.dot(u, matrix.mv(v)))


class SpectralNormStateDictHook:
    """Says in a state dict's metadata of which version a normed weight is."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self, module: Module, state_dict: Any, prefix: str, local_metadata: dict[str, Any]
    ) -> None:
        versions, name = local_metadata.setdefault("spectral_norm", {}), self.fn.name + ".version"
        if name in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {name}")
        versions[name] = self.fn._version


class SpectralNormLoadStateDictPreHook:
    """Computes what a state dict of before version 1 lacks, from the weight that it has instead."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        name = prefix + self.fn.name
        version = local_metadata.get("spectral_norm", {}).get(self.fn.name + ".version")
        is_new = name not in state_dict and all(
            name + e in state_dict for e in ("_orig", "_u", "_v")
        )
        if (version or 0) >= 1 or (version is None and is_new):
            return  # a program may have made it without metadata
        lacking = [name + e for e in ("_orig", "", "_u") if name + e not in state_dict]
        if lacking:
            missing_keys += lacking if strict else []
            return
        if not all(isinstance(state_dict[name + e], Tensor) for e in ("_orig", "", "_u")):
            return  # which loading tells
        with no_grad():
            original, u = state_dict[name + "_orig"], state_dict[name + "_u"]
            sigma = (original / state_dict.pop(name)).mean()
            matrix = self.fn.reshape_weight_to_matrix(original)
            state_dict[name + "_v"] = self.fn._v_of(matrix, u, sigma)


def spectral_norm(
    module: _M,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> _M:
    """Has a module divide its parameter by its largest singular value, which power iterations estimate.

    Args:
        module: its parameter becomes `name_orig`, beside buffers `name_u` and `name_v`.
        n_power_iterations: in each call in training.
        eps: the least norm to divide by.
        dim: of the outputs; None for 1 of transposed convolutions, 0 of all others.

    Raises:
        RuntimeError: it does so already.
        ValueError: no such parameter, or iterations that are not positive.
    """
    dim = default_dim(module) if dim is None else dim
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: _M, name: str = "weight") -> _M:
    """Makes a normed weight a parameter again. ValueError if it is none."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            _forget(module._state_dict_hooks, hook)
            _forget(module._load_state_dict_pre_hooks, hook)
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")


def _forget(registry: dict[int, Any], of: SpectralNorm) -> None:
    """Takes out the hook about saving that belongs to a hook about calls."""
    for key, kept in list(registry.items()):
        if getattr(getattr(kept, "hook", kept), "fn", None) is of:
            del registry[key]

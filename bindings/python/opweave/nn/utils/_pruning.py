"""How a parameter is pruned: values and a mask lie beside it, whose product it is before each call."""

from __future__ import annotations

import abc
import itertools
from collections.abc import Iterator
from typing import Any

from opweave import _C
from opweave._C import Tensor
from opweave.nn.modules.module import Module

__all__ = ["BasePruningMethod", "PruningContainer"]


def _hooks_of(module, name):
    """(key, method) of what prunes a tensor of a module."""
    return [
        (key, hook)
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]


def _check_scores(scores, tensor, what):
    if scores.shape != tensor.shape:
        raise AssertionError(
            f"importance_scores should have the same shape as {what}, got {scores.shape} vs {tensor.shape}"
        )


class BasePruningMethod(abc.ABC):
    """A way to prune; subclasses say by `compute_mask` which elements stay.

    `PRUNING_TYPE` says what they choose among when something was pruned before: "unstructured" among
    the elements that are left, "structured" among the slices along `dim` that are, "global" among all.
    """

    _tensor_name: str = None

    @abc.abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """1 for each element of `t` that stays, as a tensor like `default_mask`, the mask so far."""

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def apply_mask(self, module: Module) -> Tensor:
        """The product of the module's `name_orig` and `name_mask`."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask, values = (getattr(module, self._tensor_name + end) for end in ("_mask", "_orig"))
        return mask.to(dtype=values.dtype) * values

    @classmethod
    def apply(
        cls,
        module: Module,
        name: str,
        *args: Any,
        importance_scores: Tensor | None = None,
        **kwargs: Any,
    ) -> BasePruningMethod:
        """Prunes a tensor of a module, more of it where it is pruned already.

        Args:
            module: its parameter `name` becomes `name_orig`, beside a buffer `name_mask`.
            args, kwargs: the method's.
            importance_scores: of the tensor's shape, by which elements are chosen; None for their values.

        Returns:
            The method; a `PruningContainer` of all where there are several.

        Raises:
            AssertionError: scores of another shape.
        """
        method = cls._joined_method(module, name, args, kwargs)
        values = getattr(module, name)
        if importance_scores is not None:
            _check_scores(importance_scores, values, f"parameter {name} of {module}")
        scores = values if importance_scores is None else importance_scores
        if isinstance(method, PruningContainer):
            method._mask_more(module, scores)
        else:
            method._mask_first(module, scores, values)
        module.register_forward_pre_hook(method)
        return method

    @classmethod
    def _joined_method(cls, module, name, args, kwargs):
        """A new one, or the one that is there, taken out of the module, with it."""
        found = _hooks_of(module, name)
        if len(found) > 1:
            raise AssertionError(
                f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a "
                "PruningContainer."
            )
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if not found:
            return method
        ((key, former),) = found
        del module._forward_pre_hooks[key]
        joined = former if isinstance(former, PruningContainer) else PruningContainer(former)
        joined.add_pruning_method(method)
        return joined

    def _mask_first(self, module, scores, values):
        # What the method refuses leaves the module as it was.
        mask = self.compute_mask(scores, default_mask=_C.ones_like(values))
        name = self._tensor_name
        del module._parameters[name]
        module.register_parameter(f"{name}_orig", values)
        self._set(module, mask)

    def _set(self, module, mask):
        module.register_buffer(f"{self._tensor_name}_mask", mask)
        setattr(module, self._tensor_name, self.apply_mask(module))

    def prune(
        self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None
    ) -> Tensor:
        """`t` with zeros for what does not stay; nothing is kept.

        Raises:
            AssertionError: scores of another shape.
        """
        if importance_scores is not None:
            _check_scores(importance_scores, t, "tensor t")
        mask = _C.ones_like(t) if default_mask is None else default_mask
        scores = t if importance_scores is None else importance_scores
        return t * self.compute_mask(scores, default_mask=mask)

    def remove(self, module: Module) -> None:
        """Makes the pruned values the parameter; what stays pruned is zero, and may be trained again."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        name = self._tensor_name
        values = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        parameter = module._parameters.pop(f"{name}_orig")
        parameter.data = values.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, parameter)


class PruningContainer(BasePruningMethod):
    """Methods that prune one tensor after another; the last one's mask is computed, on top of the others'.

    Raises:
        TypeError: what is no method. ValueError: one of another tensor.
    """

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod | None) -> None:
        """Adds one that prunes the same tensor; None is kept as it is."""
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[BasePruningMethod]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: int) -> BasePruningMethod:
        return self._pruning_methods[idx]

    def _mask_more(self, module, scores):
        mask = getattr(module, f"{self._tensor_name}_mask").detach()
        mask = mask.clone(memory_format=_C.contiguous_format)
        self._set(module, self.compute_mask(scores, default_mask=mask))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The last method's choice among what `default_mask` leaves it.

        Raises:
            ValueError: a type of method that there is not. AttributeError: a structured one without `dim`.
            IndexError: a dimension that there is not.
        """
        method = self._pruning_methods[-1]
        left = _left_to(method, default_mask)
        found = default_mask.to(dtype=t.dtype, copy=True)
        chosen = method.compute_mask(t[left], default_mask=default_mask[left])
        found[left] = chosen.to(dtype=found.dtype)
        return found


def _left_to(method, mask):
    """An index: of what a method chooses among."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    dims = mask.dim()
    index = [slice(None)] * dims
    if method.PRUNING_TYPE == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                'Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.'
            )
        if method.dim < -dims:
            raise IndexError(f"Index is out of bounds for tensor with dimensions {dims}")
        dim = method.dim if method.dim >= 0 else dims + method.dim
        others = [d for d in range(dims) if d != dim]
        index[dim] = mask.sum(dim=others) != 0
    elif method.PRUNING_TYPE != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    return tuple(index)


def remove_method(module, name):
    """Has what prunes a tensor end, and keeps its values. ValueError where nothing does."""
    for key, hook in _hooks_of(module, name):
        hook.remove(module)
        del module._forward_pre_hooks[key]
        return module
    raise ValueError(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def has_method(module):
    """Whether anything of a module or of those in it is pruned."""
    hooks = itertools.chain.from_iterable(m._forward_pre_hooks.values() for m in module.modules())
    return any(isinstance(hook, BasePruningMethod) for hook in hooks)

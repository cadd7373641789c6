"""The handle of a registered hook, and the backward hooks of one call of a module."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from opweave._C import Tensor
from opweave._hooks import RemovableHandle
from opweave.nn.modules._module.backward_hooks import BackwardWatch

_F = TypeVar("_F", bound=Callable[..., Any])

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f: _F) -> _F:
    """Marks a hook, which then is not warned of when its tensor is saved."""
    f.__torch_unserializable__ = True
    return f


def warn_if_has_hooks(tensor: Tensor) -> None:
    """Warns of hooks of a tensor, which files do not keep, but for those that are marked."""
    for hook in (getattr(tensor, "_backward_hooks", None) or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can "
                "decorate the function with @opweave.utils.hooks.unserializable_hook to suppress this "
                "warning",
                stacklevel=2,
            )


class BackwardHook(BackwardWatch):
    """Calls hooks when the gradients of one call of a module pass by.

    Args:
        module: what the hooks are given.
        user_hooks: hook(module, grad_input, grad_output).
        user_pre_hooks: hook(module, grad_output).
    """

    def setup_input_hook(self, args: Any) -> Any:
        """The arguments to call the module with."""
        return self.inputs(args)

    def setup_output_hook(self, args: Any) -> Any:
        """What the call gives."""
        return self.outputs(args)

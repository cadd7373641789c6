"""Hooks on all modules of a program: on their calls, their backward passes, and on what they register."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from opweave._hooks import RemovableHandle

# By PyTorch's names, which libraries look into.
_global_forward_pre_hooks = OrderedDict()
_global_forward_hooks = OrderedDict()
_global_forward_hooks_always_called = OrderedDict()
_global_forward_hooks_with_kwargs = OrderedDict()
_global_backward_pre_hooks = OrderedDict()
_global_backward_hooks = OrderedDict()
_global_buffer_registration_hooks = OrderedDict()
_global_module_registration_hooks = OrderedDict()
_global_parameter_registration_hooks = OrderedDict()

# Which hooks on calls there are, in one place, so that a call without any asks once.
on_calls = OrderedDict()
_kind = {"full": None}  # of the backward hooks; None before there was one


def register_module_forward_pre_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Has hook(module, args) called before the forward of every module; it may return new args."""
    return RemovableHandle.register(_global_forward_pre_hooks, hook, extra=[on_calls])


def register_module_forward_hook(
    hook: Callable[..., object], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Has hook(module, args, output) called after the forward of every module; it may return a new output.

    Args:
        with_kwargs: call hook(module, args, kwargs, output).
        always_call: also where forward raises.
    """
    extra = [on_calls]
    extra += [_global_forward_hooks_with_kwargs] if with_kwargs else []
    extra += [_global_forward_hooks_always_called] if always_call else []
    return RemovableHandle.register(_global_forward_hooks, hook, extra=extra)


def register_module_full_backward_pre_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Has hook(module, grad_output) called before the backward of every module; it may return others."""
    return RemovableHandle.register(_global_backward_pre_hooks, hook, extra=[on_calls])


def register_module_full_backward_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Has hook(module, grad_input, grad_output) called for every module when the gradients of its inputs are
    computed; it may return others.

    Raises:
        RuntimeError: there were hooks of register_module_backward_hook().
    """
    return _on_backward(hook, full=True)


def register_module_backward_hook(hook: Callable[..., object]) -> RemovableHandle:
    """An old kind of register_module_full_backward_hook(): on the node of the module's result alone.

    Raises:
        RuntimeError: there were full ones.
    """
    return _on_backward(hook, full=False)


def _on_backward(hook, full):
    if _kind["full"] is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
            "Please use only one of them."
        )
    _kind["full"] = full
    return RemovableHandle.register(_global_backward_hooks, hook, extra=[on_calls])


def backward_hooks(full: bool) -> tuple[Any, ...]:
    """The backward hooks of this kind."""
    return tuple(_global_backward_hooks.values()) if _kind["full"] is full else ()


def register_module_buffer_registration_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Has hook(module, name, buffer) called when a buffer is registered; what it returns takes its place."""
    return RemovableHandle.register(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Has hook(module, name, submodule) called when one is registered; what it returns takes its place."""
    return RemovableHandle.register(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable[..., object]) -> RemovableHandle:
    """Has hook(module, name, parameter) called when one is registered; what it returns takes its place."""
    return RemovableHandle.register(_global_parameter_registration_hooks, hook)


def registered(hooks: OrderedDict[int, Any], module: object, name: str, value: Any) -> Any:
    """What stands in a module after the registration hooks have seen it."""
    for hook in tuple(hooks.values()):
        result = hook(module, name, value)
        if result is not None:
            value = result
    return value

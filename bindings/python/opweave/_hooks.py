"""Hooks on tensors: the checks around what the engine calls."""

from opweave import _C


def register_tensor_hook(tensor, hook):
    """Tensor.register_hook."""
    if not callable(hook):
        raise TypeError(f"hook has to be callable, got {type(hook).__name__}")
    return tensor._register_hook(hook)


def register_post_accumulate_hook(tensor, hook):
    """Tensor.register_post_accumulate_grad_hook."""
    if not callable(hook):
        raise TypeError(f"hook has to be callable, got {type(hook).__name__}")
    return tensor._register_post_accumulate_grad_hook(hook)


RemovableHandle = _C._HookHandle

"""The recorded graph: its nodes and edges, and hooks on what it saves."""

import contextlib
import threading
from typing import Any, NamedTuple

from opweave import _C
from opweave._grad_mode import enable_grad, no_grad

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]
Node = _C._Node
_disabled = threading.local()
_entered = threading.local()  # the saved_tensors_hooks of a thread, the innermost last


class GradientEdge(NamedTuple):
    """A place in the graph where a gradient is computed: autograd.grad() and backward() take it for a tensor.

    `ownership_token` keeps what it belongs to.
    """

    node: Any
    output_nr: int
    ownership_token: Any = None


def _node_of(tensor):
    if tensor.grad_fn is not None:
        return tensor.grad_fn
    with enable_grad():
        return tensor.view_as(tensor).grad_fn.next_functions[0][0]


def get_gradient_edge(tensor):
    """Where the gradient of a tensor is computed.

    Raises:
        RuntimeError: the tensor requires none.
    """
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not require gradients"
        )
    return GradientEdge(_node_of(tensor), tensor.output_nr, tensor)


def tensor_at(place):
    """The tensor of an edge; anything else as it is.

    Raises:
        NotImplementedError: an edge that get_gradient_edge() did not give.
        RuntimeError: its tensor was written in place since.
    """
    if not isinstance(place, GradientEdge):
        return place
    tensor = place.ownership_token
    if not isinstance(tensor, _C.TensorBase):
        raise NotImplementedError(
            f"GradientEdge of {place.node}: expected one that get_gradient_edge() gave"
        )
    if _node_of(tensor) is not place.node:
        raise RuntimeError(
            "GradientEdge: its tensor was written in place since, and has another one"
        )
    return tensor


def increment_version(tensor):
    """Has autograd take a tensor, or each of several, for written to; nothing is.

    Raises:
        RuntimeError: one that was made in inference mode.
    """
    for t in [tensor] if isinstance(tensor, _C.TensorBase) else tensor:
        if t.is_inference():
            raise RuntimeError("Inference tensors do not track version counter.")
        with no_grad():
            t.detach().reshape(-1)[:0].zero_() if t.is_contiguous() else _touch(t)


def _touch(tensor):
    view = tensor.detach()
    (view[None][:0] if view.dim() == 0 else view.narrow(0, 0, 0)).zero_()


def register_multi_grad_hook(tensors, fn, *, mode="all"):
    """Has a function called once in each backward pass.

    Args:
        tensors: whose gradients are watched.
        mode: "all": fn(gradients) when those of all tensors are there that get one; the others are None.
            "any": fn(gradient) with the first.

    Raises:
        ValueError: another mode.
    """
    from opweave.autograd import _multi_hooks

    return _multi_hooks.register(tensors, fn, mode)


def allow_mutation_on_saved_tensors():
    """Within `with`: tensors that are saved for backward may be written in place; they are copied before.
    Backward passes run inside of the block.

    Raises:
        RuntimeError: inside of another such block.
        AssertionError: in a backward pass after the block.
    """
    from opweave.autograd import _saved_mutation

    return _saved_mutation.allow_mutation_on_saved_tensors(saved_tensors_hooks)


@contextlib.contextmanager
def disable_saved_tensors_hooks(error_message):
    """Within `with`, or in the calls of a function: saved_tensors_hooks raise a RuntimeError of this text."""
    before = getattr(_disabled, "message", None)
    _disabled.message = error_message
    try:
        yield
    finally:
        _disabled.message = before


class saved_tensors_hooks:  # noqa: N801
    """Inside of the block, pack_hook(tensor) says what is kept of every tensor that is saved for
    backward, and unpack_hook makes the tensor from it again."""

    _of_checkpoint = False

    def __init__(self, pack_hook, unpack_hook):
        self._hooks = pack_hook, unpack_hook

    def __enter__(self):
        if (message := getattr(_disabled, "message", None)) is not None:
            raise RuntimeError(message)
        _C._push_saved_tensors_hooks(*self._hooks)
        vars(_entered).setdefault("hooks", []).append(self)

    def __exit__(self, *exception):
        _C._pop_saved_tensors_hooks()
        _entered.hooks.pop()


class hooks_of_checkpoint(saved_tensors_hooks):  # noqa: N801
    """Those by which a checkpoint drops what is saved, and which are nobody's choice."""

    _of_checkpoint = True


def chosen_hooks():
    """The two functions of the innermost saved_tensors_hooks of this thread that a program chose; None if
    there are none."""
    chosen = [h for h in getattr(_entered, "hooks", ()) if not h._of_checkpoint]
    return chosen[-1]._hooks if chosen else None


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Keeps what is saved for backward in host memory.

    Args:
        pin_memory: for PyTorch's programs; copies wait for their end either way.
        device_type: likewise; tensors of all devices are copied.
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(
            lambda tensor: (tensor.device, tensor.cpu()),
            lambda packed: packed[1].to(packed[0]),
        )

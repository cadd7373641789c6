"""Variable, from before tensors recorded what is done to them: a call gives a tensor."""

import warnings

from opweave import _C
from opweave.autograd import _passes

__all__ = ["Variable"]


class ImperativeEngine:
    """The engine that runs backward passes, by the name by which programs call it."""

    @staticmethod
    def queue_callback(callback):
        """Has `callback()` called at the end of the backward pass that runs in this thread."""
        _C._queue_backward_callback(callback)

    @staticmethod
    def run_backward(
        tensors,
        grad_tensors=None,
        keep_graph=False,
        create_graph=False,
        inputs=(),
        allow_unreachable=False,
        accumulate_grad=False,
    ):
        """A backward pass: gradients into `grad` of leaves, or those of `inputs` as a tuple."""
        if accumulate_grad or not inputs:
            _passes.backward(tensors, grad_tensors, keep_graph, create_graph, inputs=inputs or None)
            return ()
        return _passes.grad(
            tensors,
            inputs,
            grad_tensors,
            keep_graph,
            create_graph,
            allow_unused=allow_unreachable,
        )


class VariableMeta(type):
    """Every tensor is a Variable."""

    def __instancecheck__(cls, other):
        return isinstance(other, _C.Tensor)


class Variable(metaclass=VariableMeta):
    """`Variable(data)` is `data` itself, cut off from what was recorded: a tensor that shares its memory.

    Args:
        data: a tensor; an empty one for None.
        requires_grad: whether it records what is done to it.
        volatile: without effect; a warning says so.

    Raises:
        TypeError: data that is no tensor.
    """

    _execution_engine = ImperativeEngine()

    def __new__(cls, data=None, requires_grad=False, volatile=False, _grad_fn=None, name=None):
        if volatile:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                stacklevel=2,
            )
        if data is None:
            data = _C.Tensor()
        if not isinstance(data, _C.Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        made = data.detach().as_subclass(_C.Tensor)
        return made.requires_grad_() if requires_grad else made

"""Custom functions: a forward pass in Python with a backward pass of its own."""

import functools

from opweave import _C


class FunctionCtx(_C._FunctionContext):
    """What forward and backward share: `ctx`."""


class Function:
    """Base class of custom functions.

    A subclass defines static methods `forward(ctx, *args)` and `backward(ctx, *grads)`, or
    `forward(*args)`, `setup_context(ctx, inputs, output)` and `backward`; it is called by
    `Subclass.apply(*args)`.
    """

    setup_context = None

    def __init__(self, *args, **kwargs):
        raise RuntimeError(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all "
            "static, so you should invoke them on the class itself."
        )

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        namespace = {"_function": cls, "__module__": cls.__module__}
        cls._context_class = type(cls.__name__ + "Backward", (FunctionCtx,), namespace)

    @staticmethod
    def forward(*args, **kwargs):
        """Computes the results."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Computes the gradient of every argument of forward; None where there is none."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom "
            "autograd.Function to use it with backward mode AD."
        )

    @classmethod
    def apply(cls, *args):
        """Runs forward and records the call."""
        return _C._apply_function(cls, cls._context_class, args)


def once_differentiable(function):
    """Decorates a backward whose result cannot be differentiated again."""

    @functools.wraps(function)
    def wrapper(ctx, *args):
        from opweave._grad_mode import no_grad

        with no_grad():
            outputs = function(ctx, *args)
        needs = any(isinstance(a, _C.TensorBase) and a.requires_grad for a in args)
        if not (_C.is_grad_enabled() and needs):
            return outputs
        message = (
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )
        if not isinstance(outputs, tuple):
            return _C._delayed_error(message, outputs)
        return tuple(_C._delayed_error(message, o) for o in outputs)

    return wrapper

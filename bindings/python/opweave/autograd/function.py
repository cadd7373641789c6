"""Custom functions: a forward pass in Python with a backward pass of its own."""

import functools
import inspect

from opweave import _C


class FunctionCtx(_C._FunctionContext):
    """What forward, backward and jvp share: `ctx`."""

    def save_for_forward(self, *tensors):
        """Keeps tensors for jvp."""
        self._saved_for_forward = tensors


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

    # Another name for backward; a class has one of them.
    vjp = backward

    @classmethod
    def _derivative(cls):
        """What a backward pass calls."""
        if cls.vjp is Function.vjp:
            return cls.backward
        if cls.backward is not Function.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should "
                "only implement one of them."
            )
        return cls.vjp

    @staticmethod
    def jvp(ctx, *grad_inputs):
        """Computes the tangent of every result of forward; gets those of the arguments: zeros for a tensor
        without one (None after set_materialize_grads(False)), None for what is no tensor of floats."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with "
            "forward mode AD."
        )

    # Whether a function that has no vmap() may run on the examples of a batch as it is written. It may in
    # any case: PyTorch's programs say so.
    generate_vmap_rule = False

    @staticmethod
    def vmap(info, in_dims, *args):
        """Computes the results of a batch under vmap, and where they have the examples.

        Args:
            info: `batch_size` and `randomness` of the vmap.
            in_dims: of each argument, the dimension that counts the examples, or None.
            args: the arguments, with that dimension.

        Returns:
            (results, out_dims). Without this method forward and backward run on the batch as they are.
        """
        raise NotImplementedError("this Function has no vmap() of its own")

    @classmethod
    def apply(cls, *args, **kwargs):
        """Runs forward and records the call. Arguments by keyword count as if they were given by position,
        and so do defaults where there is a setup_context(), which is told all inputs.

        Raises:
            TypeError: forward has no such positional argument, or misses one.
        """
        if kwargs or cls.setup_context is not None:
            args = _by_position(cls, args, kwargs)
        if _C._vmap_depth() and cls.vmap is not Function.vmap:
            from opweave.autograd import _function_vmap

            if level := _function_vmap.highest_level(args):
                return _function_vmap.apply(cls, level, args)
        if _C._forward_depth():
            return _apply(cls, args, [])
        return _C._apply_function(cls, cls._context_class, args)


def _positional(cls):
    """Name and default of each argument of forward that has a position, after the context."""
    forward = cls.forward
    known = cls.__dict__.get("_positional_arguments")
    if known is None or known[0] != forward:
        given = list(inspect.signature(forward).parameters.values())
        given = given if cls.setup_context is not None else given[1:]
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        known = (forward, [(p.name, p.default) for p in given if p.kind in kinds])
        cls._positional_arguments = known
    return known[1]


def _by_position(cls, args, kwargs):
    """The arguments of forward; without a setup_context() as far as the last that is given by keyword."""
    names = [name for name, _ in _positional(cls)]
    for name in kwargs:
        if name not in names:
            raise TypeError(f"forward() got an unexpected keyword argument '{name}'")
        if names.index(name) < len(args):
            raise TypeError(f"forward() got multiple values for argument '{name}'")
    count = len(names) if cls.setup_context is not None else 1 + max(map(names.index, kwargs))
    found = list(args)
    for name, default in _positional(cls)[len(args) : count]:
        value = kwargs.get(name, default)
        if value is inspect.Parameter.empty:
            raise TypeError(
                f"forward() missing required argument: '{name}' (position {names.index(name)})"
            )
        found.append(value)
    return tuple(found)


class InplaceFunction(Function):
    """Function by another name, which older programs derive from."""


def _is_tensor(value):
    return isinstance(value, _C.TensorBase)


class _ForwardContext:
    """What jvp sees: the context, with what save_for_forward() kept."""

    def __init__(self, ctx):
        self._ctx = ctx

    @property
    def saved_tensors(self):
        return self._ctx.__dict__.get("_saved_for_forward", None) or self._ctx.saved_tensors

    def __getattr__(self, name):
        return getattr(self._ctx, name)


def _highest_level(args):
    return max((_C._tangent_level(a) for a in args if _is_tensor(a)), default=0)


def _materialized(argument, tangent):
    """The tangent of an argument, zeros for one that has none but could."""
    if tangent is not None or not _is_tensor(argument) or not argument.is_floating_point():
        return tangent
    return _C.zeros_like(argument)


def _apply_forward(cls, level, args, contexts):
    """The call as lower levels see it, then the tangents of its results at this one."""
    tangents = [_C._tangent(a, level) if _is_tensor(a) else None for a in args]
    previous = _C._set_forward_limit(level - 1)
    try:
        result = _apply(cls, args, contexts)
        if contexts[0]._materialize_grads:
            tangents = list(map(_materialized, args, tangents))
        pushed = cls.jvp(_ForwardContext(contexts[0]), *tangents)
    finally:
        _C._set_forward_limit(previous)
    results = list(result) if isinstance(result, tuple) else [result]
    pushed = pushed if isinstance(pushed, tuple) else (pushed,)
    if len(pushed) != len(results):
        raise RuntimeError(
            f"{cls.__name__}.jvp returned an incorrect number of tangents (expected {len(results)}, "
            f"got {len(pushed)})"
        )
    for i, t in enumerate(pushed):
        if t is not None and _is_tensor(results[i]):
            results[i] = _C._attach_tangent(results[i], t, level)
    return tuple(results) if isinstance(result, tuple) else results[0]


def _apply(cls, args, contexts):
    """apply() where tangents may be seen; `contexts` receives the context."""
    level = _highest_level(args)
    if level:
        return _apply_forward(cls, level, args, contexts)

    def make_context():
        contexts.append(cls._context_class())
        return contexts[0]

    return _C._apply_function(cls, make_context, args)


def _depends_on(ctx, grads):
    """Whether what a backward computes may be differentiated by: gradients, or tensors that it keeps."""
    if any(_is_tensor(g) and g.requires_grad for g in grads):
        return True
    keeps = ctx._has_saved or any(_is_tensor(v) for v in vars(ctx).values())
    return keeps and any(ctx.needs_input_grad)


def once_differentiable(function):
    """Decorates a backward whose result cannot be differentiated again: who does so gets an error, not the
    derivative of a constant."""

    @functools.wraps(function)
    def wrapper(ctx, *args):
        from opweave._grad_mode import no_grad

        with no_grad():
            outputs = function(ctx, *args)
        if not (_C.is_grad_enabled() and _depends_on(ctx, args)):
            return outputs
        ctx = getattr(
            ctx, "_ctx", ctx
        )  # of an operator's backward: what it gets stands for a context
        message = (
            "trying to differentiate twice a function that was marked with @once_differentiable"
        )
        if not isinstance(outputs, tuple):
            return _C._delayed_error(message, outputs, args, ctx)
        return tuple(_C._delayed_error(message, o, args, ctx) for o in outputs)

    return wrapper

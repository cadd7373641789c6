"""The kernel of an operator for the key Autograd: records a call, whose backward the program gives."""

from opweave import _C
from opweave._custom_ops.structure import as_tuple, is_tensor, is_tensor_list, tensors
from opweave.autograd.function import Function


class _Call:
    """A call's arguments as autograd sees them, tensors in lists one by one, and as they were given."""

    def __init__(self, args, kwargs):
        self._kwargs = kwargs
        self._layout, self.flat = [], []  # of each argument whether it is spread, over how many
        for value in args:
            if is_tensor_list(value):
                self._layout.append(len(value))
                self.flat.extend(value)
            else:
                self._layout.append(None)
                self.flat.append(value)

    def given(self, flat):
        """The arguments, of what was spread."""
        values, at = [], 0
        for count in self._layout:
            values.append(flat[at] if count is None else list(flat[at : at + count]))
            at += count or 1 if count is None else count
        return values

    def spread(self, gradients, name):
        """Gradients of the arguments as those of the spread ones. RuntimeError where a list is too short."""
        if len(gradients) != len(self._layout):
            raise RuntimeError(
                f"{name}: the backward function returned {len(gradients)} gradients, expected one for each "
                f"of the {len(self._layout)} arguments, None for those without"
            )
        flat = []
        for at, (gradient, count) in enumerate(zip(gradients, self._layout)):
            if count is None:
                flat.append(gradient)
            elif gradient is None:
                flat.extend([None] * count)
            elif isinstance(gradient, list | tuple) and len(gradient) == count:
                flat.extend(gradient)
            else:
                raise RuntimeError(
                    f"{name}: the backward function returned {type(gradient).__name__} as gradient of "
                    f"argument "
                    f"{at}, a list of {count} tensors; expected a list of as many, or None"
                )
        return flat


class _Context:
    """What `setup_context` and `backward` get: the context, which of the arguments need a gradient as they
    were given."""

    def __init__(self, ctx, call):
        object.__setattr__(self, "_ctx", ctx)
        object.__setattr__(self, "_call", call)

    @property
    def needs_input_grad(self):
        return tuple(self._call.given(list(self._ctx.needs_input_grad[1:])))

    def __getattr__(self, name):
        return getattr(self._ctx, name)

    def __setattr__(self, name, value):
        setattr(self._ctx, name, value)


def _no_backward(name):
    def backward(ctx, *grads):
        raise RuntimeError(
            f"Trying to backward through {name} but no autograd formula was registered. If this operator is "
            "meant to be differentiable, please register one with register_autograd"
        )

    return backward


def _bump_version(tensor):
    """Says that a tensor was written: a kernel may have done so past all operators, through NumPy say."""
    tensor.detach().as_strided((0,), (1,)).zero_()


class _WithoutFormula(Function):
    """Results that nobody differentiates, though an argument requires a gradient: backward says so."""

    @staticmethod
    def forward(ctx, name, result, *arguments):
        ctx.name = name
        return result.detach()

    @staticmethod
    def backward(ctx, *grads):
        _no_backward(ctx.name)(ctx, *grads)


def _that_say_so(result, name, arguments):
    """A result of a call with these tensors that requires a gradient where one of them does."""
    if isinstance(result, list | tuple):
        return type(result)(_that_say_so(r, name, arguments) for r in result)
    differentiable = is_tensor(result) and result.is_floating_point()
    if not differentiable or result.requires_grad:  # a kernel of operators is differentiated
        return result
    return _WithoutFormula.apply(name, result, *arguments)


def writing_kernel(operator, name, below):
    """What is registered for Autograd of an operator that writes arguments: those are seen as written."""
    written = [a["name"] for a in operator.arguments if a["written"]]
    positions = {a["name"]: i for i, a in enumerate(operator.arguments)}

    def kernel(*args, **kwargs):
        with below():
            result = operator(*args, **kwargs)
        values = [
            args[positions[n]] if positions[n] < len(args) else kwargs.get(n) for n in written
        ]
        arguments = tensors([*args, *kwargs.values()])
        needs = _C.is_grad_enabled() and any(t.requires_grad for t in arguments)
        if needs:
            result = _that_say_so(result, name, arguments)
        for tensor in tensors(values):
            _bump_version(tensor)
        return result

    return kernel


def autograd_kernel(operator, name, backward, setup_context, below):
    """What is registered for Autograd.

    Args:
        operator: called again, below autograd.
        name: for messages.
        backward: `backward(ctx, *gradients)` -> a gradient of every argument; None: there is none.
        setup_context: `setup_context(ctx, inputs, output)`, or None; with keyword-only arguments
            `setup_context(ctx, inputs, keyword_only_inputs, output)`.
        below: context manager in which calls go below autograd.
    """
    backward = backward or _no_backward(name)

    class Recorded(Function):
        @staticmethod
        def forward(ctx, call, *flat):
            with below():
                result = operator(*call.given(list(flat)), **call._kwargs)
            ctx._call = call
            if setup_context is not None:
                inputs = tuple(call.given(list(flat)))
                keywords = {"keyword_only_inputs": call._kwargs} if call._kwargs else {}
                setup_context(ctx=_Context(ctx, call), inputs=inputs, **keywords, output=result)
            if isinstance(result, list):
                ctx._is_list = True
                return tuple(result)
            return result

        @staticmethod
        def backward(ctx, *gradients):
            call = ctx._call
            if getattr(ctx, "_is_list", False):
                gradients = (list(gradients),)
            found = as_tuple(backward(_Context(ctx, call), *gradients))
            return (None, *call.spread(found, name))

    Recorded.__name__ = Recorded.__qualname__ = name.replace("::", "_")
    Recorded._context_class.__name__ = f"{Recorded.__name__}Backward"

    def kernel(*args, **kwargs):
        needs = _C.is_grad_enabled() and any(
            t.requires_grad for t in tensors([*args, *kwargs.values()])
        )
        if not needs:
            with below():
                return operator(*args, **kwargs)
        call = _Call(args, kwargs)
        result = Recorded.apply(call, *call.flat)
        is_list = len(operator.returns) == 1 and "[]" in str(operator.returns[0].get("type", ""))
        return list(result) if is_list and not is_tensor(result) else result

    return kernel

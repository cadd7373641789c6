"""Every way in which a program has something recorded for its derivative, each a function of three numbers.

Beside each stands the same function made of operators, which knows nothing of it.
"""

import functools

import opweave as ow
from opweave.autograd import Function
from opweave.utils.checkpoint import checkpoint

WEIGHTS = ow.tensor([0.5, -1.0, 2.0], dtype=ow.float64)


def cube(x):
    return x**3 * x.sum()


class Ways(dict):
    """By name: (function, the same of operators, what refuses it: transforms, or "run again" of those that
    take no part in the second run)."""

    def add(self, plain=cube, name=None, refuses=()):
        def added(function):
            self[name or function.__name__] = (function, plain, set(refuses))
            return function

        return added


WAYS = Ways()


# --- operators ------------------------------------------------------------------------------------------
WAYS.add(name="operators")(cube)


@WAYS.add(lambda x: (x.exp() / x.exp().sum()) * x)
def composites(x):
    return ow.nn.functional.softmax(x, 0) * x


@WAYS.add()
def in_place(x):
    y = x.clone()
    y.mul_(x).mul_(x)
    y[:2] *= x.sum()
    y[2:].mul_(x.sum())
    return y


@WAYS.add(lambda x: x * WEIGHTS + (x * x).mean())
def captured(x):
    return ow.addcmul((x * x).mean(), x, WEIGHTS)


# --- functions of Python --------------------------------------------------------------------------------
class Old(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2

    @staticmethod
    def jvp(ctx, tangent):
        (x,) = ctx.saved_tensors
        return tangent * 3 * x**2


class New(Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    backward = Old.backward
    jvp = Old.jvp


class Generated(New):
    generate_vmap_rule = True


class Ruled(New):
    @staticmethod
    def vmap(info, in_dims, x):
        assert x.size(in_dims[0]) == info.batch_size
        return Ruled.apply(x.movedim(in_dims[0], -1)), -1


class Attributes(Function):
    """Keeps tensors on the context, and in what it keeps there."""

    @staticmethod
    def forward(ctx, x):
        ctx.x, ctx.more = x, {"again": [x]}
        return x**3

    @staticmethod
    def backward(ctx, grad):
        return grad * (2 * ctx.x**2 + ctx.more["again"][0] * ctx.x)


class SavesOutput(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]


class Several(Function):
    """Two tensors and a number in, two out, of which one may have no gradient."""

    @staticmethod
    def forward(ctx, x, factor, w):
        ctx.save_for_backward(x, None, w)
        ctx.factor = factor
        return x * w * factor, x + w

    @staticmethod
    def backward(ctx, first, second):
        x, _, w = ctx.saved_tensors
        found = [None, None, None]
        if ctx.needs_input_grad[0]:
            found[0] = first * w * ctx.factor + second
        if ctx.needs_input_grad[2]:
            found[2] = first * x * ctx.factor + second
        return tuple(found)


class Unmaterialized(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x**3, x * 2

    @staticmethod
    def backward(ctx, first, second):
        (x,) = ctx.saved_tensors
        found = None if first is None else first * 3 * x**2
        return found if second is None else 2 * second + (0 if found is None else found)


class Unchanged(Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Dirty(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        ctx.save_for_backward(x.exp_())
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]


class Viewed(Function):
    @staticmethod
    def forward(ctx, x):
        return x.reshape(3, 1).expand(3, 2)

    @staticmethod
    def backward(ctx, grad):
        return grad.sum(1)


class Wide(Function):
    """A gradient of more dimensions than its input has."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y, grad * x


class Checked(Function):
    """With a result that has no gradient."""

    @staticmethod
    def forward(ctx, x):
        signs = x.sign()
        ctx.mark_non_differentiable(signs)
        ctx.save_for_backward(x, signs)
        return x.abs() * x, signs

    @staticmethod
    def backward(ctx, grad, _):
        x, signs = ctx.saved_tensors
        return grad * 2 * x * signs


for kind in (Old, New, Generated, Ruled, Attributes):
    refuses = {"jvp", "jacfwd"} if kind is Attributes else ()
    WAYS.add(name=f"a function: {kind.__name__}", refuses=refuses)(
        functools.partial(lambda kind, x: kind.apply(x) * x.sum(), kind)
    )
    # A part of the gradient goes another way.
    WAYS.add(lambda x: x**4, name=f"a function beside: {kind.__name__}", refuses=refuses)(
        functools.partial(lambda kind, x: kind.apply(x) * x, kind)
    )
_functions = functools.partial(WAYS.add, refuses={"jvp", "jacfwd"})
_functions(lambda x: x.exp(), "a function: saves its output")(SavesOutput.apply)
_functions(lambda x: x * x.sin() * 3 * (x + x.sin()), "a function: several")(
    lambda x: (lambda a, b: a * b)(*Several.apply(x, 3, x.sin()))
)
_functions(lambda x: x * WEIGHTS * 2 + x, "a function: captured")(
    lambda x: Several.apply(x, 2, WEIGHTS)[0] + x
)
_functions(lambda x: x**3, "a function: None for no gradient")(lambda x: Unmaterialized.apply(x)[0])
_functions(lambda x: x * 2 * x.sum(), "a function: None for no gradient, 2")(
    lambda x: Unmaterialized.apply(x)[1] * x.sum()
)
# Its gradient is twice that of what it computes.
_functions(None, "a function: what it is given")(lambda x: Unchanged.apply(x) * x)
_functions(lambda x: (2 * x).exp() * x, "a function: in place")(lambda x: Dirty.apply(x * 2) * x)
_functions(lambda x: x * x * 2, "a function: a view")(lambda x: (Viewed.apply(x).sum(1)) * x)
_functions(lambda x: x * x.sum(), "a function: a gradient too wide")(
    lambda x: Wide.apply(x.sum(), x)
)
_functions(lambda x: x.abs() * x * x.sign(), "a function: a result without gradient")(
    lambda x: (lambda y, s: y * s)(*Checked.apply(x))
)


@_functions(name="a function: in another")
def nested(x):
    class Outer(Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x)
            return Generated.apply(x) + y * 0

        @staticmethod
        def backward(ctx, grad):
            return grad * 3 * Several.apply(ctx.saved_tensors[0], 1, ctx.saved_tensors[0])[0], None

    return Outer.apply(x, WEIGHTS) * x.sum()


# --- run again, and hooks -------------------------------------------------------------------------------
@WAYS.add(refuses={"run again"})
def checkpointed(x):
    return checkpoint(cube, x, use_reentrant=False)


@WAYS.add(refuses={"run again"})
def checkpointed_function(x):
    return checkpoint(lambda y: Generated.apply(y) * y.sum(), x, use_reentrant=False)


@WAYS.add()
def saved_tensor_hooks(x):
    with ow.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t * 1):
        return cube(x)


@WAYS.add()
def saved_as_arrays(x):
    pack, unpack = (lambda t: t.detach().numpy().copy()), ow.from_numpy
    with ow.autograd.graph.saved_tensors_hooks(pack, unpack):
        return cube(x)


@WAYS.add()
def saved_on_cpu(x):
    with ow.autograd.graph.save_on_cpu():
        return Generated.apply(x) * x.sum()


def _hooked(x, hook):
    y = x * 1
    if y.requires_grad:
        y.register_hook(hook)
    return y**3 * y.sum()


@WAYS.add(None)
def hook(x):
    """What one example's gradient becomes depends on all of it."""
    return _hooked(x, lambda grad: grad * grad.sum())


@WAYS.add()
def hook_that_looks(x):
    def look(grad):
        assert grad.shape == (3,)

    return _hooked(x, look)


@WAYS.add(None)
def hook_of_a_function(x):
    return _hooked(Generated.apply(x), lambda grad: Generated.apply(grad) + grad)


@WAYS.add(None)
def hooks_of_a_function_node(x):
    y = Old.apply(x)
    if y.grad_fn is not None:
        y.grad_fn.register_prehook(lambda grads: (grads[0] * grads[0].sum(),))
        y.grad_fn.register_hook(lambda found, grads: (found[0] * grads[0].sum(),))
    return y * x.sum()


@WAYS.add(None)
def hooks_of_several_tensors(x):
    y, z = x * 2, x.sin()
    if y.requires_grad:
        # What it sees adds up in a leaf, so that the gradient is another.
        seen = []
        ow.autograd.graph.register_multi_grad_hook((y, z), seen.extend)
        y.register_hook(lambda grad: grad + grad.sum())
    return y * z


class _Scales(ow.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_full_backward_hook(lambda module, found, grads: (found[0] * found[0].sum(),))
        self.register_full_backward_pre_hook(lambda module, grads: (grads[0] * grads[0].sum(),))

    def forward(self, x):
        return x**3


@WAYS.add(None)
def hooks_of_a_module(x):
    return _Scales()(x) * x.sum()


# --- operators of Python --------------------------------------------------------------------------------
def _operator(name):
    @ow.library.custom_op(f"recordings::{name}", mutates_args=())
    def power(x: ow.Tensor, n: int) -> ow.Tensor:
        return ow.from_numpy(x.detach().numpy() ** n)

    def setup(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.n = inputs[1]

    def backward(ctx, grad):
        # The second derivative is an operator's as well.
        return grad * ctx.n * (power(ctx.saved_tensors[0], ctx.n - 1)), None

    power.register_autograd(backward, setup_context=setup)
    return power


_looped, _ruled = _operator("looped"), _operator("ruled")
_ruled.register_vmap(lambda info, in_dims, x, n: (_ruled(x, n), in_dims[0]))
for name, power in (("an operator", _looped), ("an operator with a rule", _ruled)):
    WAYS.add(name=name, refuses={"jvp", "jacfwd"})(
        functools.partial(lambda power, x: power(x, 3) * x.sum(), power)
    )

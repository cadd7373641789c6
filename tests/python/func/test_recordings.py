"""Every way of recording under every stack of two transforms, against the same function of operators and a
loop over the examples. What no derivative can be found of is refused: it is never zero."""

import functools
import itertools

import opweave as ow
import pytest
from opweave.autograd import Function
from opweave.func import grad, jacfwd, jacrev, jvp, vjp, vmap
from opweave.utils.checkpoint import CheckpointError
from support.recordings import WAYS

BATCH = ow.tensor([[0.4, 0.7, -0.3], [1.1, -0.6, 0.9]], dtype=ow.float64)


def _weighted(y):
    return (y * ow.arange(1, y.numel() + 1, dtype=y.dtype).reshape(y.shape).cos()).sum()


def _of_grad(f):
    return grad(lambda x: _weighted(f(x)))


def _of_vjp(f):
    def pulled(x):
        value, pull = vjp(f, x)
        return pull(value.detach().sin())[0]

    return pulled


def _of_jvp(f):
    return lambda x: jvp(f, (x,), (x.detach().cos(),))[1]


def _of_backward(f):
    """A plain backward pass, into a leaf."""

    def gradient(x):
        leaf = x.detach().requires_grad_()
        (_weighted(f(leaf)) + 0 * leaf.sum()).backward()  # what it gives may be a constant
        return leaf.grad

    return gradient


def _of_autograd(f):
    """Gradients of computed tensors, recorded."""

    def gradient(x):
        with ow.enable_grad():
            y = x * 1 if x.requires_grad else x.clone().requires_grad_()
            found = ow.autograd.grad(_weighted(f(y)) + 0 * y.sum(), y, create_graph=True)[0]
        return found

    return gradient


def _looped(f):
    return lambda batch: ow.stack([f(x) for x in batch])


TRANSFORMS = {
    "vmap": vmap,
    "grad": _of_grad,
    "vjp": _of_vjp,
    "jvp": _of_jvp,
    "jacrev": jacrev,
    "jacfwd": jacfwd,
    "backward": _of_backward,
    "autograd.grad": _of_autograd,
}
STACKS = [
    (outer, inner)
    for outer in TRANSFORMS
    for inner in TRANSFORMS
    if outer != inner or outer != "vmap"
]


def _stacked(stack, f, of_batch):
    outer, inner = ({**TRANSFORMS, "vmap": of_batch}[name] for name in stack)
    return outer(inner(f))


def _point(stack):
    return BATCH if "vmap" in stack else BATCH[1]


@functools.cache
def _expected(plain, stack):
    return _stacked(stack, plain, _looped)(_point(stack))


def _refused(stack, refused):
    """The error and its words, where a way takes no part in a stack; None where it does."""
    outer, inner = stack
    forwards = {"jvp", "jacfwd"}
    if inner == "backward" and outer in forwards:
        return None  # of a constant nobody asks how it was computed
    if refused & set(stack):
        return NotImplementedError, "forward"
    if "run again" in refused and inner in forwards and outer not in forwards | {"vmap"}:
        return CheckpointError, "different number of tensors"  # tangents have gone with their level
    return None


@pytest.mark.parametrize("stack", STACKS, ids=" of ".join)
@pytest.mark.parametrize("name", WAYS)
def test_every_way_of_recording(name, stack):
    way, plain, refused = WAYS[name]
    transformed = _stacked(stack, way, vmap)
    if why := _refused(stack, refused):
        with pytest.raises(why[0], match=why[1]):
            transformed(_point(stack))
        return
    found = transformed(_point(stack))
    expected = _expected(plain or way, stack)
    assert found.shape == expected.shape
    assert ow.allclose(found, expected, rtol=1e-9, atol=1e-9), (found, expected)
    assert not found.requires_grad or "autograd.grad" in stack


@pytest.mark.parametrize("name", WAYS)
def test_every_way_in_nested_vmaps(name):
    """Some examples are the same for the outer vmap, some for the inner one."""
    way, plain, _ = WAYS[name]
    batches = BATCH, ow.cat([BATCH, BATCH.cos()])

    def one(f):
        return _of_grad(lambda x: f(x) * f(x.flip(0)))

    def both(f, of_batch):
        return lambda a, b: of_batch(lambda x: of_batch(lambda y: one(f)(x * y) + one(f)(y))(b))(a)

    found, expected = both(way, vmap)(*batches), both(plain or way, _looped)(*batches)
    assert ow.allclose(found, expected, rtol=1e-9, atol=1e-9), (found, expected)


# Stacks of three over what two do not show: writes and saved tensors in front of several tangents.
DEEP = ("operators", "in_place", "a function: New", "saved_as_arrays", "hooks_of_a_module")
DEEPER = [
    (*outer, inner)
    for outer in itertools.product(("jvp", "jacfwd", "vmap"), ("jvp", "jacfwd", "vjp"))
    for inner in ("grad", "autograd.grad", "jacrev", "vmap")
    if "vmap" not in outer or inner != "vmap"
]


@pytest.mark.parametrize("stack", DEEPER, ids=" of ".join)
@pytest.mark.parametrize("name", DEEP)
def test_third_derivatives(name, stack):
    way, plain, _ = WAYS[name]

    def transformed(f, of_batch):
        for transform in reversed(stack):
            f = {**TRANSFORMS, "vmap": of_batch}[transform](f)
        return f(_point(stack))

    found, expected = transformed(way, vmap), transformed(plain or way, _looped)
    assert found.shape == expected.shape
    assert ow.allclose(found, expected, rtol=1e-9, atol=1e-9), (found, expected)


# --- derivatives by what a vmap captures ----------------------------------------------------------------
class Product(Function):
    @staticmethod
    def forward(x, y):
        return x**2 * y**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * 2 * x * y**3, grad * 3 * x**2 * y**2

    @staticmethod
    def jvp(ctx, of_x, of_y):
        x, y = ctx.saved_tensors
        return of_x * 2 * x * y**3 + of_y * 3 * x**2 * y**2


class RuledProduct(Product):
    @staticmethod
    def vmap(info, in_dims, x, y):
        x, y = (t if d is None else t.movedim(d, 0) for t, d in zip((x, y), in_dims))
        return RuledProduct.apply(*ow.broadcast_tensors(x, y)), 0


class OldProduct(Product):
    setup_context = None

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)
        return x**2 * y**3


class SavedProduct(Product):
    """Keeps its result."""

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs, output)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        x, y, product = ctx.saved_tensors
        return grad * 2 * product / x, grad * 3 * product / y


class KeptProduct(Product):
    """Keeps its arguments on the context."""

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.x, ctx.y = inputs

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.x * ctx.y**3, grad * 3 * ctx.x**2 * ctx.y**2

    @staticmethod
    def jvp(ctx, of_x, of_y):
        return of_x * 2 * ctx.x * ctx.y**3 + of_y * 3 * ctx.x**2 * ctx.y**2


CAPTURED = ow.tensor([0.8, -0.5, 1.2], dtype=ow.float64)


@pytest.mark.parametrize("inner", ["grad", "vjp", "jvp", "jacrev", "jacfwd", "backward"])
@pytest.mark.parametrize("outer", [t for t in TRANSFORMS if t != "vmap"])
@pytest.mark.parametrize(
    "kind", [Product, RuledProduct, OldProduct, SavedProduct, KeptProduct], ids=lambda k: k.__name__
)
def test_derivatives_by_what_a_vmap_captures(kind, outer, inner):
    """By a tensor that is the same for all examples of a vmap between the two transforms; the inner one
    goes by the other tensor."""

    def found(f, of_batch):
        def of_captured(y):
            return of_batch(lambda x: TRANSFORMS[inner](lambda z: f(z, y) * z)(x))(BATCH)

        return TRANSFORMS[outer](of_captured)(CAPTURED)

    expected = found(lambda x, y: x**2 * y**3, _looped)
    result = found(kind.apply, vmap)
    assert result.shape == expected.shape
    assert ow.allclose(result, expected, rtol=1e-9, atol=1e-9), (result, expected)

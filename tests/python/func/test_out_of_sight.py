"""Ways by which a function's values leave the sight of a derivative: an error, never a gradient of zeros; and
tensors that are followed outside of the transform as well."""

import copy
import io
import pickle

import numpy as np
import opweave as ow
import pytest
from opweave.autograd.function import once_differentiable
from opweave.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

LOST = "of a tensor by which a function is differentiated"


def _saved(x):
    file = io.BytesIO()
    ow.save({"x": x}, file)
    return x.sum()


COPIES = {
    "deepcopy": lambda x: copy.deepcopy(x).sum(),
    "copy": lambda x: copy.copy(x).sum(),
    "pickle": lambda x: pickle.loads(pickle.dumps(x)).sum(),
    "save": _saved,
}
EXPORTS = {
    "numpy": lambda x: ow.from_numpy(x.numpy()).sum(),
    "asarray": lambda x: ow.tensor(np.asarray(x)).sum(),
    "dlpack": lambda x: ow.from_dlpack(x).sum(),
}
TRANSFORMS = {
    "grad": grad,
    "jacrev": jacrev,
    "jacfwd": jacfwd,
    "hessian": hessian,
    "vjp": lambda f: lambda x: vjp(f, x)[1](ow.ones(())),
    "jvp": lambda f: lambda x: jvp(f, (x,), (ow.ones_like(x),)),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("way", COPIES)
def test_copies_are_refused(way, transform):
    for through in (lambda x: x, lambda x: x * 2):
        with pytest.raises(RuntimeError, match=LOST if through(1) == 1 else ""):
            TRANSFORMS[transform](lambda x, t=through: COPIES[way](t(x)))(ow.ones(2))


@pytest.mark.parametrize("way", EXPORTS)
def test_what_other_libraries_see_has_no_tangent(way):
    with pytest.raises(RuntimeError, match=LOST):
        jvp(EXPORTS[way], (ow.ones(2),), (ow.ones(2),))
    with ow.autograd.forward_ad.dual_level():  # a program that asks for values, as PyTorch's may
        dual = ow.autograd.forward_ad.make_dual(ow.ones(2), ow.ones(2))
        assert EXPORTS[way](dual) == 2


def test_what_is_no_part_of_the_derivative_may_be_copied():
    net = ow.nn.Linear(2, 1)
    found = grad(lambda x: copy.deepcopy(net)(x).sum())(ow.ones(2))
    assert ow.equal(found, net.weight[0].detach())
    assert grad(lambda x: (x * copy.deepcopy(x.detach())).sum())(ow.ones(2)).tolist() == [1, 1]
    assert vmap(lambda x: copy.deepcopy(x).sum())(ow.ones(2, 2)).tolist() == [2, 2]


# --- tensors that require gradients outside -------------------------------------------------------------
INPUTS = {
    "plain": lambda: ow.tensor([1.0, 2.0]),
    "a leaf": lambda: ow.tensor([1.0, 2.0], requires_grad=True),
    "computed": lambda: ow.tensor([1.0, 2.0], requires_grad=True) * 1,
    "a view": lambda: ow.tensor([[1.0, 2.0]], requires_grad=True)[0],
}
VIEWS = {
    "view_as": lambda w: w.view_as(w),
    "index": lambda w: w[...],
    "reshape": lambda w: w.reshape(2, 1),
    "expand": lambda w: w.expand(1, 2),
    "of a view": lambda w: w.unsqueeze(0)[0],
}
HIDDEN_WRITES = {
    "view": lambda w, q: q.detach().mul_(2),
    "whole": lambda w, q: w.detach().mul_(2),
    "nothing": lambda w, q: q.detach()[:0].mul_(2),
}
GRADIENTS = {
    "grad": lambda f, x: grad(f)(x),
    "vjp": lambda f, x: vjp(f, x)[1](ow.ones(()))[0],
    "jacrev": lambda f, x: jacrev(f)(x),
    "functional": lambda f, x: ow.autograd.functional.jacobian(f, x, create_graph=True),
    "vmap": lambda f, x: vmap(grad(f))(x[None])[0],
    "grad of grad": lambda f, x: grad(lambda v: (grad(f)(v * 1) * v).sum())(x),
}


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("way", GRADIENTS)
@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("write", HIDDEN_WRITES)
def test_a_view_keeps_its_history_when_memory_is_written(kind, way, view, write):
    def f(w):
        q = VIEWS[view](w)
        HIDDEN_WRITES[write](w, q)
        return q.sum()

    assert GRADIENTS[way](f, INPUTS[kind]()).tolist() == [1, 1]


@pytest.mark.parametrize("kind", INPUTS)
def test_recorded_writes_to_an_input_are_refused(kind):
    for write in (lambda w: w.mul_(2), lambda w: w.view_as(w).mul_(2)):
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used"):
            grad(lambda w, act=write: act(w).sum())(INPUTS[kind]())


def test_weights_that_are_clipped_while_they_are_used():
    class Net(ow.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = ow.nn.Parameter(ow.ones(2, 2))

        def forward(self, x):
            w = self.w.view(2, 2)
            with ow.no_grad():
                self.w.clamp_(-1, 1)
            return x @ w

    net = Net()
    found = grad(lambda p: functional_call(net, p, (ow.ones(1, 2),)).sum())(
        dict(net.named_parameters())
    )
    assert found["w"].tolist() == [[1, 1], [1, 1]]


# --- backward passes that cannot be differentiated ------------------------------------------------------
class Once(ow.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return grad * 3 * ctx.saved_tensors[0] ** 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 3 * ctx.saved_tensors[0] ** 2


def test_once_differentiable_refuses_forward_mode_too():
    f = lambda x: Once.apply(x).sum()  # noqa: E731
    assert grad(f)(ow.ones(2)).tolist() == [3, 3]
    for twice in (
        lambda x: jvp(grad(f), (x,), (x,)),
        hessian(f),
        lambda x: vmap(hessian(f))(x[None]),
        grad(lambda x: grad(f)(x).sum()),
    ):
        with pytest.raises(RuntimeError, match="twice a function that was marked with @once"):
            twice(ow.ones(2))


# --- transforms whose function trains -------------------------------------------------------------------
@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_a_function_may_step_an_optimizer_of_its_own(optimizer, foreach):
    def f(v):
        w = ow.nn.Parameter(ow.zeros(3))
        w.grad = v.detach()
        getattr(ow.optim, optimizer)([w], lr=1.0, foreach=foreach).step()
        return (w.detach() * v).sum()

    assert grad(f)(ow.ones(3)).tolist() == pytest.approx([-1, -1, -1])

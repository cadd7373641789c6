"""Transforms in inference mode, and of what was made there: as outside of it."""

import numpy as np
import opweave as ow
import pytest
from opweave.autograd import functional
from opweave.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap


def cubes(x):
    return x**3


def total(x):
    return cubes(x).sum()


TRANSFORMS = {
    "grad": grad(total),
    "grad_and_value": grad_and_value(total),
    "jacrev": jacrev(cubes),
    "jacfwd": jacfwd(cubes),
    "hessian": hessian(total),
    "vjp": lambda x: vjp(cubes, x)[1](x)[0],
    "jvp": lambda x: jvp(cubes, (x,), (x,)),
    "grad of grad": grad(lambda x: grad(total)(x).sum()),
    "vmap of grad": vmap(grad(cubes)),
    "jvp of grad": lambda x: jvp(grad(total), (x,), (x,))[1],
    "vmap of vjp": lambda x: vmap(lambda a: vjp(cubes, a)[1](a)[0])(x),
}


def numbers(result):
    return [r.tolist() for r in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("made", ["outside", "inside"])
@pytest.mark.parametrize("recording", [False, True])
def test_a_transform_in_inference_mode(name, made, recording):
    transform = TRANSFORMS[name]
    x = ow.tensor([1.0, 2.0, -0.5])
    expected = numbers(transform(x))
    with ow.inference_mode():
        given = x if made == "outside" else x.clone()
        assert given.is_inference() == (made == "inside")
        with ow.set_grad_enabled(recording):
            assert numbers(transform(given)) == expected
        assert ow.is_inference_mode_enabled()


@pytest.mark.parametrize("inside", [False, True])
def test_what_is_captured_may_come_from_inference_mode(inside):
    x = ow.tensor([1.0, 2.0])
    with ow.inference_mode():
        weight = ow.ones(2) * 3
    with ow.inference_mode(inside):
        found = grad(lambda z: (z * weight).sum() * z.sum())(x)
    assert found.tolist() == [18.0, 18.0]


def test_elsewhere_what_comes_from_inference_mode_is_still_refused():
    with ow.inference_mode():
        weight = ow.ones(2)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        ow.ones(2, requires_grad=True) * weight


# --- opweave.autograd.functional, differentiated forwards ---------------------------------------------
def height(x):
    return (x.sin() * x).sum()


FUNCTIONAL = {
    "jacobian": lambda x: functional.jacobian(height, x, create_graph=True),
    "vectorized jacobian": lambda x: functional.jacobian(
        height, x, create_graph=True, vectorize=True
    ),
    "forward jacobian": lambda x: functional.jacobian(
        height, x, vectorize=True, strategy="forward-mode"
    ),
    "vjp": lambda x: functional.vjp(height, x, create_graph=True)[1],
}
POINT = [0.3, -0.7, 1.1]


def curvature():
    x = np.array(POINT)
    return 2 * np.cos(x) - x * np.sin(x)


@pytest.mark.parametrize("name", FUNCTIONAL)
def test_forward_mode_over_functional(name):
    x = ow.tensor(POINT, dtype=ow.float64)
    slope = FUNCTIONAL[name]
    np.testing.assert_allclose(jacfwd(slope)(x).detach(), np.diag(curvature()))
    np.testing.assert_allclose(jvp(slope, (x,), (ow.ones_like(x),))[1].detach(), curvature())
    np.testing.assert_allclose(functional.jacobian(slope, x), np.diag(curvature()))


@pytest.mark.parametrize("product", [functional.hvp, functional.vhp])
def test_forward_mode_over_products_with_a_hessian(product):
    x = ow.tensor(POINT, dtype=ow.float64)
    found = jvp(
        lambda z: product(height, z, ow.ones_like(x), create_graph=True)[1],
        (x,),
        (ow.ones_like(x),),
    )[1]
    third = -3 * np.sin(POINT) - np.array(POINT) * np.cos(POINT)
    np.testing.assert_allclose(found.detach(), third)

"""Regions of autocast: what they set, what they leave, weights, threads, and decorated functions."""

import threading
import warnings

import opweave as ow
import pytest
from opweave import nn


def test_products_are_computed_in_the_dtype_of_the_region():
    a = ow.randn(3, 3)
    with ow.autocast("cpu"):
        assert (a @ a).dtype == ow.bfloat16
        assert (a + a).dtype == ow.float32
    with ow.autocast("cpu", dtype=ow.float16):
        assert (a @ a).dtype == ow.float16
        assert (a.double() @ a.double()).dtype == ow.float64
    assert (a @ a).dtype == ow.float32


def test_values_are_those_of_the_casts():
    a, b = ow.randn(5, 4), ow.randn(4, 6)
    with ow.autocast("cpu"):
        found = a @ b
    assert ow.equal(found, a.bfloat16() @ b.bfloat16())


def test_regions_nest():
    a = ow.randn(3, 3)
    with ow.autocast("cpu"):
        with ow.autocast("cpu", enabled=False):
            assert (a @ a).dtype == ow.float32
            with ow.autocast("cpu", dtype=ow.float16):
                assert (a @ a).dtype == ow.float16
        assert (a @ a).dtype == ow.bfloat16
        assert ow.get_autocast_dtype("cpu") == ow.bfloat16


def test_a_region_ends_where_it_raises():
    with pytest.raises(ZeroDivisionError), ow.autocast("cpu"):
        raise ZeroDivisionError
    assert not ow.is_autocast_enabled("cpu")


def test_one_instance_may_be_entered_twice():
    region = ow.autocast("cpu")
    with region:
        with region:
            assert ow.is_autocast_enabled("cpu")
        assert ow.is_autocast_enabled("cpu")
    assert not ow.is_autocast_enabled("cpu")


def test_decorator():
    @ow.autocast("cpu")
    def product(a):
        """A product."""
        return a @ a

    assert product(ow.randn(2, 2)).dtype == ow.bfloat16
    assert product.__doc__ == "A product."


# --- gradients and weights --------------------------------------------------------------------------------
def test_gradients_have_the_dtype_of_their_tensors():
    layer = nn.Linear(4, 3)
    x = ow.randn(2, 4, requires_grad=True)
    with ow.autocast("cpu"):
        loss = nn.functional.mse_loss(layer(x), ow.zeros(2, 3))
    loss.backward()
    assert loss.dtype == ow.float32
    assert layer.weight.grad.dtype == x.grad.dtype == ow.float32
    ones = 2 * layer(x).detach() / 6
    assert ow.allclose(layer.bias.grad, ones.sum(0), atol=0.02)


def cast_of(product):
    """The node that has cast the second factor."""
    return product.grad_fn.next_functions[1][0]


@pytest.mark.parametrize("cached", [True, False])
def test_weights_are_cast_once(cached):
    weight = ow.randn(4, 4, requires_grad=True)
    x = ow.randn(2, 4)
    with ow.autocast("cpu", cache_enabled=cached):
        first, second = x @ weight, x @ weight
    assert cast_of(first).name() == "ToCopyBackward0"
    assert (cast_of(first) is cast_of(second)) == cached


def test_the_cache_ends_with_the_outermost_region():
    weight = ow.randn(4, 4, requires_grad=True)
    x = ow.randn(2, 4)
    with ow.autocast("cpu"):
        with ow.autocast("cpu"):
            first = x @ weight
        second = x @ weight
        ow.clear_autocast_cache()
        third = x @ weight
    with ow.autocast("cpu"):
        fourth = x @ weight
    assert cast_of(first) is cast_of(second)
    assert cast_of(third) is not cast_of(second)
    assert cast_of(fourth) is not cast_of(third)


def test_a_weight_that_changes_is_cast_again():
    weight = ow.ones(2, 2, requires_grad=True)
    x = ow.ones(1, 2)
    with ow.autocast("cpu"):
        assert (x @ weight).tolist() == [[2, 2]]
        with ow.no_grad():
            weight.mul_(3)
        assert (x @ weight).tolist() == [[6, 6]]


def test_a_weight_cast_without_recording_still_gets_a_gradient():
    weight = ow.ones(2, 2, requires_grad=True)
    x = ow.ones(1, 2)
    with ow.autocast("cpu"):
        with ow.no_grad():
            x @ weight
        (x @ weight).sum().backward()
    assert weight.grad.tolist() == [[1, 1], [1, 1]]


# --- threads and transforms -------------------------------------------------------------------------------
def test_a_region_is_its_threads():
    seen = []
    with ow.autocast("cpu"):
        thread = threading.Thread(target=lambda: seen.append(ow.is_autocast_enabled("cpu")))
        thread.start()
        thread.join()
    assert seen == [False]


def test_under_vmap_and_grad():
    a = ow.randn(5, 3, 3)
    with ow.autocast("cpu"):
        assert ow.func.vmap(lambda x: x @ x)(a).dtype == ow.bfloat16
        gradient = ow.func.grad(lambda x: (x @ x).float().sum())(a[0])
    assert gradient.dtype == ow.float32
    expected = ow.func.grad(lambda x: (x @ x).sum())(a[0])
    assert ow.allclose(gradient, expected, atol=0.1)


# --- functions of one's own -------------------------------------------------------------------------------
def test_custom_functions_cast_their_inputs():
    seen = []

    class Product(ow.autograd.Function):
        @staticmethod
        @ow.amp.custom_fwd(device_type="cpu", cast_inputs=ow.float32)
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            seen.append((a.dtype, ow.is_autocast_enabled("cpu")))
            return a @ b

        @staticmethod
        @ow.amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            seen.append(ow.is_autocast_enabled("cpu"))
            return grad @ b.t(), a.t() @ grad

    a = ow.randn(2, 2, requires_grad=True)
    with ow.autocast("cpu"):
        result = Product.apply(a.bfloat16(), a.bfloat16())
        result.sum().backward()
    assert result.dtype == ow.float32
    assert seen == [(ow.float32, False), False]


def test_custom_functions_follow_the_region_backwards():
    seen = []

    class Double(ow.autograd.Function):
        @staticmethod
        @ow.amp.custom_fwd(device_type="cpu")
        def forward(ctx, a):
            return a * 2

        @staticmethod
        @ow.amp.custom_bwd(device_type="cpu")
        def backward(ctx, grad):
            seen.append(ow.is_autocast_enabled("cpu"))
            return grad * 2

    a = ow.randn(2, requires_grad=True)
    with ow.autocast("cpu"):
        result = Double.apply(a)
    result.sum().backward()
    Double.apply(a).sum().backward()
    assert seen == [True, False]


# --- settings and errors ----------------------------------------------------------------------------------
def test_settings():
    assert ow.get_autocast_dtype("cpu") == ow.bfloat16
    assert ow.get_autocast_dtype("cuda") == ow.float16
    assert ow.is_autocast_cache_enabled()
    ow.set_autocast_enabled("cpu", True)
    ow.set_autocast_dtype("cpu", ow.float16)
    try:
        assert ow.is_autocast_enabled("cpu")
        assert (ow.ones(2, 2) @ ow.ones(2, 2)).dtype == ow.float16
    finally:
        ow.set_autocast_enabled("cpu", False)
        ow.set_autocast_dtype("cpu", ow.bfloat16)
    assert ow.amp.is_autocast_available("cpu")
    assert not ow.amp.is_autocast_available("meta")
    assert ow.autocast_increment_nesting() == 1
    assert ow.autocast_decrement_nesting() == 0


def test_older_names():
    with pytest.warns(DeprecationWarning, match="get_autocast_dtype"):
        assert ow.get_autocast_cpu_dtype() == ow.bfloat16
    with pytest.warns(DeprecationWarning, match="is_autocast_enabled"):
        assert not ow.is_autocast_cpu_enabled()
    with pytest.warns(FutureWarning, match=r"opweave.amp.autocast\('cpu', args...\)"):
        region = ow.cpu.amp.autocast()
    with region:
        assert ow.is_autocast_enabled("cpu")
    assert isinstance(region, ow.autocast)
    with pytest.warns(FutureWarning, match="GradScaler"):
        assert isinstance(ow.cpu.amp.GradScaler(), ow.amp.GradScaler)
    with pytest.warns(FutureWarning, match="custom_fwd"):
        ow.cuda.amp.custom_fwd(lambda ctx: None)


@pytest.mark.skipif(ow.cuda.is_available(), reason="there is CUDA")
def test_cuda_without_devices():
    with pytest.warns(UserWarning, match="CUDA is not available. Disabling autocast"):
        region = ow.autocast("cuda")
    with region:
        assert not ow.is_autocast_enabled()
        assert (ow.ones(2, 2) @ ow.ones(2, 2)).dtype == ow.float32


def test_a_dtype_that_is_not_lower_turns_it_off():
    with pytest.warns(UserWarning, match="float32 is not supported. Disabling"):
        region = ow.autocast("cpu", dtype=ow.float32)
    with region:
        assert not ow.is_autocast_enabled("cpu")


def entered(**options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        region = ow.autocast("cpu", **options)
    with region:
        pass


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: ow.autocast(3), ValueError, "Expected `device_type` of type `str`"),
        (lambda: ow.autocast("meta"), RuntimeError, "unsupported autocast device_type 'meta'"),
        (lambda: ow.autocast("nowhere"), RuntimeError, "nowhere"),
        (lambda: entered(dtype="half"), TypeError, "dtype: expected a dtype, got str"),
        (lambda: entered(enabled=1), TypeError, "enabled: expected a bool, got 1"),
        (lambda: entered(cache_enabled=1), TypeError, "cache_enabled: expected a bool, got 1"),
        (lambda: ow.autocast("cpu")(3), TypeError, "requires a callable, but got int"),
        (lambda: ow.set_autocast_enabled("cpu", 3), TypeError, "must be bool, not int"),
        (lambda: ow.set_autocast_dtype("cpu", 3), TypeError, "must be opweave.dtype, not int"),
        (lambda: ow.get_autocast_dtype(3), TypeError, "must be str, not int"),
        (
            lambda: ow.is_autocast_enabled("meta"),
            RuntimeError,
            "no autocast for device type 'meta'",
        ),
        (lambda: ow.amp.custom_fwd(device_type=3), ValueError, "Expected `device_type`"),
    ],
)
def test_refusals(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()
    assert not ow.is_autocast_enabled("cpu")  # nothing was set by half

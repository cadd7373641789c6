"""Values and gradients near the ends of a range, where squares, quotients and differences leave it."""

import numpy as np
import opweave as ow
import opweave.nn.functional as F
import pytest

HALF = ow.float16


def gradient(function, x, seed=None):
    value = function(x)
    seed = ow.ones_like(value) if seed is None else ow.full_like(value, seed)
    return ow.autograd.grad(value, x, seed)[0]


# --- exp(x) where exp(x) - 1 is -1 --------------------------------------------------------------------
SELU = 1.0507009873554805 * 1.6732632423543772


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64])
@pytest.mark.parametrize(
    ("function", "scale"),
    [(F.elu, 1), (F.celu, 1), (F.selu, SELU), (lambda x: F.elu_(x * 1), 1), (ow.expm1, 1)],
)
def test_slopes_of_exponential_units_do_not_cancel(function, scale, dtype):
    x = ow.tensor([-3.0, -17.0, -20.0, -40.0], dtype=dtype, requires_grad=True)
    expected = scale * np.exp([-3.0, -17.0, -20.0, -40.0])
    np.testing.assert_allclose(gradient(function, x), expected, rtol=1e-6)


# --- norms of 16 bits ----------------------------------------------------------------------------------
def test_gradients_of_norms_stay_in_the_range_of_half():
    x = ow.tensor([0.1, 0.2, 0.0], dtype=HALF, requires_grad=True)
    expected = 3e4 * np.array([1, 2, 0]) / np.sqrt(5)
    np.testing.assert_allclose(gradient(ow.norm, x, 3e4).double(), expected, rtol=2e-3)
    for order in (-1, 3, 1.5, float("inf")):
        assert gradient(lambda t, p=order: t.norm(p), x, 1e4).isfinite().all()


def test_gradients_through_small_norms_of_half():
    z = ow.tensor([[1e-4, 2e-4]], dtype=HALF, requires_grad=True)
    w = ow.tensor([[2e-4, -1e-4]], dtype=HALF)
    found = gradient(lambda t: F.normalize(t)[:, 0], z).double()
    np.testing.assert_allclose(found, [[3578, -1789]], rtol=2e-3)
    difference = np.array([[-1, 3]]) / np.sqrt(10) * 3e4
    for distance in (F.pairwise_distance, ow.dist):
        found = gradient(lambda t, f=distance: f(t, w), z, 3e4).double()
        np.testing.assert_allclose(found, difference, rtol=3e-2)
    found = gradient(lambda t: F.cosine_similarity(t, w), z).double()
    np.testing.assert_allclose(found, [[4000, -2000]], rtol=2e-2)


# --- variances -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("scale", [1e-24, 1e-19, 1.0, 1e19, 1e24, 1e30])
@pytest.mark.parametrize("rows", [3, 40, 3000])
def test_standard_deviations_beyond_the_root_of_the_range(scale, rows):
    values = np.random.default_rng(0).normal(size=(rows, 3)) * scale
    x = ow.tensor(values, dtype=ow.float32)
    expected = x.double().numpy().std(0, ddof=1)
    np.testing.assert_allclose(x.std(0), expected, rtol=1e-5)
    np.testing.assert_allclose(x.t().contiguous().std(1), expected, rtol=1e-5)
    std, mean = ow.std_mean(x, 0)
    np.testing.assert_allclose(std, expected, rtol=1e-5)
    np.testing.assert_allclose(mean, x.double().numpy().mean(0), rtol=1e-3, atol=1e-6 * scale)


def test_constants_do_not_vary():
    for value in (0.0, 1e30, 1e-30, 0.1):
        assert ow.full((125,), value).std().item() <= 1e-7 * value
        assert ow.full((125, 3), value).var(0).tolist() == [0, 0, 0]
        assert ow.full((3, 125), value).var(1).tolist() == [0, 0, 0]


def test_gradients_of_far_standard_deviations():
    for scale in (1e24, 1e-24):
        x = ow.tensor([1 * scale, 2 * scale, -1 * scale], requires_grad=True)
        expected = np.array([1, 4, -5]) / np.sqrt(84)
        np.testing.assert_allclose(gradient(ow.std, x), expected, rtol=1e-5)


def test_variances_beyond_the_range_of_doubles_are_infinite():
    x = ow.tensor([1e200, -1.0, 3.0], dtype=ow.float64)
    assert x.var().item() == float("inf")
    assert x.reshape(3, 1).var(0).item() == float("inf")


# --- quotients, numbers in parts ------------------------------------------------------------------------
def test_addcdiv_multiplies_first():
    x, a, b = ow.zeros(1), ow.tensor([2e38]), ow.tensor([0.3])
    np.testing.assert_allclose(ow.addcdiv(x, a, b, value=0.25), [0.25 * 2e38 / 0.3], rtol=1e-6)


def test_frexp_of_every_magnitude():
    values = np.array([1e-310, 5e-324, 1.7976931348623157e308, 2.2250738585072014e-308, -3.0, 0.5])
    mantissa, exponent = ow.frexp(ow.tensor(values))
    expected = np.frexp(values)
    assert mantissa.tolist() == expected[0].tolist()
    assert exponent.tolist() == expected[1].tolist()


def test_softshrink_is_flat_up_to_its_bounds():
    x = ow.tensor([0.5, -0.5, 0.25, 2.0, -2.0], requires_grad=True)
    assert gradient(lambda t: F.softshrink(t, 0.5), x).tolist() == [0, 0, 0, 1, 1]
    with pytest.raises(RuntimeError, match=r"lambda must be in range \[0, 65504\] for input dtype"):
        F.softshrink(ow.ones(1, dtype=HALF), 1e6)


# --- the last numbers before infinity ---------------------------------------------------------------------
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_exponentials_and_powers_reach_the_largest_number(dtype):
    largest = np.longdouble(np.finfo(dtype).max)
    nearness = np.concatenate([np.geomspace(1e-9, 1e-2, 120), [-1e-8, -1e-6]])
    with np.errstate(over="ignore"):
        for function, inverse in (("exp", np.log), ("exp2", np.log2), ("expm1", np.log)):
            x = (inverse(largest) * (1 - nearness)).astype(dtype)
            expected = getattr(np, function)(x.astype(np.longdouble)).astype(dtype)
            value = getattr(ow, function)(ow.from_numpy(x)).numpy()
            np.testing.assert_allclose(value, expected, rtol=4 * np.finfo(dtype).eps)
        for b in (1.5, 5.0, 37.25, -2.5, -7.0, 1001.0):
            size = np.exp(np.log(largest) * (1 - nearness) / b).astype(dtype)
            for a in (size, -size) if b in (5.0, -7.0, 1001.0) else (size,):
                power = np.abs(a.astype(np.longdouble)) ** np.longdouble(b)
                expected = (np.sign(a) * power).astype(dtype)
                value = ow.pow(ow.from_numpy(a), b).numpy()
                np.testing.assert_allclose(value, expected, rtol=4 * np.finfo(dtype).eps)


def test_what_is_infinite_stays_so():
    a = ow.tensor([0.0, -0.0, float("inf"), float("inf"), 2.0, 0.5, -float("inf"), 10.0])
    b = [-5e-324, -1.0, 5e-324, 2.5, float("inf"), -float("inf"), 3.0, 400.0]
    a, b = a.double(), ow.tensor(b, dtype=ow.float64)
    with np.errstate(all="ignore"):
        expected = np.power(a.numpy(), b.numpy())
    assert ow.pow(a, b).tolist() == expected.tolist()
    ends = ow.tensor([709.7827128933841, 710.0, float("inf")], dtype=ow.float64)
    assert ends.exp().tolist() == [float("inf")] * 3


# --- Logits far from zero ------------------------------------------------------------------------------
LOGITS = [-60.0, -20.0, -12.0, -1.0, 0.0, 1.0, 12.0, 20.0, 60.0]


def bce_with_logits(logits, target):
    return F.binary_cross_entropy_with_logits(logits, target, reduction="none")


def soft_margin(logits, target):
    return F.multilabel_soft_margin_loss(logits[:, None], target[:, None], reduction="none")


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64])
@pytest.mark.parametrize("target", [0.0, 1.0])
@pytest.mark.parametrize("loss", [bce_with_logits, soft_margin])
def test_losses_of_logits_that_are_right_keep_their_digits(loss, target, dtype):
    """log(1 + exp(∓x)), and what its two derivatives are."""
    x = ow.tensor(LOGITS, dtype=dtype, requires_grad=True)
    away = np.array(LOGITS) * (1 - 2 * target)
    value = loss(x, ow.full_like(x, target))
    (slope,) = ow.autograd.grad(value.sum(), x, create_graph=True)
    (curvature,) = ow.autograd.grad(slope.sum(), x)
    wrong = 1 / (1 + np.exp(-away))
    np.testing.assert_allclose(value.detach(), np.logaddexp(0, away), rtol=3e-6)
    np.testing.assert_allclose(slope.detach(), wrong * (1 - 2 * target), rtol=3e-6)
    np.testing.assert_allclose(curvature, wrong / (1 + np.exp(away)), rtol=3e-6)


@pytest.mark.parametrize("dtype", [ow.float32, ow.float64])
@pytest.mark.parametrize(("function", "factor"), [(ow.logaddexp, 1.0), (ow.logaddexp2, np.log(2))])
def test_curvature_of_logaddexp(function, factor, dtype):
    x = ow.tensor([*LOGITS, 2e38, -2e38], dtype=dtype, requires_grad=True)
    y = ow.zeros_like(x, requires_grad=True)
    both = ow.autograd.grad(function(x, y).sum(), (x, y), create_graph=True)
    of_x, of_y = ow.autograd.grad(both[0].sum(), (x, y))
    away = np.abs([*LOGITS, 1e9, 1e9]) * factor
    expected = factor * np.exp(-away) / (1 + np.exp(-away)) ** 2
    np.testing.assert_allclose(of_x, expected, rtol=1e-5)
    np.testing.assert_allclose(of_y, -expected, rtol=1e-5)


@pytest.mark.parametrize(("function", "base"), [(ow.logaddexp, np.e), (ow.logaddexp2, 2)])
def test_slopes_of_logaddexp_at_large_numbers(function, base):
    """They depend on the difference, which is exact where a multiple of each operand is rounded."""
    x = ow.tensor([1e4, 1e6, 1e7], requires_grad=True)
    (slope,) = ow.autograd.grad(function(x, x.detach() + 1).sum(), x)
    np.testing.assert_allclose(slope, [1 / (1 + base)] * 3, rtol=1e-6)

"""Answers that are easily wrong, with what PyTorch gives, each an instance of its kind."""

import opweave as ow
import opweave.nn.functional as F
import pytest


def test_ranges_fill_a_strided_view():
    for fill, wanted in (
        (lambda out: ow.arange(0, 4, out=out), [[0, 0, 1, 0], [0, 2, 3, 0]]),
        (lambda out: ow.linspace(0, 3, 4, out=out), [[0, 0, 1, 0], [0, 2, 3, 0]]),
    ):
        x = ow.zeros(2, 4)
        fill(x.narrow(1, 1, 2))
        assert x.tolist() == wanted


@pytest.mark.parametrize("dtype", ["int32", "float64", "uint8"])
def test_factories_take_the_dtype_of_out(dtype):
    def out():
        return ow.empty(0, dtype=getattr(ow, dtype))

    assert ow.eye(2, out=out()).tolist() == [[1, 0], [0, 1]]
    assert ow.linspace(0, 4, 5, out=out()).tolist() == [0, 1, 2, 3, 4]
    assert ow.full((2,), 3, out=out()).tolist() == [3, 3]
    assert ow.zeros(2, out=out()).dtype == getattr(ow, dtype)
    with pytest.raises(RuntimeError, match="does not match dtype of out parameter"):
        ow.eye(2, dtype=ow.float16, out=out())
    with pytest.raises(RuntimeError, match="without overflow"):
        ow.full((2,), 2**40, out=ow.empty(0, dtype=ow.int32))


def test_circular_padding_crops_first():
    x = ow.arange(5.0).view(1, 1, 5)
    assert F.pad(x, (-1, 2), mode="circular").tolist() == [[[1, 2, 3, 4, 1, 2]]]
    assert F.pad(x, (2, -1), mode="circular").tolist() == [[[2, 3, 0, 1, 2, 3]]]


@pytest.mark.parametrize(
    ("sizes", "pad"),
    [
        ((1, 1, 4), (-4, 1)),
        ((1, 1, 4), (2, -4)),
        ((1, 1, 4), (4, -4)),
        ((1, 1, 2, 3), (1, 2, -2, 1)),
        ((0, 1, 4), (-4, 1)),
    ],
)
def test_circular_padding_of_nothing(sizes, pad):
    """PyTorch leaves unset memory there."""
    with pytest.raises(RuntimeError, match=r"leaves nothing to repeat$"):
        F.pad(ow.ones(sizes), pad, mode="circular")


def test_circular_padding_that_leaves_nothing():
    assert F.pad(ow.ones(1, 1, 4), (-4, 0), mode="circular").shape == (1, 1, 0)
    assert F.pad(ow.ones(1, 1, 4), (-3, -1), mode="circular").shape == (1, 1, 0)
    with pytest.raises(RuntimeError, match=r"leaves nothing$"):
        F.pad(ow.ones(1, 1, 4), (-3, -2), mode="circular")


def test_in_place_scans_keep_their_dtype():
    x = ow.ones(3)
    with pytest.raises(
        RuntimeError,
        match="Bad in-place call: input tensor dtype float and output tensor dtype double",
    ):
        x.cumsum_(0, dtype=ow.float64)
    assert x.cumsum_(0, dtype=ow.float32).tolist() == [1, 2, 3]


SHAPES = [
    (((2,), None), RuntimeError, r"expected input with shape \[\*, 2\], but got input of size"),
    (((), None), RuntimeError, "to be at least 1-dimensional"),
    (((3,), 1), RuntimeError, "Expected weight to be of same shape as normalized_shape"),
    (((1, 2, 3), None), ValueError, "must have at least 3 dimensions, but got 2"),
]


@pytest.mark.parametrize(("arguments", "error", "match"), SHAPES)
def test_rms_norm_of_another_shape(arguments, error, match):
    shape, weight = arguments
    with pytest.raises(error, match=match):
        F.rms_norm(ow.ones(2, 3), shape, None if weight is None else ow.ones(weight))


def test_celu_of_zero():
    for inplace in (False, True):
        with pytest.raises(RuntimeError, match="alpha cannot be 0 for CELU"):
            F.celu(ow.ones(2), 0.0, inplace=inplace)


def test_deviations_are_not_negative():
    std = ow.tensor([-1.0, 1.0])
    for call in (lambda: ow.normal(0.0, std), lambda: ow.normal(ow.zeros(2), std)):
        with pytest.raises(RuntimeError, match=r"normal expects all elements of std >= 0\.0"):
            call()
    for call in (lambda: ow.normal(0.0, -1.0, (2,)), lambda: ow.normal(ow.zeros(2), -1.0)):
        with pytest.raises(RuntimeError, match=r"normal expects std >= 0\.0, but found std -1"):
            call()


@pytest.mark.parametrize("dims", [1, ([1], [0]), ow.tensor(1), ow.tensor([[1], [0]])])
def test_tensordot(dims):
    a, b = ow.arange(6.0).view(2, 3), ow.arange(6.0).view(3, 2)
    assert ow.tensordot(a, b, dims=dims).equal(a @ b)
    out = ow.empty(2, 2)
    assert ow.tensordot(a, b, dims, out=out) is out


def test_tensordot_refuses():
    a = ow.ones(2, 3)
    assert ow.tensordot(a, a).item() == 6
    with pytest.raises(RuntimeError, match="tensordot expects dims >= 0, but got dims=-1"):
        ow.tensordot(a, a, dims=-1)
    with pytest.raises(
        RuntimeError, match="tensordot expects dims < ndim_a or ndim_b, but got dims=3"
    ):
        ow.tensordot(a, a, dims=3)


def test_atleast_nd_of_several():
    number, vector = ow.tensor(1.0), ow.ones(2)
    for n, function in ((1, ow.atleast_1d), (2, ow.atleast_2d), (3, ow.atleast_3d)):
        assert function(number).dim() == n
        for given in ((number, vector), ([number, vector],)):
            found = function(*given)
            assert isinstance(found, tuple)
            assert [t.dim() for t in found] == [n, n]


def test_none_for_an_empty_list():
    x = ow.arange(4)
    assert ow.roll(x, 1, None).tolist() == [3, 0, 1, 2]
    assert x.roll(1, dims=None).tolist() == [3, 0, 1, 2]
    assert ow.max_pool1d(ow.arange(4.0).view(1, 4), 2, None).tolist() == [[1, 3]]


def test_an_empty_index_has_any_dtype():
    x = ow.ones(2, 2)
    for dtype in (ow.uint8, ow.float32):
        index = ow.empty(0, dtype=dtype)
        assert x.gather(0, index).shape == (0,)
        assert x.scatter(0, index, 2.0).equal(x)


def test_negative_indices_along_a_dimension():
    x = ow.arange(4.0)
    assert ow.take_along_dim(x, ow.tensor([-1, 0]), 0).tolist() == [3, 0]


def test_negative_indices_of_a_flattened_tensor_are_refused():
    with pytest.raises(RuntimeError, match="index -1 is out of bounds for dimension 0 with size 4"):
        ow.take_along_dim(ow.arange(4.0), ow.tensor([-1, 0]))


def test_sums_of_einsum_are_those_of_sum():
    x = ow.ones(2, 2, dtype=ow.int32)
    assert ow.einsum("ij->i", x).dtype == ow.int64
    assert ow.einsum("ij->", ow.ones(2, 2, dtype=ow.uint8)).dtype == ow.int64
    assert ow.einsum("ij,j->i", x, x[0]).dtype == ow.int32
    assert ow.einsum("ij->ji", x).dtype == ow.int32


def _error(function, dtype, *tensors):
    """Of a result in a dtype, beside that of the same inputs in float64."""
    rounded = [t.to(dtype) for t in tensors]
    exact = function(*(t.double() for t in rounded))
    return (function(*rounded).double() - exact).abs().max().item()


@pytest.mark.parametrize(("dtype", "limit"), [("float16", 4e-4), ("bfloat16", 3e-3)])
def test_attention_is_rounded_once(dtype, limit):
    ow.manual_seed(1)
    given = [ow.randn(1, 2, 64, 32) for _ in range(3)]
    assert _error(F.scaled_dot_product_attention, getattr(ow, dtype), *given) < limit


@pytest.mark.parametrize(("dtype", "limit"), [("float16", 0.01), ("bfloat16", 0.08)])
def test_a_sum_of_products_is_rounded_once(dtype, limit):
    ow.manual_seed(1)
    given = ow.randn(8, 8), ow.randn(5, 8, 16), ow.randn(5, 16, 8)
    assert _error(ow.addbmm, getattr(ow, dtype), *given) < limit


def test_random_whole_numbers_lie_in_their_range():
    ow.manual_seed(3)
    x = ow.ones(200)
    for found in (ow.randint(7, (200,)), ow.randint_like(x, 7)):
        assert set(found.tolist()) == set(range(7))
    for low, high in ((-(2**62), 5), (5, 2**62)):  # floats hold more than they can count
        found = ow.empty(3).random_(low, high)
        assert low <= found.min().item() <= found.max().item() <= high
    with pytest.raises(RuntimeError, match=r"^from is out of bounds for int8: -200$"):
        ow.empty(3, dtype=ow.int8).random_(-200, 5)
    with pytest.raises(RuntimeError, match=r"^to - 1 is out of bounds for int8: 128$"):
        ow.empty(3, dtype=ow.int8).random_(5, 129)


def test_to_another_tensor_copies_when_asked():
    x = ow.ones(2)
    for to in (x.to, lambda *a, **k: ow.ops.to.other(x, *a, **k)):
        assert to(x, copy=True).data_ptr() != x.data_ptr()
        assert to(x, non_blocking=True).data_ptr() == x.data_ptr()


def test_unique_of_no_elements():
    assert ow.unique(ow.ones(0, 2), dim=0).shape == (0, 2)
    assert ow.unique_consecutive(ow.ones(0, 2), dim=0).shape == (0, 2)
    for unique in (ow.unique, ow.unique_consecutive):
        with pytest.raises(
            RuntimeError, match=r"^Number of zero sized dimensions is more than one"
        ):
            unique(ow.ones(0, 0), dim=0)
        with pytest.raises(RuntimeError, match=r"^There are 0 sized dimensions, and they aren"):
            unique(ow.ones(2, 0), dim=0)


def test_a_factor_of_minus_one_is_one():
    assert ow.ops.scaled(ow.ones(2), -1).tolist() == [-1, -1]


def test_tensor_split_by_a_tensor():
    def parts(*args, **kwargs):
        return [p.tolist() for p in ow.tensor_split(*args, **kwargs)]

    x = ow.arange(6.0)
    assert parts(x, ow.tensor([1, 3])) == [[0], [1, 2], [3, 4, 5]]
    assert parts(x, ow.tensor([-1, -3])) == [[0, 1, 2, 3, 4], [], [3, 4, 5]]
    assert parts(x, ow.tensor([], dtype=ow.int64)) == [[0, 1, 2, 3, 4, 5]]
    assert parts(x, tensor_indices_or_sections=ow.tensor(3)) == [[0, 1], [2, 3], [4, 5]]
    assert [p.tolist() for p in ow.ones(1, 3).tensor_split(ow.tensor([1]), 1)] == [[[1]], [[1, 1]]]
    first, _ = x.tensor_split(ow.tensor(2))
    assert first.data_ptr() == x.data_ptr()  # views


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (ow.tensor([1.0]), "have dtype of long, but got Float"),
        (ow.tensor([1], dtype=ow.int32), "have dtype of long, but got Int"),
        (
            ow.tensor([[1]]),
            "zero-dimensional or one-dimensional tensor, but got a tensor with 2 dims",
        ),
        (ow.tensor([1]).to("meta"), "be on cpu, but it's on meta"),
        (ow.tensor(0), "number of sections must be larger than 0, got 0"),
    ],
)
def test_tensor_split_refuses_other_tensors(given, text):
    with pytest.raises(RuntimeError, match=text):
        ow.tensor_split(ow.ones(4), given)


def test_tensor_split_needs_a_dimension():
    for how in ([1], 1, ow.tensor([1])):
        with pytest.raises(
            RuntimeError, match="at least a 1-dimensional tensor, but got a tensor with 0"
        ):
            ow.tensor_split(ow.tensor(1.0), how)


@pytest.mark.parametrize("shape", [(0,), (0, 2), (2, 0), (2, 3, 0), (2, 0, 3)])
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_of_nothing(shape, training):
    channels = shape[1] if len(shape) > 1 else 1
    mean, var = ow.zeros(channels), ow.ones(channels)
    x = ow.zeros(shape, requires_grad=True)
    y = F.batch_norm(x, mean, var, training=training)
    assert y.shape == shape
    assert y.requires_grad
    assert (mean.tolist(), var.tolist()) == ([0] * channels, [1] * channels)
    plain = F.batch_norm(x, None, None, training=training)
    assert plain.shape == shape
    assert plain is not x
    if channels:
        weight = ow.ones(channels, requires_grad=True)
        for given in ((weight, weight), (weight, None), (None, weight)):
            weight.grad = None
            y = F.batch_norm(x, None, None, *given, training=training)
            assert y.shape == shape
            y.sum().backward()
            assert weight.grad.tolist() == [0] * channels
    if training and len(shape) > 1:
        with pytest.raises(RuntimeError, match="input tensor must have at least one element"):
            ow.native_batch_norm(x, None, None, mean, var, True, 0.1, 1e-5)


@pytest.mark.parametrize("others", [[float("inf")], [float("nan"), 2.0]])
def test_a_product_with_several_zeros_has_no_slope(others):
    x = ow.tensor([0.0, *others, 0.0], requires_grad=True)
    assert ow.autograd.grad(x.prod(), x)[0].tolist() == [0] * len(x)


@pytest.mark.parametrize("create_graph", [False, True])
def test_channels_of_one_value_stay_finite_without_eps(create_graph):
    x = ow.full((1, 2, 3), 2.0, requires_grad=True)
    y = F.instance_norm(x, weight=ow.ones(2), bias=ow.ones(2), eps=0.0)
    assert y.tolist() == [[[1, 1, 1]] * 2]
    (grad,) = ow.autograd.grad(y.sum(), x, create_graph=create_graph)
    assert grad.tolist() == [[[0, 0, 0]] * 2]


def test_the_weight_of_one_loss():
    scores, weight = ow.tensor([1.0, 2.0, 3.0]), ow.tensor([0.5, 1.0, 0.0])
    for target, wanted in ((0, (-0.5, 0.5)), (2, (0, 0)), (-100, (0, 0))):
        found = ow.ops.nll_loss_forward(scores, ow.tensor(target), weight, 0, -100)
        assert [t.item() for t in found] == list(wanted)
    losses, total = ow.ops.nll_loss_forward(scores[None], ow.tensor([0]), weight, 0, -100)
    assert (losses.tolist(), total.item()) == ([-0.5], 0)


def test_norms_of_half_precision_take_parameters_of_float32():
    x = ow.ones(3, 2, dtype=ow.bfloat16)
    for dtype in (ow.bfloat16, ow.float32):
        weight, bias, mean, var = (ow.ones(2, dtype=dtype) for _ in range(4))
        y, *_ = ow.native_batch_norm(x, weight, bias, mean, var, True, 0.5, 0.5)
        assert (y.dtype, y.tolist()) == (ow.bfloat16, [[1, 1]] * 3)
        assert (mean.tolist(), var.tolist()) == ([1, 1], [0.5, 0.5])
    for i in range(4):
        parameters = [ow.ones(2)] * 4
        parameters[i] = ow.ones(2, dtype=ow.float64)
        with pytest.raises(RuntimeError, match="scalar type"):
            ow.native_batch_norm(x, *parameters, True, 0.5, 0.5)


def test_differences_with_truth_values_are_refused():
    for dtype in (ow.uint8, ow.int64, ow.float32):
        x = ow.ones(2, dtype=dtype)
        for call in (ow.rsub, ow.sub, ow.ops.rsub.Scalar, ow.ops.sub.Scalar):
            with pytest.raises(NotImplementedError, match=r"not implemented for 'Bool'.* 'other'"):
                call(x, True)
        assert ow.rsub(x, 1).tolist() == [0, 0]
        assert ow.rsub(x, 1).dtype == dtype


def test_powers_of_numbers_and_filled_tensors_lie_in_order():
    t = ow.ones(3, 4).t()
    mask = ow.ones(3, 4, dtype=ow.bool).t()
    assert (2**t).stride() == ow.pow(2.0, t).stride() == (3, 1)
    assert (t**2).stride() == (1, 4)
    for value in (1, ow.tensor(1.0)):
        assert t.masked_fill(mask, value).stride() == (3, 1)
        assert t.masked_fill(mask[0], value).stride() == (3, 1)
        assert t.expand(2, 4, 3).masked_fill(mask, value).stride() == (12, 3, 1)
    assert (2 ** (t * 2)).tolist() == [[4.0] * 3] * 4
    assert t.masked_fill(mask.triu(), 5).tolist() == ow.where(mask.triu(), 5.0, t).tolist()


def test_where_takes_no_condition_of_numbers():
    wanted = (
        "expected argument 'condition' to be a boolean tensor, but got a tensor with dtype Float"
    )
    x = ow.ones(2)
    for name, values in (("Scalar", (1, 2)), ("ScalarSelf", (1, x)), ("self", (x, x))):
        with pytest.raises(RuntimeError, match=wanted):
            getattr(ow.ops.where, name)(x, *values)


def test_steps_of_slices_beyond_every_element():
    last = 2**63 - 1
    assert ow.arange(5.0)[1:5:last].tolist() == [1]
    assert ow.arange(5.0)[1:1:last].tolist() == []
    with pytest.raises(RuntimeError, match=r"slice\(\): step 46\d+ is out of range .* stride 2"):
        ow.ones(3, 2)[:: 2**62]

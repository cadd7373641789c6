"""nn.functional: what ops.yaml says of it, PyTorch's signatures, and what is written in Python."""

import inspect
import math

import opweave as ow
import opweave.nn.functional as F
import pytest
from reference import functional
from support.reference import recorded

RECORDED = recorded("functional")
FUNCTIONS = sorted(n for n, f in vars(F).items() if callable(f) and not n.startswith("_"))


def _same_default(a, b):
    return a == b or math.isclose(float(a), float(b))


def _comparable(parameters):
    return [p for p in parameters if p[0] != "out"]


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if n in RECORDED])
def test_signature_is_pytorch_s(name):
    ours = functional.parameters(getattr(F, name))
    if ours is None:
        assert name.startswith(("conv", "ctc_loss"))  # overloads, which no signature says
        return
    answer = RECORDED[name]
    # Documented as `tensor`, which PyTorch does not take; with fractions as text.
    if name in ("one_hot", "rrelu_"):
        return
    wanted = _comparable(answer.get("parameters") or answer["documented"])
    ours = _comparable(ours)
    if "documented" in answer:
        ours = ours[: len(wanted)]
    assert [p[0] for p in ours] == [p[0] for p in wanted]
    for own, theirs in zip(ours, wanted):
        assert len(own) == len(theirs)
        assert len(own) == 1 or _same_default(own[1], theirs[1]), own


def test_every_function_of_the_module_nn_is_there():
    """Under its own name, or under the one that its entry gives."""
    renamed = {
        "log_sigmoid": "logsigmoid",
        "cross_entropy_loss": "cross_entropy",
        "im2col": "unfold",
        "col2im": "fold",
    }
    told_otherwise = {"nll_loss_nd", "nll_loss2d", "max_pool2d_with_indices"}
    for name in vars(ow._C._nn):
        # Of the latter interpolate() chooses one.
        if name.startswith(("_", "upsample_")) or name.removesuffix("_") in told_otherwise:
            continue
        stem = name.removesuffix("_")
        assert hasattr(F, renamed.get(stem, stem) + ("_" if name != stem else "")), name


def test_functions_that_need_no_other_parameters_are_the_operators():
    assert F.softplus.__doc__.startswith("softplus(input, beta=1, threshold=20, *, out=None)")
    assert F.mish.__text_signature__ == "(input, inplace=False)"


@pytest.mark.parametrize(
    "name", ["mish", "hardswish", "hardsigmoid", "silu", "relu", "relu6", "selu", "celu", "elu"]
)
def test_inplace_flag(name):
    function = getattr(F, name)
    x = ow.tensor([-7.0, -0.5, 0.25, 8.0])
    wanted = function(x)
    assert x.tolist() == [-7.0, -0.5, 0.25, 8.0]
    assert function(x, inplace=True) is x
    assert x.tolist() == wanted.tolist()


def test_inplace_flag_needs_a_tensor_that_may_change():
    x = ow.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        F.relu(x, inplace=True)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_reduction_by_name(reduction):
    x, y = ow.tensor([1.0, 5.0]), ow.tensor([2.0, 1.0])
    elements = [1.0, 16.0]
    found = F.mse_loss(x, y, reduction=reduction).tolist()
    assert found == {"none": elements, "mean": 8.5, "sum": 17.0}[reduction]


@pytest.mark.parametrize("wrong", ["average", None, 1])
def test_reduction_of_no_such_name(wrong):
    x = ow.ones(2, 3)
    with pytest.raises(ValueError, match=f"^{wrong} is not a valid value for reduction$"):
        F.cross_entropy(x, ow.tensor([0, 1]), reduction=wrong)


@pytest.mark.parametrize(
    ("average", "reduce", "name"),
    [(None, True, "mean"), (True, None, "mean"), (False, True, "sum"), (None, False, "none")],
)
def test_older_words_for_reductions(average, reduce, name):
    x, y = ow.rand(3, 4), ow.tensor([0, 3, 1])
    text = f"size_average and reduce args will be deprecated, please use reduction='{name}' instead"
    with pytest.warns(UserWarning, match=text):
        found = F.cross_entropy(x, y, size_average=average, reduce=reduce)
    assert found.tolist() == F.cross_entropy(x, y, reduction=name).tolist()


def test_elementwise_mean_is_deprecated():
    x = ow.rand(3)
    with pytest.warns(UserWarning, match="reduction='elementwise_mean' is deprecated"):
        assert F.l1_loss(x, x + 1, reduction="elementwise_mean").item() == pytest.approx(1)


def test_none_is_the_default_of_the_operator():
    x = ow.rand(1, 6, 6)
    assert ow.equal(F.max_pool2d(x, 2, None), F.max_pool2d(x, 2, 2))
    assert ow.equal(F.avg_pool2d(x, 3), F.avg_pool2d(x, 3, stride=3))


def test_return_indices():
    x = ow.rand(1, 6, 6)
    values, indices = F.max_pool2d(x, 2, return_indices=True)
    assert ow.equal(F.max_pool2d(x, 2), values)
    assert indices.dtype == ow.int64
    values, indices = F.adaptive_max_pool1d(x, 2, True)
    assert ow.equal(F.adaptive_max_pool1d(x, 2), values)


def test_arguments_in_another_order():
    x, mean, var = ow.rand(4, 3), ow.rand(3), ow.rand(3)
    found = F.batch_norm(x, mean, var, training=False)
    wanted = ow.batch_norm(x, None, None, mean, var, False, 0.1, 1e-5, False)
    assert ow.equal(found, wanted)


def test_glu_of_an_odd_dimension():
    with pytest.raises(RuntimeError, match="Halving dimension must be even, but dimension 1 is s"):
        F.glu(ow.rand(1, 3))
    with pytest.raises(RuntimeError, match="glu does not support"):
        F.glu(ow.tensor(1.0))


def test_gradient_of_binary_cross_entropy_where_it_is_certain():
    x = ow.tensor([0.0, 1.0, 0.5], requires_grad=True)
    F.binary_cross_entropy(x, ow.tensor([0.0, 1.0, 1.0]), reduction="sum").backward()
    assert x.grad.isfinite().all()
    assert x.grad.tolist() == pytest.approx([0.0, 0.0, -2.0])


def test_binary_cross_entropy_refuses_what_is_no_probability():
    with pytest.raises(RuntimeError, match="between 0 and 1"):
        F.binary_cross_entropy(ow.tensor([1.5]), ow.tensor([1.0]))


def test_weights_of_elements():
    x, y, w = ow.tensor([1.0, 5.0]), ow.tensor([2.0, 1.0]), ow.tensor([3.0, 1.0])
    assert F.mse_loss(x, y, weight=w).item() == pytest.approx(19 / 4)
    assert F.l1_loss(x, y, weight=w, reduction="sum").item() == pytest.approx(7)
    assert F.huber_loss(x, y, weight=w).item() == pytest.approx((1.5 + 3.5) / 2)
    with pytest.raises(ValueError, match="Weights and input must have the same size"):
        F.mse_loss(x, y, weight=ow.ones(3))
    with pytest.raises(ValueError, match="Invalid reduction mode: some"):
        F.mse_loss(x, y, weight=w, reduction="some")


def test_kl_div_of_a_batch():
    x, y = ow.rand(2, 3).log(), ow.rand(2, 3)
    total = F.kl_div(x, y, reduction="sum")
    assert F.kl_div(x, y, reduction="batchmean").item() == pytest.approx(total.item() / 2)
    with pytest.warns(UserWarning, match="'batchmean' divides only by the batch size"):
        assert F.kl_div(x, y).item() == pytest.approx(total.item() / 6)


def test_bilinear():
    a, b, w, bias = ow.rand(2, 3), ow.rand(2, 4), ow.rand(5, 3, 4), ow.rand(5)
    wanted = ow.einsum("ni,kij,nj->nk", a, w, b) + bias
    assert ow.allclose(F.bilinear(a, b, w, bias), wanted)


def test_normalize_writes_out():
    x = ow.rand(2, 3)
    out = ow.empty(2, 3)
    assert F.normalize(x, out=out) is out
    assert ow.equal(out, F.normalize(x))


def test_what_is_not_there():
    with pytest.raises(AttributeError, match="has no attribute 'no_such_function'"):
        _ = F.no_such_function


# In files of their own beside nn/functional.py.
CALL_SEVERAL = {
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d_with_indices",
    "adaptive_max_pool2d_with_indices",
    "adaptive_max_pool3d",
    "adaptive_max_pool3d_with_indices",
    "affine_grid",
    "alpha_dropout",
    "avg_pool3d",
    "channel_shuffle",
    "conv_tbc",
    "cosine_embedding_loss",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "embedding_bag",
    "feature_alpha_dropout",
    "fold",
    "fractional_max_pool2d",
    "fractional_max_pool2d_with_indices",
    "fractional_max_pool3d",
    "fractional_max_pool3d_with_indices",
    "grid_sample",
    "gumbel_softmax",
    "hinge_embedding_loss",
    "interpolate",
    "linear_cross_entropy",
    "local_response_norm",
    "lp_pool1d",
    "lp_pool2d",
    "lp_pool3d",
    "margin_ranking_loss",
    "max_pool1d_with_indices",
    "max_pool2d_with_indices",
    "max_pool3d",
    "max_pool3d_with_indices",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "multi_head_attention_forward",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "native_channel_shuffle",
    "pdist",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson_nll_loss",
    "prelu",
    "soft_margin_loss",
    "triplet_margin_loss",
    "triplet_margin_with_distance_loss",
    "unfold",
    "upsample",
    "upsample_bilinear",
    "upsample_nearest",
}
# What libraries import beside functions.
FOR_LIBRARIES = {"assert_int_or_pair", "boolean_dispatch", "handle_torch_function"}


def test_written_in_python_are_few():
    """Those that warn, check or call several operators; everything else is in ops.yaml."""
    written = {n for n in FUNCTIONS if inspect.isfunction(inspect.unwrap(getattr(F, n)))}
    assert written - CALL_SEVERAL - FOR_LIBRARIES == {
        "adaptive_avg_pool2d",
        "adaptive_max_pool2d",
        "batch_norm",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
        "dropout",
        "embedding",
        "group_norm",
        "hardtanh",
        "huber_loss",
        "instance_norm",
        "kl_div",
        "l1_loss",
        "log_softmax",
        "mse_loss",
        "normalize",
        "smooth_l1_loss",
        "softmax",
        "softmin",
    }


@pytest.mark.parametrize("name", ["celu", "elu", "leaky_relu", "softplus"])
@pytest.mark.parametrize("dtype", [ow.int64, ow.uint8, ow.bool])
def test_numbers_make_no_floats_of_what_is_activated(name, dtype):
    wanted = f"\"{name}\" not implemented for '.*', the dtype of argument 'self'"
    with pytest.raises(NotImplementedError, match=wanted):
        getattr(F, name)(ow.ones(2, dtype=dtype))


@pytest.mark.parametrize("shape", [(1, 3, 1), (2, 3), (2, 3, 1, 1)])
def test_instance_norm_refuses_to_train_on_one_element(shape):
    with pytest.raises(ValueError, match="Expected more than 1 spatial element when training"):
        F.instance_norm(ow.ones(shape))
    found = F.instance_norm(ow.ones(shape), ow.zeros(3), ow.ones(3), use_input_stats=False)
    assert found.shape == shape

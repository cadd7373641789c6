"""Losses: what shapes, dtypes and labels they take, as PyTorch has it, and numbers at the ends of floats."""

import math

import opweave as ow
import pytest

F = ow.nn.functional


def test_a_target_broadcasts_to_the_input_of_a_soft_margin_and_not_the_other_way():
    assert F.soft_margin_loss(ow.ones(2), ow.ones(1)).item() == pytest.approx(0.3132616877555847)
    with pytest.raises(RuntimeError, match=r"output with shape \[1\] doesn't match .* \[2\]"):
        F.soft_margin_loss(ow.ones(1), ow.ones(2))
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type Int"):
        F.soft_margin_loss(ow.ones(2, dtype=ow.int32), ow.ones(2))
    assert F.soft_margin_loss(ow.ones(2), ow.ones(2).double()).dtype is ow.float32


def test_a_soft_margin_far_on_the_wrong_side():
    x = ow.tensor([-100.0, 200.0], requires_grad=True)
    loss = F.soft_margin_loss(x, ow.tensor([1.0, 1.0]), reduction="none")
    assert loss.tolist() == [100.0, 0.0]
    assert ow.autograd.grad(loss.sum(), x)[0].tolist() == [-1.0, 0.0]


def test_classes_are_in_the_last_dimension_of_the_input():
    one = F.multilabel_soft_margin_loss(ow.ones(5), ow.ones(1, 5))
    assert one.item() == pytest.approx(0.0626523345708847)
    with pytest.raises(IndexError, match="tensor has no dimensions"):
        F.multilabel_soft_margin_loss(ow.tensor(1.0), ow.tensor(1.0))


def test_one_vector_beside_several():
    assert F.cosine_embedding_loss(ow.ones(1, 5), ow.ones(5, 5), ow.ones(5)).item() == 0
    for shapes, message in (
        (((5, 5), (5, 5), (5, 5)), "multi-target not supported"),
        (((5,), (5,), (5,)), "1D target tensor expects 2D input tensors"),
        (((5, 5), (5, 5), ()), "0D target tensor expects 1D input tensors"),
        (((5, 5), (5, 4), (5,)), "must match the size"),
    ):
        with pytest.raises(RuntimeError, match=message):
            F.cosine_embedding_loss(*(ow.ones(shape) for shape in shapes))


def test_labels_that_there_are_not():
    for score, label in ((1.0, -100), (1.0, 1), ([1.0], [-2]), ([[1.0, 2.0]], [[2, 0]])):
        with pytest.raises(RuntimeError, match="target out of range: expected labels from -1 to"):
            F.multilabel_margin_loss(ow.tensor(score), ow.tensor(label))
    for label in (-1, 3):
        with pytest.raises(RuntimeError, match="target out of range: expected classes from 0 to 2"):
            F.multi_margin_loss(ow.ones(1, 3), ow.tensor([label]))
    for loss in (F.multi_margin_loss, F.multilabel_margin_loss):
        with pytest.raises(RuntimeError, match="expected scalar type Long but found Int"):
            loss(ow.ones(1), ow.zeros(1, dtype=ow.int32))


@pytest.mark.parametrize(
    "loss",
    [
        F.soft_margin_loss,
        F.hinge_embedding_loss,
        F.multilabel_soft_margin_loss,
        F.multilabel_margin_loss,
        F.multi_margin_loss,
        F.poisson_nll_loss,
    ],
)
def test_numbers_are_no_tensors(loss):
    with pytest.raises(
        TypeError, match=r"argument 'input' \(position 1\) must be Tensor, not float"
    ):
        loss(1.0, 2.0)
    with pytest.raises(ValueError, match="x is not a valid value for reduction"):
        loss(ow.ones(2), ow.ones(2), reduction="x")


def test_losses_of_the_top_module_are_one_for_each_where_nothing_is_said():
    a, b = ow.full((2,), 0.5), ow.ones(2)
    for name in ("kl_div", "binary_cross_entropy_with_logits", "hinge_embedding_loss"):
        assert getattr(ow, name)(a, b).shape == (2,)
        assert getattr(ow, name)(a, b, reduction=1).shape == ()
    assert ow.kl_div(a, b.log(), 2, log_target=True).item() == pytest.approx(-1.0)


def test_one_zero_among_probabilities_of_a_poisson_count():
    x = ow.tensor([0.5, 2.0], requires_grad=True)
    loss = F.poisson_nll_loss(x, ow.tensor([1.0, math.nan]), full=True, reduction="none")
    assert loss[0].item() == pytest.approx(math.exp(0.5) - 0.5)
    assert math.isnan(loss[1].item())


def test_a_target_does_not_widen_the_cosine_loss():
    for target in (ow.float64, ow.int64, ow.float16):
        y = ow.tensor([1, -1]).to(target)
        assert F.cosine_embedding_loss(ow.ones(2, 3), ow.ones(2, 3), y).dtype == ow.float32
        assert F.cosine_embedding_loss(ow.ones(3), ow.ones(3), y[0]).dtype == ow.float32


_FALSE, _TRUE = (0, 0.0, "", [], ow.tensor(False)), (1, 2.0, "a", [0], ow.tensor(True))


@pytest.mark.filterwarnings("ignore:size_average and reduce args will be deprecated")
@pytest.mark.parametrize("name", ["MSELoss", "L1Loss", "BCELoss", "SmoothL1Loss", "PoissonNLLLoss"])
def test_old_ways_to_reduce_count_by_their_truth(name):
    loss, tensors = getattr(ow.nn, name), (ow.full((3,), 0.2), ow.full((3,), 0.7))
    none, mean, total = (loss(reduction=r)(*tensors) for r in ("none", "mean", "sum"))
    for false, true in zip(_FALSE, _TRUE):
        assert loss(reduce=false)(*tensors).equal(none)
        assert loss(size_average=true, reduce=false)(*tensors).equal(none)
        assert loss(size_average=false)(*tensors).equal(total)
        assert loss(reduce=true)(*tensors).equal(mean)


@pytest.mark.filterwarnings("ignore:size_average and reduce args will be deprecated")
@pytest.mark.parametrize(
    "name",
    [
        *("mse_loss", "l1_loss", "smooth_l1_loss", "binary_cross_entropy"),
        *("binary_cross_entropy_with_logits", "kl_div"),
    ],
)
def test_functions_take_old_ways_to_reduce_by_their_truth(name):
    loss, tensors = getattr(F, name), (ow.full((3,), 0.2), ow.full((3,), 0.7))
    for false, true in zip(_FALSE, _TRUE):
        assert loss(*tensors, reduce=false).equal(loss(*tensors, reduction="none"))
        assert loss(*tensors, size_average=false).equal(loss(*tensors, reduction="sum"))
        assert loss(*tensors, size_average=true, reduce=true).dim() == 0

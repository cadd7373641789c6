"""ctc_loss, pdist, gaussian_nll_loss: what they refuse, and derivatives of great differences."""

import math

import opweave as ow
import pytest
from opweave.func import jvp

F = ow.nn.functional
SCORES = ow.arange(24.0).reshape(4, 2, 3).log_softmax(-1)


@pytest.mark.parametrize(
    ("targets", "lengths", "message"),
    [
        ([[1, 2]], (2, 2), "to have size 2 at dimension 0, but got size 1"),
        ([[1, 2], [1, 1], [1, 2]], (1, 2), "to have size 2 at dimension 0, but got size 3"),
        ([[1, 2], [1, 1]], (-1, 2), "target_lengths to have value at least 0, but got value -1"),
        ([1, 2, 1], (-1, 4), "target_lengths to have value at least 0, but got value -1"),
        ([[[1, 2], [1, 2]]], (1, 2), "Expected 1 to 2 dimensions, but got 3"),
        ([1, 2, 1], ow.tensor((1.5, 1.5)), "target_lengths must be integral"),
        ([[1, 2], [1, 1]], (2, 2, 2), "of size batch_size: expected 2, but got 3"),
        ([[1, -1], [1, 1]], (2, 1), "classes from 0 to 2 in targets within .*, but got -1"),
        ([[1, 1], [3, 1]], (1, 1), "classes from 0 to 2 in targets within .*, but got 3"),
        ([1, 1, -7], (1, 2), "classes from 0 to 2 in targets within .*, but got -7"),
    ],
)
def test_texts_that_do_not_belong_to_a_batch(targets, lengths, message):
    steps = ow.tensor([4, 4]) if isinstance(lengths, ow.Tensor) else (4, 4)
    with pytest.raises(RuntimeError, match=message):
        F.ctc_loss(SCORES, ow.tensor(targets), steps, lengths)


def test_texts_that_are_no_tensors():
    for scores, targets in ((1, ow.tensor([1])), (SCORES, 1)):
        with pytest.raises(TypeError, match=r"got \((int, Tensor|Tensor, int), tuple, tuple\)"):
            F.ctc_loss(scores, targets, (4, 4), (1, 2))
    with pytest.raises(TypeError, match=r"got \(Tensor, Tensor, int, tuple\), but expected"):
        F.ctc_loss(SCORES, ow.tensor([1, 2, 1]), 4, (1, 2))
    with pytest.raises(RuntimeError, match="Expected 3-dimensional tensor, but got 1-dimensional"):
        F.ctc_loss(SCORES[0, 0], ow.tensor([1]), (4,), (1,))


@pytest.mark.parametrize("lengths", [(1.5, 1.5), [[1, 2]], (True, 1), ("1", 1)])
def test_lengths_of_texts_that_are_no_ints(lengths):
    for given in ((lengths, (1, 2)), ((4, 4), lengths)):
        with pytest.raises(
            TypeError, match=r"must be tuple of ints|invalid combination of arguments"
        ):
            F.ctc_loss(SCORES, ow.tensor([1, 2, 1]), *given)


@pytest.mark.parametrize("zero", [1, 0, "x", None])
def test_whether_infinite_losses_are_zero_is_a_bool(zero):
    for loss in (F.ctc_loss, lambda *a, **options: ow.nn.CTCLoss(**options)(*a)):
        with pytest.raises(TypeError, match=r"got \(.*(int|str|NoneType)\), but"):
            loss(SCORES, ow.tensor([1, 2, 1]), (4, 4), (1, 2), zero_infinity=zero)


@pytest.mark.parametrize("padding", [-1, -100, 3, 1 << 40])
def test_what_stands_behind_a_text_is_not_read(padding):
    rows = ow.tensor([[1, 2], [1, padding]])
    scores = SCORES.clone().requires_grad_()
    losses = F.ctc_loss(scores, rows, (4, 3), (2, 1), reduction="none")
    expected = F.ctc_loss(SCORES, ow.tensor([1, 2, 1]), (4, 3), (2, 1), reduction="none")
    assert losses.tolist() == expected.tolist()
    losses.sum().backward()
    assert scores.grad.isfinite().all()
    assert ow.nn.CTCLoss()(SCORES, rows, (4, 4), (2, 1)).isfinite()


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (1, 1, 2)])
def test_lengths_of_texts_in_another_arrangement(shape):
    targets, lengths = ow.tensor([[1, 2], [1, 1]]), ow.tensor([2, 1])
    expected = F.ctc_loss(SCORES, targets, ow.tensor([4, 4]), lengths)
    steps = ow.tensor([4, 4]).view(shape)
    assert F.ctc_loss(SCORES, targets, steps, lengths.view(shape)) == expected


def test_one_text_as_long_as_it_says():
    with pytest.raises(RuntimeError, match="Expected targets to be of size 1"):
        F.ctc_loss(SCORES[:, 0], ow.tensor([1, 2]), (4,), (1,))
    rows = F.ctc_loss(SCORES[:, 0], ow.tensor([[1, 9]]), (4,), (1,))
    assert rows == F.ctc_loss(SCORES[:, 0], ow.tensor([1]), (4,), (1,))


@pytest.mark.parametrize("p", [math.nan, -1])
def test_norms_that_there_are_not(p):
    with pytest.raises(RuntimeError, match="pdist only supports non-negative p values"):
        F.pdist(ow.ones(2, 3), p)
    with pytest.raises(RuntimeError, match="cdist only supports non-negative p values"):
        ow.cdist(ow.ones(2, 3), ow.ones(2, 3), p)


def test_ways_of_computing_distances_that_there_are_not():
    with pytest.raises(ValueError, match="bogus is not a valid value for compute_mode"):
        ow.cdist(ow.ones(2, 3), ow.ones(2, 3), compute_mode="bogus")
    for mode in (None, 1):
        with pytest.raises(TypeError, match="argument 'compute_mode' must be str"):
            ow.cdist(ow.ones(2, 3), ow.ones(2, 3), compute_mode=mode)


def test_a_variance_of_zero_and_a_great_difference():
    x, zero = ow.tensor([1e16]), ow.zeros(1)

    def loss(input, target, var):
        return F.gaussian_nll_loss(input, target, var)

    value, slope = jvp(loss, (x, zero, zero), (ow.ones(1), zero, zero))
    assert value.item() == pytest.approx(5e37)
    assert slope.item() == pytest.approx(1e22)


@pytest.mark.parametrize("kind", [ow.float32, ow.float16, ow.int64])
def test_a_number_is_the_variance_of_all(kind):
    x, y = ow.ones(2, 3, dtype=kind), ow.arange(3.0)
    every = ow.full((2, 3), 2.5, dtype=ow.float32 if kind is ow.int64 else kind)
    found = F.gaussian_nll_loss(x, y, 2.5, full=True)
    assert found.equal(F.gaussian_nll_loss(x, y, every, full=True))
    with pytest.raises(ValueError, match="var has negative entry"):
        F.gaussian_nll_loss(x, y, -2.5)
    with pytest.raises(ValueError, match=r"var is of incorrect size: \[\] for \[2, 3\]"):
        F.gaussian_nll_loss(x, y, ow.tensor(2.5))


def test_losses_of_the_top_module_are_not_reduced_unless_asked():
    x, sides = ow.ones(2, 3), ow.ones(2)
    assert ow.cosine_embedding_loss(x, x, sides).shape == (2,)
    assert ow.margin_ranking_loss(sides, sides, sides).shape == (2,)
    assert ow.triplet_margin_loss(x, x, x).shape == (2,)
    assert ow.hinge_embedding_loss(sides, sides).shape == (2,)
    assert ow.kl_div(x, x).shape == (2, 3)
    assert ow.binary_cross_entropy_with_logits(x, x).shape == (2, 3)
    assert ow.binary_cross_entropy_with_logits(x, x, reduction=1).shape == ()
    scores = ow.zeros(3, 2, 4)
    assert ow.ctc_loss(scores, ow.tensor([[1], [2]]), (3, 3), (1, 1)).shape == (2,)
    assert F.ctc_loss(scores, ow.tensor([[1], [2]]), (3, 3), (1, 1)).shape == ()


def test_an_impossible_text_has_no_gradient_but_zero_where_asked():
    for zero in (False, True):
        scores = ow.zeros(1, 1, 3).log_softmax(-1).requires_grad_()
        loss = F.ctc_loss(scores, ow.tensor([[1, 1]]), (1,), (2,), zero_infinity=zero)
        assert loss.item() == (0.0 if zero else math.inf)
        loss.backward()
        assert scores.grad.isnan().all() if not zero else scores.grad.tolist() == [[[0.0] * 3]]


def test_vectors_of_unlike_ranks_beside_a_distance():
    with pytest.raises(RuntimeError, match="anchor 1D, positive 2D, and negative 1D inputs"):
        F.triplet_margin_with_distance_loss(ow.ones(2), ow.ones(1, 2), ow.ones(2))


@pytest.mark.parametrize("recorded", [False, True])
def test_distances_that_count_know_nothing_of_nan(recorded):
    x = ow.zeros(3, 3)
    x[0, 1] = math.nan
    x.requires_grad_(recorded)
    assert F.pdist(x, 0).isnan().tolist() == [True, True, False]
    assert ow.cdist(x[:1], x[1:], p=0).isnan().all()


@pytest.mark.parametrize("p", [0, 1, 2, 3, math.inf])
def test_rows_without_elements_are_at_one_place(p):
    x = ow.zeros(4, 0, requires_grad=True)
    assert F.pdist(x, p).tolist() == [0.0] * 6
    F.pdist(x, p).sum().backward()

"""Functions that are written in Python: arguments that they look at before they compute."""

import math
import resource

import numpy as np
import opweave as ow
import pytest

X = ow.arange(12.0).reshape(3, 4)
NUMBERS = {
    "histc": lambda: ow.histc(1),
    "cummax": lambda: ow.cummax(1, 0),
    "cummin": lambda: ow.cummin(1, 0),
    "logcumsumexp": lambda: ow.logcumsumexp(1, 0),
    "put": lambda: ow.put(1, ow.tensor(0), ow.tensor(1)),
    "bincount": lambda: ow.bincount(1),
    "combinations": lambda: ow.combinations(1),
    "multinomial": lambda: ow.multinomial(1, 2),
}
OTHERS = {
    r"quantile\(\) received an invalid combination": lambda: ow.quantile(X, "a"),
    r"\(Tensor, !float!|\(Tensor, float, !str!\)": lambda: ow.quantile(X, 0.5, "a"),
    r"histc\(\): argument 'bins' \(position 2\) must be int": lambda: ow.histc(X, 2.5),
    r"histc\(\): argument 'min' must be Number": lambda: ow.histc(X, min="a"),
    r"\(Tensor, float\)": lambda: ow.histogram(X, 3.0),
    r"\(Tensor, int, range=int\)": lambda: ow.histogram(X, 3, range=5),
    r"\(Tensor, int, weight=int\)": lambda: ow.histogram(X, 3, weight=1),
    r"cummax\(\): argument 'dim' \(position 2\) must be int, not str": lambda: ow.cummax(X, "a"),
    r"logcumsumexp\(\): argument 'dim'": lambda: ow.logcumsumexp(X, 1.5),
    r"tensordot\(\): argument 'dims' must be int or a pair of lists of ints, not \[1\]": (
        lambda: ow.tensordot(X, X, [1])
    ),
    r"tensordot\(\): argument 'dims' must be int": lambda: ow.tensordot(X, X, "a"),
    r"put\(\): argument 'source' \(position 3\)": lambda: ow.put(X, ow.tensor(0), 1.0),
    r"bincount\(\): argument 'weights'": lambda: ow.bincount(ow.tensor([1]), 2),
    r"bincount\(\): argument 'minlength'": lambda: ow.bincount(ow.tensor([1]), minlength=1.5),
    r"isin\(\) received an invalid combination of arguments - got \(int, int\)": lambda: ow.isin(
        1, 2
    ),
    r"isin\(\) received.* got \(Tensor, str\)": lambda: ow.isin(X, "a"),
    r"combinations\(\): argument 'r'": lambda: ow.combinations(X[0], 1.5),
    r"cartesian_prod\(\): expected Tensor as element 0": lambda: ow.cartesian_prod(1),
    r"block_diag\(\): expected Tensor as element 1": lambda: ow.block_diag(X, 1),
    r"meshgrid\(\): expected Tensor as element 0": lambda: ow.meshgrid(1, 2, indexing="ij"),
    r"meshgrid\(\): argument 'indexing' must be str": lambda: ow.meshgrid(X[0], indexing=1),
    r"multinomial\(\): argument 'num_samples'": lambda: ow.multinomial(X[0], 1.5),
    r"tril_indices\(\): argument 'row'": lambda: ow.tril_indices(2.7, 3),
    r"triu_indices\(\): argument 'offset'": lambda: ow.triu_indices(3, 3, 1.5),
    r"'shape' sequence to only contain ints": lambda: ow.unravel_index(ow.tensor(1), (2, 1.5)),
    r"cdist\(\): argument 'x1' \(position 1\)": lambda: ow.cdist(1, X),
    r"cdist\(\): argument 'p' \(position 3\)": lambda: ow.cdist(X, X, "a"),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_no_tensors(name):
    with pytest.raises(
        TypeError, match=rf"{name}\(\): argument 'input' \(position 1\) must be Tensor"
    ):
        NUMBERS[name]()


@pytest.mark.parametrize("message", OTHERS)
def test_arguments_of_other_kinds(message):
    with pytest.raises(TypeError, match=message):
        OTHERS[message]()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((2.0, 1.0), "min should not exceed max, but got min 2 max 1"),
        ((math.nan, 1.0), "is not finite"),
        ((1.0, math.inf), "is not finite"),
        ((1.0,), "range should have 2 elements, but got 1"),
    ],
)
def test_ranges_of_a_histogram(given, message):
    with pytest.raises(RuntimeError, match=message):
        ow.histogram(X, 3, range=given)


@pytest.mark.parametrize(
    "edges", [ow.ones(1, 3), ow.ones(1), ow.ones(0), ow.tensor([3.0, 5.0]).double()]
)
def test_edges_of_a_histogram(edges):
    with pytest.raises(RuntimeError, match=r"histogram\(\): (bins|input) "):
        ow.histogram(X, edges)
    with pytest.raises(RuntimeError, match="weight tensor should have the same dtype"):
        ow.histogram(X, 3, weight=X.double())


def test_exponents_are_numbers():
    assert ow.logspace(ow.tensor(1.0), 2, 2).tolist() == [10.0, 100.0]
    for start, end in ((ow.ones(1), 2), (1, ow.ones(2))):
        with pytest.raises(TypeError, match="must be Number, not Tensor"):
            ow.logspace(start, end, 3)


def test_a_range_has_its_end_and_a_warning():
    with pytest.warns(UserWarning, match="range is deprecated"):
        assert ow.range(0, 3, 1.5).tolist() == [0.0, 1.5, 3.0]
    assert ow.range(0.5, 3.7, dtype=ow.int64).tolist() == [0, 1, 2, 3]
    assert ow.range(5, 0, -2).tolist() == [5.0, 3.0, 1.0]
    for given, said in (
        ((0, 3, 0), "step must be nonzero"),
        ((0, 3, -1), "inconsistent with step sign"),
        ((0, math.inf), "unsupported range"),
        ((0, 3, math.nan), "step must be finite"),
    ):
        with pytest.raises(RuntimeError, match=said):
            ow.range(*given)


@pytest.mark.parametrize("dtype", [ow.float64, ow.int32])
def test_places_are_written_to_tensors_of_their_dtype(dtype):
    edges, out = ow.arange(3.0), ow.zeros(3, 4, dtype=dtype)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long"):
        ow.searchsorted(edges, X, out=out)
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long"):
        ow.bucketize(X, edges, out=out)
    wanted = ow.zeros(3, 4, dtype=ow.int32)
    assert ow.searchsorted(edges, X, out_int32=True, out=wanted) is wanted


@pytest.mark.parametrize("edges", [3, ow.tensor([0.0, 5.0, 12.0])])
def test_histograms_refuse_a_backward_pass(edges):
    x = X.clone().requires_grad_()
    for made in (ow.histogram(x, edges), ow.histogram(X, edges, weight=x)):
        with pytest.raises(RuntimeError, match=r"the derivative for 'histogram\.bin"):
            (made.hist.sum() + x.sum()).backward()
    assert not ow.histc(x, 3).requires_grad


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", [ow.float16, ow.float32, ow.float64, ow.uint8, ow.uint64])
def test_places_of_strided_values_in_rows(right, dtype):
    rows = (ow.arange(24.0).reshape(4, 6) // 2).to(dtype).t().contiguous().t()
    values = (ow.arange(40.0).reshape(10, 4) % 13).to(dtype).t()[:, ::2]
    found = ow.searchsorted(rows, values, right=right)
    side = "right" if right else "left"
    for row, asked, places in zip(rows.numpy(), values.numpy(), found.tolist(), strict=True):
        assert np.searchsorted(row, asked, side).tolist() == places
    shared = ow.searchsorted(rows[0], values, right=right)
    assert shared.tolist() == np.searchsorted(rows[0].numpy(), values.numpy(), side).tolist()
    each = ow.vmap(lambda r, v: ow.searchsorted(r, v, right=right))(rows, values)
    assert each.tolist() == found.tolist()


def test_samples_with_replacement_take_memory_of_the_samples_alone():
    weights = ow.zeros(1_000_000)  # as a matrix the places and samples would be a terabyte
    weights[[3, 999_999]] = 1
    found = ow.multinomial(weights, 1_000_000, replacement=True)
    assert set(found[:1000].tolist()) == {3, 999_999}
    assert abs((found == 3).double().mean().item() - 0.5) < 0.01
    rows = ow.multinomial(ow.tensor([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), 5, replacement=True)
    assert rows.tolist() == [[1] * 5, [0] * 5]


def test_weights_that_lie_otherwise_draw_in_the_order_of_their_memory():
    weights = ow.rand(25, 40).t()
    for options in ((1,), (1, True), (3,)):
        a, b = (ow.Generator(engine="mt19937").manual_seed(1) for _ in range(2))
        times = ow.empty_like(weights).exponential_(generator=b)
        expected = (weights / times).topk(options[0])[1]
        assert ow.multinomial(weights, *options, generator=a).tolist() == expected.tolist()


def test_distances_take_little_more_memory_than_they_are():
    x = ow.rand(1500, 64)  # all differences: 576 MB
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = [ow.cdist(x, x), ow.nn.functional.pdist(x)]
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000
    expected = ow.stack([ow.norm(row - x, dim=1) for row in x[:3]])
    # By a product of matrices, as PyTorch: a row's distance to itself has lost its digits.
    ow.testing.assert_close(found[0][:3], expected, atol=5e-3, rtol=1e-5)
    exact = ow.cdist(x[:3], x, compute_mode="donot_use_mm_for_euclid_dist")
    ow.testing.assert_close(exact, expected)
    ow.testing.assert_close(found[1][:1499], expected[0, 1:])
    ow.testing.assert_close(found[1][-1], ow.norm(x[-1] - x[-2]))


@pytest.mark.parametrize("weights", [None, [1.0]])
def test_the_largest_int_is_no_place(weights):
    weights = None if weights is None else ow.tensor(weights)
    with pytest.raises(RuntimeError, match=r"^bincount: the element 9223372036854775807 asks"):
        ow.bincount(ow.tensor([2**63 - 1]), weights)


@pytest.mark.parametrize("offset", [2**63 - 1, 2**62, 5, 3, -3, -5, -(2**62), -(2**63)])
@pytest.mark.parametrize("name", ["tril_indices", "triu_indices"])
def test_diagonals_far_beside_a_matrix(name, offset):
    """All places or none, as of the nearest diagonal that is beside it."""
    near = max(-3, min(offset, 4))
    matrix = getattr(ow, name.removesuffix("_indices"))(ow.ones(3, 4), near)
    assert getattr(ow, name)(3, 4, offset).tolist() == matrix.nonzero().t().tolist()

"""What is written to expanded tensors, and to the memory of others: PyTorch's answers."""

import re

import opweave as ow
import pytest

MASK = ow.tensor([[True, False, True], [False, False, True]])
SEVERAL = "more than one element of the written-to tensor"


def expanded():
    return ow.zeros(1, 3).expand(2, 3)


def fill_by_mask(x):
    x[MASK] = 7.0


def write_by_mask(x):
    x[MASK] = ow.tensor([7.0, 8, 9])


def fill_by_index(x):
    x[ow.tensor([1])] = 7.0


def add_by_index(x):
    x.index_put_((ow.tensor([0, 1]),), ow.tensor([1.0, 2, 3]), accumulate=True)


@pytest.mark.parametrize(
    ("write", "row"),
    [
        (fill_by_mask, [7, 0, 7]),
        (write_by_mask, [7, 0, 9]),
        (fill_by_index, [7, 7, 7]),
        (add_by_index, [2, 4, 6]),
        (lambda x: x.index_put_((ow.tensor([0]),), ow.tensor([1.0, 2, 3])), [1, 2, 3]),
        (lambda x: x.index_fill_(0, ow.tensor([0]), 1.0), [1, 1, 1]),
        (lambda x: x.index_fill_(0, ow.tensor([0]), ow.tensor(2.0)), [2, 2, 2]),
    ],
)
def test_writes_by_index_warn_and_write(write, row):
    x = expanded()
    with pytest.warns(UserWarning, match=r"Use of index_\w+_ on expanded tensors is deprecated"):
        write(x)
    assert x.tolist() == [row, row]


@pytest.mark.parametrize("value", [7.0, ow.tensor(7.0)])
def test_a_fill_by_mask_warns_and_fills_where_any_mask_says(value):
    x = expanded()
    with pytest.warns(UserWarning, match="Use of masked_fill_ on expanded tensors is deprecated"):
        assert x.masked_fill_(MASK, value) is x
    assert x.tolist() == [[7, 0, 7]] * 2


@pytest.mark.filterwarnings("ignore:Use of masked_fill_")
def test_fills_of_one_place_in_every_layout():
    columns = ow.arange(3.0).reshape(3, 1).expand(3, 5)
    mask = ow.zeros(3, 5, dtype=ow.bool)
    mask[0, 4] = mask[1, 0] = True
    columns.masked_fill_(mask, -1)
    assert columns[:, 0].tolist() == [-1, -1, 2]
    blocks = ow.zeros(2, 1, 3, 1).expand(2, 4, 3, 5)
    mask = ow.zeros(4, 1, 5, dtype=ow.bool)
    mask[3, 0, 4] = True
    blocks.masked_fill_(mask, 2)
    assert blocks.min() == 2
    kept = ow.tensor(3.0).expand(2, 3)
    kept.masked_fill_(ow.zeros(3, dtype=ow.bool), 1)
    assert kept.tolist() == [[3] * 3] * 2
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        expanded().masked_fill_(ow.ones(4, 2, 3, dtype=ow.bool), 1)
    halves = ow.zeros(1, 3, dtype=ow.bfloat16).expand(2, 3)
    assert halves.masked_fill_(MASK, 2)[1].tolist() == [2, 0, 2]
    nothing = ow.zeros(0, 1).expand(0, 4)
    assert nothing.masked_fill_(ow.ones(4, dtype=ow.bool), 1).shape == (0, 4)


def test_fills_of_elements_that_overlap_in_another_way():
    """As those of unfold() do, of which PyTorch does not warn."""
    windows = ow.arange(10.0)
    windows.unfold(0, 4, 2).masked_fill_(ow.arange(16).view(4, 4) % 5 == 0, 0.0)
    assert windows.tolist() == [0, 1, 2, 0, 4, 5, 0, 7, 8, 0]
    first = ow.tensor([[False, True], [False, False]])
    for fill in (lambda t: t.masked_fill_(first, -1), lambda t: t.__setitem__(first, -1.0)):
        elements = ow.arange(3.0)
        fill(elements.as_strided((2, 2), (1, 1)))
        assert elements.tolist() == [0, -1, 2]
    # Apart from one another, though not in order.
    apart = ow.zeros(12)
    apart.as_strided((3, 2), (2, 7)).masked_fill_(ow.ones(3, 2, dtype=ow.bool), 1)
    assert apart.nonzero().flatten().tolist() == [0, 2, 4, 7, 9, 11]


@pytest.mark.parametrize("dtype", [ow.float32, ow.bfloat16], ids=str)
def test_sums_in_elements_that_overlap(dtype):
    """Each term comes to the element, through whichever window."""
    index, rows = ow.tensor([0, 1, 1]), ow.ones(3, 2, dtype=dtype)
    places = index[:, None].expand(3, 2)
    for add in (
        lambda t: t.index_put_((index,), rows, accumulate=True),
        lambda t: t.index_add_(0, index, rows),
        lambda t: t.scatter_add_(0, places, rows),
    ):
        elements = ow.zeros(3, dtype=dtype)
        add(elements.as_strided((2, 2), (1, 1)))
        assert elements.tolist() == [1, 3, 2]


@pytest.mark.filterwarnings("ignore:Use of index_put_")
def test_the_gradient_of_what_is_filled_in_several_places():
    mask = ow.tensor([True, False, True])
    value = ow.tensor(5.0, requires_grad=True)
    base = ow.zeros(3)
    base.expand(2, 3).masked_fill_(mask, value)
    assert base.tolist() == [5, 0, 5]
    base.sum().backward()
    assert value.grad == 4  # of each place that was written, as PyTorch counts

    def filled(y):
        base = ow.zeros(3)
        base.expand(2, 3).masked_fill_(mask, y[0])
        return base.sum()

    assert ow.func.grad(filled)(ow.ones(1)).tolist() == [4]


@pytest.mark.filterwarnings("ignore:Use of index_put_")
def test_sums_in_one_place_are_whole():
    rows = ow.zeros(1, 100000).expand(50, 100000)
    rows.index_put_((ow.arange(50),), ow.ones(50, 100000), accumulate=True)
    assert (rows[0].min(), rows[0].max()) == (50, 50)


@pytest.mark.parametrize(
    "write",
    [
        lambda x: x.masked_scatter_(MASK, ow.ones(6)),
        lambda x: x.index_copy_(0, ow.tensor([0]), ow.ones(1, 3)),
        lambda x: x.index_add_(0, ow.tensor([0]), ow.ones(1, 3)),
        lambda x: x.scatter_(0, ow.tensor([[0]]), 1.0),
        lambda x: x.add_(1),
        lambda x: x.copy_(ow.ones(2, 3)),
    ],
)
def test_other_writes_are_refused(write):
    with pytest.raises(RuntimeError, match=SEVERAL):
        write(expanded())


def test_copies_with_a_part_replaced():
    x = expanded()
    assert ow.select_scatter(x, ow.ones(3), 0, 1).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert ow.slice_scatter(x, ow.ones(1, 3), 0, 1, 2).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert ow.diagonal_scatter(x, ow.ones(2)).tolist() == [[1, 0, 0], [0, 1, 0]]
    assert ow.as_strided_scatter(x, ow.ones(2), (2,), (1,)).tolist() == [[1, 1, 0], [0, 0, 0]]
    assert x.tolist() == [[0, 0, 0], [0, 0, 0]]


# --- set_ -------------------------------------------------------------------------------------------------
def test_a_storage_grows_to_what_looks_at_it():
    a = ow.zeros(2)
    part = a[1:]
    grown = ow.zeros(0).set_(a.untyped_storage(), 0, (5,), (1,))
    assert a.untyped_storage().nbytes() == 20
    grown[1] = 7
    assert (a.tolist(), part.tolist()) == ([0, 7], [7])
    assert ow.zeros(2).set_(ow.zeros(2), 7, (5,)).untyped_storage().nbytes() == 48
    assert ow.zeros(2).set_(ow.zeros(2), 0, (2, 3), (5, 1)).untyped_storage().nbytes() == 32
    assert ow.zeros(2).set_(ow.zeros(2), 0, (0, 3), (5, 1)).untyped_storage().nbytes() == 8


def test_tensors_whose_history_is_recorded_are_not_set():
    leaf = ow.zeros(2, 3, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used"):
        leaf.set_(ow.zeros(2))
    for tensor in (leaf.exp(), leaf[:1]):
        with pytest.raises(RuntimeError, match="set_\\(\\) has no derivative"):
            tensor.set_(ow.zeros(2))
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used"):
        ow.func.grad(lambda y: (y.set_(ow.ones(3)), y.sum())[1])(ow.ones(3))
    for source in (leaf, leaf * 2):
        tensor = ow.zeros(0)
        assert tensor.set_(source) is tensor
        assert tensor.requires_grad
        assert tensor.tolist() == source.tolist()
        with pytest.raises(RuntimeError, match="derivative for set_ is not implemented"):
            tensor.sum().backward()
    with pytest.raises(RuntimeError, match="derivative for set_ is not implemented"):
        ow.func.grad(lambda y: (ow.zeros(0).set_(y) * y).sum())(ow.ones(3))
    with ow.no_grad():
        assert leaf.set_(ow.ones(2)).tolist() == [1, 1]
        assert ow.zeros(0).set_(leaf).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ((-1, (5,), (1,)), "got -1, [5] and [1]"),
        ((0, (5,), (-1,)), "got 0, [5] and [-1]"),
        ((0, (-5,), (1,)), "got 0, [-5] and [1]"),
        ((0, (5,), (1, 1)), "got 0, [5] and [1, 1]"),
        ((0, (2**62,), (1,)), "Storage size calculation overflowed"),
    ],
)
def test_places_that_are_none(place, said):
    with pytest.raises(RuntimeError, match=re.escape(said)):
        ow.zeros(2).set_(ow.zeros(2), *place)


def test_memory_of_others_does_not_grow():
    numpy = pytest.importorskip("numpy")
    with pytest.raises(RuntimeError, match="Trying to resize storage that is not resizable"):
        ow.zeros(2).set_(ow.from_numpy(numpy.zeros(2, "float32")), 0, (5,), (1,))


def test_sources_are_of_the_tensors_kind():
    with pytest.raises(RuntimeError, match="expected a source of the tensor's dtype"):
        ow.zeros(2).set_(ow.zeros(2, dtype=ow.int32))
    with pytest.raises(RuntimeError, match="expected a source on the tensor's device, cpu"):
        ow.zeros(2).set_(ow.zeros(2, device="meta"))


# --- reductions that there are ----------------------------------------------------------------------------
def test_truth_values_have_no_mean():
    index, truths = ow.tensor([0, 1]), ow.ones(2, dtype=ow.bool)
    with pytest.raises(NotImplementedError, match=r"dtype opweave\.bool with reduce='mean'"):
        ow.zeros(3, dtype=ow.bool).scatter_reduce(0, index, truths, "mean")
    assert ow.zeros(3, dtype=ow.bool).scatter_reduce(0, index, truths, "sum").tolist() == [1, 1, 0]
    for reduce in ("prod", "mean", "amax", "amin"):
        with pytest.raises(
            NotImplementedError, match=r"index_reduce\(\): not implemented for dtype"
        ):
            ow.zeros(3, dtype=ow.bool).index_reduce(0, index, truths, reduce)


def test_slices_are_not_summed_by_index_reduce():
    said = "Expected reduce to be one of prod, mean, amax or amin but got sum"
    for write in (ow.index_reduce, ow.Tensor.index_reduce_):
        with pytest.raises(RuntimeError, match=said):
            write(ow.zeros(3), 0, ow.tensor([0]), ow.ones(1), "sum")

"""Index vectors, masks and dims in forms that programs come with: expanded, without dimensions, beside whole
dimensions, named twice. Expanded vectors do what their copies do; the rest is as in PyTorch."""

import opweave as ow
import opweave.nn.functional as F
import pytest

TWO = ow.tensor([2])
EXPANDED = {
    "index_add_": lambda i: ow.zeros(5).index_add_(0, i, ow.ones(3)),
    "index_copy_": lambda i: ow.zeros(5).index_copy_(0, i, ow.ones(3)),
    "index_select": lambda i: ow.arange(5).index_select(0, i),
    "bincount": lambda i: ow.bincount(i),
    "gather": lambda i: ow.gather(ow.arange(5.0), 0, i),
    "embedding": lambda i: F.embedding(i, ow.arange(6.0).view(3, 2)),
    "embedding_bag": lambda i: F.embedding_bag(ow.tensor([0, 1, 2]), ow.ones(3, 2), i),
    "index": lambda i: ow.arange(5)[i],
    "take": lambda i: ow.take(ow.arange(5), i),
}


NARROW = ("index_add_", "index_select", "bincount", "embedding", "index")


@pytest.mark.parametrize(
    ("name", "dtype"), [*((n, "int64") for n in EXPANDED), *((n, "int32") for n in NARROW)]
)
def test_expanded_vectors(name, dtype):
    start = TWO * 0 if name == "embedding_bag" else TWO
    index = start.to(getattr(ow, dtype)).expand(3)
    assert EXPANDED[name](index).tolist() == EXPANDED[name](index.clone()).tolist()


@pytest.mark.parametrize("rows", [1, 4], ids=["expanded", "dense"])
@pytest.mark.parametrize("chosen", [False, True])
def test_masks_without_dimensions(rows, chosen):
    x = ow.zeros(rows, 3).expand(4, 3)
    wanted = ow.full((4, 3), float(chosen))
    assert ow.equal(x.index_put((ow.tensor(chosen),), ow.tensor(1.0)), wanted)
    assert ow.equal(x.index_put((ow.tensor(chosen),), ow.tensor(1.0), True), wanted)
    y = x.clone()
    y[ow.tensor(chosen)] = 1
    assert ow.equal(y, wanted)
    value = ow.tensor(1.0, requires_grad=True)
    x.index_put((ow.tensor(chosen),), value).sum().backward()
    assert value.grad.item() == 12 * chosen
    with pytest.raises(IndexError, match="too many indices for tensor of dimension 2"):
        x.index_put((None, None, None, ow.tensor(chosen)), value)


def test_masks_beside_whole_dimensions_convert_one_value():
    mask = ow.tensor([True, False, True])
    for value in (ow.tensor(1), ow.tensor(1.0, dtype=ow.float64), ow.tensor([1])):
        for index in ((slice(None), mask), (..., mask)):
            x = ow.zeros(2, 3)
            x[index] = value
            assert x.tolist() == [[1.0, 0.0, 1.0]] * 2
        assert ow.zeros(3).index_put_((mask,), value).tolist() == [1.0, 0.0, 1.0]
    x = ow.zeros(2, 3)
    x[True] = ow.ones(2, 3, dtype=ow.int64)
    assert x.tolist() == [[1.0] * 3] * 2
    with pytest.raises(RuntimeError, match="source and destination dtypes match"):
        ow.zeros(3).index_put_((ow.tensor([0]),), ow.tensor(1))


def test_dims_of_tensordot_are_named_once():
    x = ow.ones(2, 2, 2)
    for dims in (([0, 1], [2, -1]), ([0, 1], [2, 2]), ([0, 0], [2, 1]), ([0, -3], [2, 1])):
        with pytest.raises(RuntimeError, match="appears multiple times in the list of dims"):
            ow.tensordot(x, x, dims=dims)
    one = ow.ones(1, 1, 1, dtype=ow.int64)
    with pytest.raises(RuntimeError, match="should have same dtype, got int64 and bfloat16"):
        ow.tensordot(one, ow.zeros(2, 1, 2).bfloat16(), dims=([0, 1], [2, 0]))


@pytest.mark.parametrize("order", [1, 2, 3, 100, 0.5, -2, float("inf")])
def test_norms_of_one_element_are_its_magnitude(order):
    for value in (8.5, -1e25, 1e-30, 0.0, float("inf")):
        assert ow.linalg.vector_norm(ow.tensor([value]), order).item() == ow.tensor(value).abs()
        rows = ow.linalg.vector_norm(ow.tensor([[value], [2.0]]), order, 1)
        assert rows.tolist() == [ow.tensor(value).abs().item(), 2.0]
    assert F.normalize(ow.tensor([[1e20], [-3.0]]), order, 1).tolist() == [[1.0], [-1.0]]

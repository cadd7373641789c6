"""Under vmap, `x[i]` with a number that differs between the examples; expected values by a loop over them."""

import pytest

X = [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]]


@pytest.mark.parametrize(
    "take",
    [
        lambda x, i: x[i],
        lambda x, i: x[:, i],
        lambda x, i: x[i, i],
        lambda x, i: x[..., i, None],
        lambda x, i: x[i, 1:3],
        lambda x, i: x[1:, i],
        lambda x, i: x[-i],
        lambda x, i: x[i, 0] + x[0, i],
    ],
)
@pytest.mark.parametrize("dtype", ["int64", "int32", "int8"])  # uint8 tensors are masks
def test_a_number_of_each_example_selects(ow, take, dtype):
    x, i = ow.tensor(X), ow.tensor([2, 0, 1], dtype=getattr(ow, dtype))
    got = ow.func.vmap(lambda one: take(x, one))(i)
    assert got.tolist() == ow.stack([take(x, int(one)) for one in i]).tolist()


def test_functions_of_two_numbers_make_masks(ow):
    # as libraries write masks of attention
    allowed = ow.tensor([[True, False, True], [True, True, False]])

    def mask(row, column):
        return allowed[row, column] & (column >= row)

    got = ow.func.vmap(lambda r: ow.func.vmap(lambda c: mask(r, c))(ow.arange(3)))(ow.arange(2))
    assert got.tolist() == [[True, False, True], [False, True, False]]


def test_it_has_gradients_and_writes(ow):
    x, i = ow.tensor(X), ow.tensor([2, 0, 2])
    gradient = ow.func.grad(lambda x: ow.func.vmap(lambda one: x[one, 1])(i).sum())(x)
    assert gradient[:, 1].tolist() == [1.0, 0.0, 2.0]
    assert gradient.sum() == 3

    def write(one, row):
        row = row.clone()
        row[one] = 9.0
        return row

    assert ow.func.vmap(write)(ow.tensor([3, 0]), ow.tensor(X[:2])).tolist() == [
        [0.0, 1.0, 2.0, 9.0],
        [9.0, 5.0, 6.0, 7.0],
    ]


def test_an_index_out_of_range_is_refused(ow):
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 0 with size 3"):
        ow.func.vmap(lambda one: ow.tensor(X)[one])(ow.tensor([1, 3]))


@pytest.mark.parametrize(
    "take",
    [
        lambda x, i: x[i, x.new_tensor([0, 1]).long()],  # whose dimension comes where?
        lambda x, i: x[i:],
        lambda x, i: x[i > 1],
    ],
)
def test_what_would_differ_in_shape_is_refused(ow, take):
    with pytest.raises(RuntimeError, match=r"^vmap: the values of this tensor differ between the"):
        ow.func.vmap(lambda one: take(ow.tensor(X), one))(ow.tensor([2, 0]))

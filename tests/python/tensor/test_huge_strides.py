"""A dimension of one element, or of none, may have any stride: nothing is computed wrong by it."""

import opweave as ow
import pytest


@pytest.fixture
def row():
    return ow.empty_strided((1, 3), (2**61, 1)).copy_(ow.arange(3.0))


def test_pointwise_and_reductions(row):
    assert (row + 1).tolist() == [[1, 2, 3]]
    assert (row + ow.ones(2, 3)).tolist() == [[1, 2, 3]] * 2
    assert row.sum(0).tolist() == [0, 1, 2]
    assert row.cumsum(1).tolist() == [[0, 1, 3]]
    assert row.double().tolist() == row.tolist() == [[0, 1, 2]]


def test_views(row):
    assert row.unsqueeze(0).stride() == row[None].stride() == (2**61, 2**61, 1)
    assert row.expand(2, 3).tolist() == [[0, 1, 2]] * 2
    assert row.expand(1, 1, 3).sum((0, 1)).tolist() == [0, 1, 2]
    assert row.reshape(3, 1).tolist() == [[0], [1], [2]]


def test_parts_of_a_single_window():
    windows = ow.ones(2, 5).unfold(1, 1, 2**63 - 1)
    assert [part.tolist() for part in windows.unbind(1)] == [[[1.0], [1.0]]]
    assert repr(windows) == "tensor([[[1.]],\n\n        [[1.]]])"


def test_no_elements():
    x = ow.empty_strided((0, 2**40), (2**40, 2**40))
    assert (x + 1).shape == (0, 2**40)
    assert x[None].shape == x.unsqueeze(0).shape == (1, 0, 2**40)
    assert ow.nn.functional.one_hot(x[:, :1].long(), 3).shape == (0, 1, 3)


@pytest.mark.parametrize("shape", [(0, 2, 2**62), (2**40, 2**40, 0)])
def test_sizes_without_a_product_are_refused_also_beside_a_zero(shape):
    for make in (ow.empty, ow.zeros, lambda s: ow.empty(0, 1, 1).expand(0, *s[1:2], 2**62)):
        with pytest.raises(RuntimeError, match=r"the product of sizes \[.*\] overflows int64"):
            make(shape)


def test_a_number_of_a_formula_that_has_no_64_bits():
    x = ow.tensor([1.5], requires_grad=True)
    (grad,) = ow.autograd.grad(ow.polygamma(2**63 - 1, x), x, create_graph=True)
    with pytest.raises(
        RuntimeError, match=r"9223372036854775807 \+ 1 is out of the range of 64-bit"
    ):
        grad.backward()

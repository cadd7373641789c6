"""Functions of lists of tensors: torch.foreach, and its private names of PyTorch."""

import opweave as ow
import pytest
from opweave import foreach


@pytest.fixture
def lists():
    return [ow.ones(2), ow.full((3,), 2.0)], [ow.full((2,), 3.0), ow.full((3,), 4.0)]


def values(tensors):
    assert isinstance(tensors, (tuple, list))
    return [t.flatten().tolist() for t in tensors]


def test_arithmetic(lists):
    a, b = lists
    assert values(foreach.add(a, 1)) == [[2.0] * 2, [3.0] * 3]
    assert values(foreach.add(a, [1, 2])) == [[2.0] * 2, [4.0] * 3]
    assert values(foreach.add(a, b, alpha=2)) == [[7.0] * 2, [10.0] * 3]
    assert values(foreach.sub(a, ow.tensor(1.0))) == [[0.0] * 2, [1.0] * 3]
    assert values(foreach.pow(2, b)) == [[8.0] * 2, [16.0] * 3]
    assert values(foreach.maximum(a, b)) == values(b)
    assert values(foreach.clamp_min(a, 1.5)) == [[1.5] * 2, [2.0] * 3]
    assert values(foreach.addcmul(a, b, b, value=2)) == [[19.0] * 2, [34.0] * 3]
    assert values(foreach.addcdiv(a, b, b, [1, 2])) == [[2.0] * 2, [4.0] * 3]
    assert values(foreach.lerp(a, b, 0.5)) == [[2.0] * 2, [3.0] * 3]
    assert values(foreach.lerp(a, b, [0.5, 0.25])) == [[2.0] * 2, [2.5] * 3]
    assert values(foreach.sqrt(b))[1] == [2.0] * 3
    assert values(foreach.norm(b, 1)) == [[6.0], [12.0]]
    assert values(foreach.max(b)) == [[3.0], [4.0]]
    assert values(foreach.mm([ow.ones(1, 2)], [ow.ones(2, 1)])) == [[2.0]]


def test_in_place(lists):
    a, b = lists
    assert foreach.mul_(a, 3) is a
    assert values(a) == [[3.0] * 2, [6.0] * 3]
    foreach.maximum_(a, b)
    assert values(a) == [[3.0] * 2, [6.0] * 3]
    foreach.copy_(a, b)
    assert values(a) == values(b)
    copies = foreach.clone(a)
    foreach.zero_(a)
    assert values(a) == [[0.0] * 2, [0.0] * 3]
    assert values(copies) == values(b)


def test_every_elementwise_function_is_that_of_tensors(lists):
    _, b = lists
    for name in foreach._ELEMENTWISE:
        expected = [getattr(t / 10, name)() for t in b]
        ow.testing.assert_close(getattr(foreach, name)([t / 10 for t in b]), tuple(expected))
        written = [t / 10 for t in b]
        getattr(foreach, name + "_")(written)
        ow.testing.assert_close(written, expected)


def test_gradients(lists):
    a = [t.clone().requires_grad_() for t in lists[0]]
    sum(t.sum() for t in foreach.mul(a, lists[1])).backward()
    assert values([t.grad for t in a]) == values(lists[1])


def test_private_names():
    assert ow._foreach_add is foreach.add
    assert not hasattr(ow, "_foreach_nothing")


def test_bad_arguments(lists):
    a, b = lists
    for call, kind, words in (
        (
            lambda: foreach.add([], 1),
            RuntimeError,
            r"_foreach_add\(\): Tensor list must have at least",
        ),
        (
            lambda: foreach.add(a, [1]),
            RuntimeError,
            "same number of elements as scalar list, got 2 and 1",
        ),
        (lambda: foreach.add(a, b[:1]), RuntimeError, "same number of tensors, got 2 and 1"),
        (
            lambda: foreach.add(3, 1),
            TypeError,
            "'self': expected a tuple or list of Tensors, got int",
        ),
        (lambda: foreach.exp([1, a[0]]), TypeError, "got a list with int"),
        (lambda: foreach.mul(a, b, alpha=2), TypeError, "unexpected keyword arguments: alpha"),
        (
            lambda: foreach.copy_(a, 3),
            TypeError,
            "'tensors': expected a tuple or list of Tensors, got int",
        ),
    ):
        with pytest.raises(kind, match=words):
            call()

"""What is written must not lie in what is read, unless it is the same memory and element by element."""

import warnings

import opweave as ow
import pytest

SINGLE = "refer to a single memory location"


def refused(function, match=SINGLE):
    with pytest.raises(RuntimeError, match=match):
        function()


def shifted():
    x = ow.arange(1.0, 6.0)
    return x[:4], x[1:]


PARTIAL = {
    "add": lambda a, o: ow.add(a, 2, out=o),
    "pow": lambda a, o: ow.pow(a, 2, out=o),
    "clamp": lambda a, o: ow.clamp(a, 0, 3, out=o),
    "cumsum": lambda a, o: ow.cumsum(a, 0, out=o),
    "take": lambda a, o: ow.take(a, ow.arange(4), out=o),
    "masked_select": lambda a, o: ow.masked_select(a, a > 0, out=o),
    "where": lambda a, o: ow.where(a > 1, a, a, out=o),
    "cat": lambda a, o: ow.cat([a[:2], a[2:]], out=o),
    "copy_": lambda a, o: o.copy_(a),
}


@pytest.mark.parametrize("name", PARTIAL)
def test_partial_overlap(name):
    refused(lambda: PARTIAL[name](*shifted()))


def test_the_same_memory_is_fine_element_by_element():
    x = ow.arange(4.0)
    assert ow.pow(x, 2, out=x).tolist() == [0, 1, 4, 9]
    assert ow.cumsum(x, 0, out=x).tolist() == [0, 1, 5, 14]


BROADCASTING = {
    "add": lambda a, b: ow.add(a, b, out=a),
    "maximum of the second": lambda a, b: ow.maximum(b, a, out=a),
    "where": lambda a, b: ow.where(b > 0, a, b, out=a),
    "lerp": lambda a, b: ow.lerp(b, b, a, out=a),
    "addcmul": lambda a, b: ow.addcmul(b, a, b, out=a),
}


@pytest.mark.parametrize("name", BROADCASTING)
@pytest.mark.parametrize("size", [(), (1,), (4,), (1, 4)])
def test_what_is_read_is_not_resized(name, size):
    a = ow.full(size, 2.0)
    refused(lambda: BROADCASTING[name](a, ow.ones(4, 4)), "doesn't match the broadcast shape")
    assert a.shape == size
    assert bool((a == 2).all())


EMPTY = {
    "mm": (lambda a: ow.mm(a, ow.ones(0, 3), out=a), ow.zeros(5, 3)),
    "addmm": (lambda a: ow.addmm(ow.ones(5, 3), a, ow.ones(0, 3), out=a), ow.ones(5, 3)),
    "sum": (lambda a: ow.sum(a, 1, out=a), ow.zeros(5)),
    "cat": (lambda a: ow.cat([a, ow.ones(5, 2)], 1, out=a), ow.ones(5, 2)),
    "prod": (lambda a: ow.prod(a, 1, out=a), ow.ones(5)),
}


@pytest.mark.parametrize("name", EMPTY)
def test_an_empty_input_may_become_the_result(name):
    function, expected = EMPTY[name]
    a = ow.empty(5, 0)
    assert function(a) is a
    assert ow.equal(a, expected)


SCATTERS = {
    "scatter_": lambda x, i: x.scatter_(0, i, 3),
    "scatter_ of itself": lambda x, i: x.scatter_(0, i.clone(), x),
    "scatter_add_": lambda x, i: x.scatter_add_(0, i.clone(), x),
    "index_copy_": lambda x, i: x.index_copy_(0, i, x.clone()),
    "index_copy_ of itself": lambda x, i: x.index_copy_(0, i.clone(), x),
    "index_add_": lambda x, i: x.index_add_(0, i, x.clone()),
    "index_fill_": lambda x, i: x.index_fill_(0, i, 3),
    "index_put_": lambda x, i: x.index_put_((i,), x.clone()),
    "index_put_ of itself": lambda x, i: x.index_put_((i.clone(),), x),
}


@pytest.mark.parametrize("name", SCATTERS)
def test_what_moves_elements_is_apart_from_what_it_reads(name):
    x = ow.arange(4)
    refused(lambda: SCATTERS[name](x, x))
    assert x.tolist() == [0, 1, 2, 3]


def test_results_are_apart():
    o = ow.empty(3)
    refused(lambda: ow.aminmax(ow.ones(3, 3), dim=0, out=(o, o)))
    index = ow.empty(3, dtype=ow.int64)
    assert ow.sort(ow.tensor([2.0, 1.0, 3.0]), out=(o, index)).values is o


def test_resizing_a_filled_out_warns():
    for call in (
        lambda out: ow.add(ow.ones(3), 1, out=out),
        lambda out: ow.mm(ow.ones(1, 1), ow.ones(1, 3), out=out),
        lambda out: ow.cumsum(ow.ones(3), 0, out=out),
    ):
        with pytest.warns(UserWarning, match="An output with one or more elements was resized"):
            call(ow.empty(2))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            call(ow.empty(0))
            with pytest.raises(UserWarning, match=r"since it had shape \[2\]"):
                call(ow.empty(2))


def test_out_of_another_dtype():
    x, other = ow.ones(2, 2), ow.empty(2, 2, dtype=ow.float64)
    for call in (
        lambda: ow.mm(x, x, out=other),
        lambda: ow.index_select(x, 0, ow.tensor([0, 1]), out=other),
        lambda: ow.gather(x, 0, ow.zeros(2, 2, dtype=ow.int64), out=other),
        lambda: ow.abs(x, out=other),
    ):
        refused(call, match="Expected out tensor to have dtype float, but got double instead")
    assert ow.sin(x, out=other) is other
    assert ow.cat([x[:1], x[1:]], out=other).tolist() == [[1, 1], [1, 1]]
    assert ow.sum(x, 0, out=ow.empty(2, dtype=ow.float64)).tolist() == [2, 2]


def test_a_tensor_is_filled_with_one_of_its_elements():
    x = ow.arange(6.0).view(2, 3)
    assert x.fill_(x[1, 2]).tolist() == [[5.0] * 3] * 2
    x = ow.arange(4)
    assert x[1:].fill_(x[2]).tolist() == [2, 2, 2]
    x = ow.arange(3.0, requires_grad=True)
    y = x * 1
    y.fill_(y[1]).sum().backward()
    assert x.grad.tolist() == [0.0, 3.0, 0.0]

"""Tensor as a Python object: numbers, containers, attributes, copies, pickles, subclasses."""

import copy
import gc
import math
import operator
import pickle
import weakref

import pytest
from reference.dtypes import DTYPES


@pytest.mark.parametrize(
    ("values", "kind"), [([[1, 2]], int), ([1.5], float), ([True, False], bool), (3, int)]
)
def test_tolist(ow, values, kind):
    def leaves(v):
        return [x for item in v for x in leaves(item)] if isinstance(v, list) else [v]

    result = ow.tensor(values).tolist()
    assert result == values
    assert all(type(v) is kind for v in leaves(result))


@pytest.mark.parametrize("name", DTYPES)
def test_item(ow, name):
    dtype = getattr(ow, name)
    value = ow.tensor(1, dtype=dtype).item()
    assert value == 1
    assert type(value) is (bool if name == "bool" else float if dtype.is_floating_point else int)
    assert type(ow.ones(1, 1, dtype=dtype).item()) is type(value)


@pytest.mark.filterwarnings("ignore")
def test_numbers(ow):
    t = ow.tensor([2.75])
    assert (float(t), int(t), bool(t), round(t.item(), 1)) == (2.75, 2, True, 2.8)
    assert int(ow.tensor(-2.75)) == -2
    assert math.floor(ow.tensor(3)) == 3
    assert list(range(5))[ow.tensor(3)] == 3
    assert operator.index(ow.tensor(4)) == 4
    assert [0] * ow.tensor(3) == [0, 0, 0]
    assert complex(ow.tensor(2.0)) == 2
    assert not ow.tensor(0)
    assert not ow.tensor([[False]])
    assert ow.tensor(float("nan"))
    assert float(ow.tensor(1.5, requires_grad=True)) == 1.5


def test_truth_of_several_values(ow):
    with pytest.raises(RuntimeError, match="ambiguous"):
        bool(ow.ones(2))
    with pytest.raises(RuntimeError, match="ambiguous"):
        bool(ow.ones(0))


def test_length_and_iteration(ow):
    t = ow.arange(6).view(3, 2)
    assert len(t) == 3
    assert [row.tolist() for row in t] == [[0, 1], [2, 3], [4, 5]]
    assert [x.item() for x in reversed(list(t[0]))] == [1, 0]
    a, b = t[0]
    assert (a.item(), b.item()) == (0, 1)
    assert len(ow.zeros(0, 3)) == 0
    assert list(ow.zeros(0)) == []
    with pytest.raises(TypeError):
        len(ow.tensor(1))
    with pytest.raises(TypeError):
        iter(ow.tensor(1))
    for row in t:
        row[0] = 9
    assert t[:, 0].tolist() == [9, 9, 9]


def test_contains(ow):
    t = ow.tensor([[1, 2], [3, 4]])
    assert 3 in t
    assert 7 not in t
    assert ow.tensor(4) in t


def test_metadata(ow):
    t = ow.zeros(2, 3, 4).transpose(0, 2)
    assert t.shape == t.size() == (4, 3, 2)
    assert t.shape[-1] == t.size(-1) == t.size(dim=2) == 2
    assert t.stride() == (1, 4, 12)
    assert t.stride(1) == 4
    assert (t.dim(), t.ndim, t.numel(), t.nelement()) == (3, 3, 24, 24)
    assert (t.itemsize, t.element_size(), t.nbytes) == (4, 4, 96)
    assert (t.storage_offset(), t[1:].storage_offset()) == (0, 1)
    assert not t.is_contiguous()
    assert t.dtype is ow.float32
    assert (t.device.type, t.is_cpu, t.is_cuda) == ("cpu", True, False)
    assert (t.is_floating_point(), t.is_leaf, t.requires_grad) == (True, True, False)
    assert (t.layout, t.grad, t.grad_fn) == (ow.strided, None, None)
    assert t.is_same_size(ow.ones(4, 3, 2))
    assert ow.zeros(1)[0].data_ptr() != 0


def test_size_is_a_tuple(ow):
    size = ow.zeros(2, 3).shape
    assert isinstance(size, tuple)
    assert isinstance(size, ow.Size)
    assert size == (2, 3)
    assert size.numel() == 6
    assert hash(size) == hash((2, 3))
    assert list(size) == [2, 3]
    rows, columns = size
    assert (rows, columns) == (2, 3)
    assert isinstance(size[1:], ow.Size)
    assert ow.zeros(size).shape == size
    assert ow.zeros(*size).shape == size


def test_sizes_of_two_tuples(ow):
    size = ow.Size([2])
    for left, right in (((1,), size), (size, (3,)), (size, size), ((), size)):
        made = operator.add(left, right)
        assert type(made) is ow.Size
        assert made == (*left, *right)
    assert type(sum([size, size], ())) is ow.Size
    for wrong in ("a", 1.5, None):
        for left, right, place in (((wrong,), size, 0), (size, (wrong,), 1)):
            said = f"iterable of 'int' .item {place} is '{type(wrong).__name__}'"
            with pytest.raises(TypeError, match=said):
                operator.add(left, right)
    with pytest.raises(TypeError, match="can only concatenate tuple"):
        operator.add(size, [1])


def test_attributes(ow):
    t = ow.ones(2)
    t.note = "kept"
    assert t.note == "kept"
    assert t.__dict__ == {"note": "kept"}
    del t.note
    with pytest.raises(AttributeError, match="note"):
        t.note  # noqa: B018
    with pytest.raises((AttributeError, TypeError)):
        t.shape = (3,)


def test_attributes_live_as_long_as_the_tensor(ow):
    x = ow.ones(2, requires_grad=True)
    x.note = "kept"
    y = x * 2
    accumulate = y.grad_fn.next_functions[0][0]
    del x
    gc.collect()
    assert accumulate.variable.note == "kept"


def test_identity_of_grad(ow):
    x = ow.ones(2, requires_grad=True)
    x.sum().backward()
    x.grad.note = "kept"
    assert x.grad is x.grad
    gc.collect()
    assert x.grad.note == "kept"


def test_identity_through_the_graph(ow):
    x = ow.ones(2, requires_grad=True)
    found = []
    x.register_post_accumulate_grad_hook(found.append)
    x.sum().backward()
    assert found[0] is x


def test_hash_and_equality(ow):
    a, b = ow.ones(2), ow.ones(2)
    assert hash(a) == id(a)
    assert {a: 1, b: 2}[a] == 1
    assert (a == b).tolist() == [True, True]
    assert (a != b).tolist() == [False, False]
    assert a.equal(b)
    assert ow.equal(a, b)
    assert not a.equal(ow.ones(3))
    assert a.allclose(b + 1e-9)
    assert ow.allclose(a, b)
    assert a is not None
    assert (a == "x") is False
    assert (a != None) is True  # noqa: E711


def test_weak_references(ow):
    t = ow.ones(2)
    reference = weakref.ref(t)
    assert reference() is t
    del t
    assert reference() is None
    died = []
    t = ow.ones(2)
    weakref.finalize(t, died.append, True)
    del t
    assert died == [True]


def test_cycles_are_collected(ow):
    t = ow.ones(2)
    t.itself = t
    reference = weakref.ref(t)
    del t
    gc.collect()
    assert reference() is None
    t = ow.ones(2, requires_grad=True)
    t.register_hook(lambda g, t=t: g)
    reference = weakref.ref(t)
    del t
    gc.collect()
    assert reference() is None


def test_docstrings(ow):
    assert ow.add.__doc__
    assert ow.Tensor.add.__doc__
    assert ow.add.__name__ == "add"
    assert ow.Tensor.__module__ == ow.__name__
    assert callable(ow.Tensor.sum)
    assert ow.Tensor.sum(ow.ones(3)).item() == 3


def test_types(ow):
    assert type(ow.ones(1)) is ow.Tensor
    assert isinstance(ow.ones(1), ow.Tensor)
    assert isinstance(ow.float32, ow.dtype)
    assert isinstance(ow.device("cpu"), ow.device)
    assert ow.float32 == ow.float
    assert ow.float32 != ow.float64
    assert {ow.float32: 1}[ow.float] == 1
    assert ow.is_tensor(ow.ones(1))


@pytest.mark.parametrize("name", DTYPES)
def test_pickle(ow, name):
    t = ow.tensor([[1, 0, 1], [0, 1, 1]], dtype=getattr(ow, name))
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(t, protocol))
        assert (back.dtype, back.shape, back.tolist()) == (t.dtype, t.shape, t.tolist())
        assert back.data_ptr() != t.data_ptr()


def test_pickle_keeps_more(ow):
    def through(value):
        return pickle.loads(pickle.dumps(value))

    assert through(ow.ones(2, requires_grad=True)).requires_grad
    t = ow.arange(6).view(2, 3).t()
    assert through(t).stride() == t.stride()
    assert through(t).tolist() == t.tolist()
    assert through(ow.ones(0, 3)).shape == (0, 3)
    assert through(ow.tensor(2.5)).item() == 2.5
    assert through(ow.float32) is ow.float32
    assert through(ow.device("cpu")) == ow.device("cpu")
    assert through(ow.Size([2, 3])) == (2, 3)
    base = ow.arange(4.0)
    first, second = through((base[:2], base[2:]))
    first[1] = 7
    assert second.tolist() == [2.0, 3.0]
    parameter = through(ow.nn.Parameter(ow.ones(2)))
    assert type(parameter) is ow.nn.Parameter
    assert parameter.requires_grad


def test_deepcopy(ow):
    x = ow.ones(2, requires_grad=True)
    x.note = ["list"]
    x.sum().backward()
    y = copy.deepcopy(x)
    assert y is not x
    assert y.equal(x)
    assert y.requires_grad
    assert y.data_ptr() != x.data_ptr()
    assert y.grad.equal(x.grad)
    assert y.grad is not x.grad
    with ow.no_grad():
        y.add_(1)
    assert x.tolist() == [1.0, 1.0]
    first, second = copy.deepcopy([x, x])
    assert first is second
    base = ow.zeros(4)
    whole, part = copy.deepcopy((base, base[1:]))
    whole.fill_(3)
    assert part.tolist() == [3.0, 3.0, 3.0]
    assert copy.copy(base).data_ptr() == base.data_ptr()


def test_subclass(ow):
    class Named(ow.Tensor):
        label = "class attribute"

        def twice(self):
            return self * 2

    t = ow.ones(2).as_subclass(Named)
    assert type(t) is Named
    assert t.label == "class attribute"
    assert t.twice().tolist() == [2.0, 2.0]
    assert isinstance(t, ow.Tensor)
    assert (t + 1).tolist() == [2.0, 2.0]


def test_parameter(ow):
    p = ow.nn.Parameter(ow.ones(2))
    assert isinstance(p, ow.Tensor)
    assert isinstance(p, ow.nn.Parameter)
    assert p.requires_grad
    assert p.is_leaf
    assert type(p * 2) is ow.Tensor
    assert type(p.data) is ow.Tensor
    assert not ow.nn.Parameter(ow.ones(2), requires_grad=False).requires_grad
    base = ow.ones(2)
    assert ow.nn.Parameter(base).data_ptr() == base.data_ptr()
    assert ow.nn.Parameter().numel() == 0


def test_set_attributes_of_generators(ow):
    generator = ow.Generator()
    assert generator.manual_seed(7) is generator
    assert generator.initial_seed() == 7
    assert generator.device == ow.device("cpu")
    state = generator.get_state()
    first = ow.rand(3, generator=generator)
    generator.set_state(state)
    assert ow.rand(3, generator=generator).equal(first)
    assert isinstance(generator.seed(), int)


def test_formatting_of_values(ow):
    assert f"{ow.tensor(1.2345):.2f}" == "1.23"
    assert f"{ow.tensor(5):04d}" == "0005"
    assert str(ow.tensor([1, 2])) == "tensor([1, 2])"
    with pytest.raises(TypeError):
        format(ow.ones(2), ".2f")


def test_adding_what_cannot_be_added_in_place(ow):
    for foreign in (None, "s", [1], {}):
        a = ow.ones(2)
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+=: 'Tensor' and"):
            a += foreign
        assert isinstance(a, ow.Tensor)

    class Foreign:
        def __radd__(self, other):
            return "theirs"

    a = ow.ones(2)
    a += Foreign()
    assert a == "theirs"


def test_lists_of_tensors_hold_no_none(ow):
    x = ow.ones(2, 3)
    for call in (
        lambda: ow.cat([x, None]),
        lambda: ow.stack([None, x]),
        lambda: ow.max(x, 1, out=(None, ow.empty(0, dtype=ow.int64))),
        lambda: ow.sort(x, out=(None, None)),
    ):
        with pytest.raises(TypeError, match="expected Tensor as element"):
            call()
    assert x[None, :, None].shape == (1, 2, 1, 3)


@pytest.mark.parametrize("data", [None, {}, object(), [1, None], [{}]], ids=str)
def test_what_is_no_number(ow, data):
    """Where the dtype is known the number is missed, otherwise the dtype."""
    name = "NoneType" if "None" in str(data) else "object" if "object" in str(data) else "dict"
    for make in (ow.tensor, ow.as_tensor):
        with pytest.raises(RuntimeError, match=f"Could not infer dtype of {name}"):
            make(data)
        with pytest.raises(TypeError, match=f"must be real number, not {name}"):
            make(data, dtype=ow.float64)
        with pytest.raises(TypeError, match=f"'{name}' object cannot be interpreted as an integer"):
            make(data, dtype=ow.int64)

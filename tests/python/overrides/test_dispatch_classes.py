"""Subclasses of Tensor with `__torch_dispatch__`: wrappers without data of their own, and tensors whose class
sees what is done with them."""

import copy
import gc
import weakref

import opweave as ow
import pytest
from opweave.utils._python_dispatch import (
    TorchDispatchMode,
    is_traceable_wrapper_subclass,
    return_and_correct_aliasing,
    transform_subclass,
)
from opweave.utils._pytree import tree_map_only


class Wrapper(ow.Tensor):
    """Holds a tensor, and notes which operators it is asked for."""

    seen = []

    @staticmethod
    def __new__(cls, elem, requires_grad=False):
        made = ow.Tensor._make_wrapper_subclass(
            cls,
            elem.size(),
            strides=elem.stride(),
            storage_offset=elem.storage_offset(),
            dtype=elem.dtype,
            device=elem.device,
            requires_grad=requires_grad,
        )
        made.elem = elem
        return made

    def __init__(self, elem, requires_grad=False):
        pass

    def __repr__(self):
        return f"Wrapper({self.elem})"

    def __tensor_flatten__(self):
        return ["elem"], None

    @staticmethod
    def __tensor_unflatten__(inner, context, size, stride):
        return Wrapper(inner["elem"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        assert types == (cls,)
        cls.seen.append(str(func))
        unwrapped = tree_map_only(cls, lambda t: t.elem, (args, kwargs or {}))
        out = func(*unwrapped[0], **unwrapped[1])
        return return_and_correct_aliasing(func, args, kwargs, tree_map_only(ow.Tensor, cls, out))


@pytest.fixture(autouse=True)
def _nothing_seen():
    Wrapper.seen.clear()


def _same(wrapper, tensor):
    assert type(wrapper) is Wrapper
    assert ow.equal(wrapper.elem, tensor)


def test_a_wrapper_says_what_it_stands_for():
    inner = ow.arange(12.0).reshape(3, 4).t()[1:]
    x = Wrapper(inner)
    assert (x.shape, x.stride(), x.storage_offset()) == (inner.shape, inner.stride(), 1)
    assert (x.device, x.dtype, x.layout) == (inner.device, inner.dtype, ow.strided)
    assert (x.is_cpu, x.is_meta, x.is_leaf, x.requires_grad) == (True, False, True, False)
    assert Wrapper.seen == []
    far = ow.Tensor._make_wrapper_subclass(Wrapper, (2,), device="cuda:1")
    assert (far.device, far.is_cpu) == (ow.device("cuda:1"), False)


def test_operators_ask_the_class():
    x = Wrapper(ow.arange(6.0).reshape(2, 3))
    _same(x + 1, x.elem + 1)
    _same(ow.add(ow.ones(3), x), x.elem + 1)
    _same(x[0], x.elem[0])
    _same(ow.cat([x, x]), ow.cat([x.elem, x.elem]))
    _same(x.max(1)[1], ow.tensor([2, 2]))
    assert Wrapper.seen[:3] == ["aten.add.Tensor", "aten.add.Tensor", "aten.select.int"]
    assert [type(row) for row in x.unbind(0)] == [Wrapper, Wrapper]
    assert len(x) == 2


def test_what_is_made_of_others_is_shown_by_those():
    x = Wrapper(ow.ones(2, 3))
    ow.nn.functional.linear(x, ow.ones(4, 3), ow.zeros(4))
    assert Wrapper.seen == ["aten.addmm.default"]


def test_backward_passes_ask_as_well():
    x = Wrapper(ow.arange(6.0).reshape(2, 3) - 2.0, requires_grad=True)
    weight = ow.nn.Parameter(ow.ones(4, 3))
    y = ow.nn.functional.relu(ow.nn.functional.linear(x, weight)).sum()
    assert y.requires_grad
    y.backward()
    plain = x.elem.clone().requires_grad_()
    weight_of_plain = ow.ones(4, 3, requires_grad=True)
    ow.nn.functional.relu(plain @ weight_of_plain.t()).sum().backward()
    _same(x.grad, plain.grad)
    _same(weight.grad, weight_of_plain.grad)
    y = (x * x).sum()
    y.backward()
    _same(x.grad, plain.grad + 2 * plain.detach())
    (first,) = ow.autograd.grad((x * x * x).sum(), x, create_graph=True)
    (second,) = ow.autograd.grad(first.sum(), x)
    _same(second, 6 * x.elem)


def test_saved_results_keep_their_class():
    x = Wrapper(ow.tensor([0.5, 1.0]), requires_grad=True)
    x.exp().sum().backward()
    _same(x.grad, x.elem.exp())
    x.grad = None
    x.sigmoid().tanh().sum().backward()
    plain = x.elem.clone().requires_grad_()
    plain.sigmoid().tanh().sum().backward()
    _same(x.grad, plain.grad)


def test_nothing_is_left_of_a_graph_of_wrappers():
    x = Wrapper(ow.ones(2), requires_grad=True)
    y = x.exp()
    gone = weakref.ref(y)
    z = (y * y).sum()
    z.backward()
    del y, z
    gc.collect()
    assert gone() is None


def test_writing_gives_the_argument_back():
    x = Wrapper(ow.zeros(2))
    assert x.add_(1) is x
    assert x.elem.tolist() == [1.0, 1.0]
    out = Wrapper(ow.zeros(2))
    assert ow.add(x, x, out=out) is out
    assert out.elem.tolist() == [2.0, 2.0]


def test_detached_and_data_are_of_the_class():
    x = Wrapper(ow.ones(2), requires_grad=True)
    for cut in (x.detach(), x.data):
        _same(cut, x.elem)
        assert not cut.requires_grad
    assert Wrapper.seen == ["aten.detach.default"] * 2


def test_a_parameter_of_a_wrapper_is_trained():
    p = ow.nn.Parameter(Wrapper(ow.ones(2)))
    assert isinstance(p, ow.nn.Parameter)
    assert isinstance(p, Wrapper)
    (p * 2).sum().backward()
    with ow.no_grad():
        p.sub_(p.grad, alpha=0.5)
    assert p.elem.tolist() == [0.0, 0.0]


def test_modes_are_asked_before_classes():
    said = []

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            said.append(f"mode {func}")
            return func(*args, **(kwargs or {}))

    x = Wrapper(ow.ones(2))
    with Mode():
        y = x * 3
    _same(y, x.elem * 3)
    assert said == ["mode aten.mul.Tensor"]
    assert Wrapper.seen == ["aten.mul.Tensor"]
    _ = x * 3
    assert len(said) == 1


def test_classes_are_asked_before_those_that_they_derive_from():
    said = []

    class Base(ow.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            said.append((cls.__name__, [t.__name__ for t in types]))
            return NotImplemented if cls is Derived else ow.ones(1)

    class Derived(Base):
        pass

    base, derived = (ow.Tensor._make_wrapper_subclass(c, (2,)) for c in (Base, Derived))
    assert ow.mul(base, derived).tolist() == [1.0]
    assert said == [("Derived", ["Derived", "Base"]), ("Base", ["Derived", "Base"])]


def test_nobody_answers():
    class Silent(ow.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return NotImplemented

    x = ow.Tensor._make_wrapper_subclass(Silent, (2,))
    with pytest.raises(
        TypeError,
        match=r"Multiple dispatch failed for 'torch.ops.aten.add.Tensor'; all __torch_dispatch__ handlers "
        r"returned NotImplemented:\n\n  - tensor subclass <class '.*Silent'>",
    ):
        ow.add(x, x)


def test_an_error_of_the_class_is_the_callers():
    class Failing(ow.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ow.Tensor._make_wrapper_subclass(Failing, (2,)).sum()

    class Wrong(Failing):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return "no tensor"

    with pytest.raises((TypeError, RuntimeError), match="sum"):
        ow.Tensor._make_wrapper_subclass(Wrong, (2,)).sum()


def test_tensors_with_data_are_seen_and_computed():
    said = []

    class Seen(ow.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            said.append(str(func))
            with ow._C._DisableTorchDispatch():
                return func(*args, **(kwargs or {}))

    x = ow.Tensor._make_subclass(Seen, ow.ones(3))
    assert (x + 1).tolist() == [2.0, 2.0, 2.0]
    assert ow.ones(2).as_subclass(Seen).sum().item() == 2.0
    assert said == ["aten.add.Tensor", "aten.sum.default"]
    assert type(x + 1) is ow.Tensor


def test_a_block_in_which_nobody_is_asked():
    from opweave.utils._mode_utils import all_same_mode, no_dispatch

    x = Wrapper(ow.ones(2))
    with no_dispatch():
        assert (x + 1).is_meta
    assert Wrapper.seen == []
    assert all_same_mode([1, 1])
    assert not all_same_mode([1, 2])


def test_a_class_without_an_answer_is_left_unasked():
    class Plain(Wrapper):
        __torch_dispatch__ = ow._C._disabled_torch_dispatch_impl

    assert ow.Tensor.__torch_dispatch__ is ow._C._disabled_torch_dispatch_impl
    assert (ow.ones(2).as_subclass(Plain) + 1).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="Plain must define __torch_dispatch__"):
        ow.Tensor._make_wrapper_subclass(Plain, (2,))


def test_wrappers_are_taken_apart():
    x = Wrapper(ow.ones(2))
    assert is_traceable_wrapper_subclass(x)
    assert not is_traceable_wrapper_subclass(ow.ones(1))
    _same(transform_subclass(x, lambda name, t: t * 2), ow.full((2,), 2.0))
    with pytest.raises(RuntimeError, match="to have shape equal to"):
        transform_subclass(x, lambda name, t: t[:1])


@pytest.mark.parametrize(
    ("arguments", "options", "error", "text"),
    [
        ((ow.Tensor, (2,)), {}, TypeError, "Tensor must define __torch_dispatch__"),
        ((3, (2,)), {}, TypeError, r"cls must be a type \(got int\)"),
        ((Wrapper, (2,)), {"strides": (1, 2)}, RuntimeError, "strides"),
        ((Wrapper, (-2,)), {}, RuntimeError, "-2"),
        ((Wrapper, (2,)), {"layout": ow.sparse_coo}, NotImplementedError, r"expected .*strided"),
        ((Wrapper, (2,)), {"dispatch_device": True}, NotImplementedError, "dispatch_device=True"),
        (
            (Wrapper, (2,)),
            {"dtype": ow.int64, "requires_grad": True},
            RuntimeError,
            "[Oo]nly Tensors of floating point",
        ),
    ],
)
def test_what_no_wrapper_can_be(arguments, options, error, text):
    with pytest.raises(error, match=text):
        ow.Tensor._make_wrapper_subclass(*arguments, **options)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.numpy(),
        lambda t: t.tolist(),
        lambda t: t.untyped_storage().tolist(),
        lambda t: memoryview(t),
        lambda t: t.__dlpack__(),
        lambda t: ow.asarray(t).tolist(),
        lambda t: [float(e) for e in t],
        lambda t: t.share_memory_(),
        copy.deepcopy,
        repr,
        lambda t: ow.Tensor.__repr__(t),
        lambda t: t.data_ptr(),
        lambda t: bool(t[0]),
    ],
)
def test_data_that_is_not_there_is_not_read(call):
    class Empty(ow.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return ow.Tensor._make_wrapper_subclass(cls, (2,))

    said = ""
    try:
        call(ow.Tensor._make_wrapper_subclass(Empty, (2,)))
    except (RuntimeError, TypeError, NotImplementedError, ValueError, BufferError) as error:
        said = str(error)
    assert "internal" not in said

"""Modes with `__torch_dispatch__`: what they see, in what words, and what becomes of what they answer.

What is expected is what PyTorch 2.15 does with the same lines.
"""

import threading

import opweave as ow
import pytest
from opweave import nn
from opweave.utils._python_dispatch import TorchDispatchMode, is_in_torch_dispatch_mode

aten = ow.ops.aten


class Seen(TorchDispatchMode):
    """Notes calls, and lets them be; tensors are noted as `T`."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert types == ()
        said = [("T" if isinstance(a, ow.Tensor) else a) for a in args]
        self.calls.append((str(func), said, kwargs))
        return func(*args, **(kwargs or {}))

    def names(self):
        return [name for name, _, _ in self.calls]


class Changed(TorchDispatchMode):
    """Changes the results of one operator."""

    def __init__(self, operator, change):
        super().__init__()
        self._operator, self._change = operator, change

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        return self._change(result) if func == self._operator else result


def test_calls_are_said_as_programs_say_them():
    x = ow.ones(2, 3)
    with Seen() as seen:
        x + 1
        x.sum()
        x.mean(dim=1)
        x.view(3, 2)
        x.transpose(0, 1).contiguous()
        ow.ones(2, 3).add_(1, alpha=2)
        ow.arange(3)
        nn.functional.max_pool2d(x[None], 2)
    assert seen.calls == [
        ("aten.add.Tensor", ["T", 1], {}),
        ("aten.sum.default", ["T"], {}),
        ("aten.mean.dim", ["T", [1]], {}),
        ("aten.view.default", ["T", [3, 2]], {}),
        ("aten.transpose.int", ["T", 0, 1], {}),
        ("aten.clone.default", ["T"], {"memory_format": ow.contiguous_format}),
        ("aten.ones.default", [[2, 3]], {}),
        ("aten.add_.Tensor", ["T", 1], {"alpha": 2}),
        ("aten.arange.default", [3], {}),
        ("aten.unsqueeze.default", ["T", 0], {}),
        ("aten.max_pool2d_with_indices.default", ["T", [2, 2]], {}),
    ]


@pytest.mark.parametrize(
    ("shape", "bias", "names"),
    [
        ((5, 3), True, ["t", "addmm"]),
        ((5, 3), False, ["t", "mm"]),
        ((2, 5, 3), True, ["view", "t", "addmm", "_unsafe_view"]),
        ((3,), True, ["view", "t", "addmm", "_unsafe_view"]),
        ((0, 4, 3), True, ["view", "t", "addmm", "_unsafe_view"]),
    ],
)
def test_a_linear_layer_is_products(shape, bias, names):
    layer, x = nn.Linear(3, 4, bias=bias), ow.randn(shape)
    with Seen() as seen:
        found = layer(x)
    assert seen.names() == [f"aten.{name}.default" for name in names]
    ow.testing.assert_close(found, layer(x))


@pytest.mark.parametrize(
    "x", [ow.randn(5, 2, 3).transpose(0, 1), ow.randn(1, 1, 3).expand(2, 5, 3)], ids=str
)
def test_a_linear_layer_of_rows_that_lie_elsewhere(x):
    layer = nn.Linear(3, 4)
    with Seen() as seen:
        found = layer(x)
    assert "aten.mm.default" in seen.names()
    assert seen.names()[-1] == "aten.add_.Tensor"
    ow.testing.assert_close(found, layer(x))


def test_backward_passes_are_seen():
    layer, x = nn.Linear(3, 4, bias=False), ow.ones(2, 3, requires_grad=True)
    loss = layer(x).sum()
    with Seen() as seen:
        loss.backward()
    assert seen.names().count("aten.mm.default") == 2
    ow.testing.assert_close(x.grad, layer.weight.detach().sum(0).expand(2, 3))


def test_what_is_made_of_other_operators_is_not_shown():
    q = ow.randn(1, 2, 4, 8)
    with Seen() as seen:
        nn.functional.scaled_dot_product_attention(q, q, q)
        nn.functional.scaled_dot_product_attention(q, q, q, dropout_p=0.5)
        ow.einsum("ij,jk->ik", ow.ones(2, 3), ow.ones(3, 4))
        nn.functional.layer_norm(q, [8])
    assert "aten._scaled_dot_product_flash_attention_for_cpu.default" in seen.names()
    assert "aten.bmm.default" in seen.names()
    assert "aten._softmax.default" in seen.names()
    assert "aten.native_layer_norm.default" in seen.names()
    for name in ("scaled_dot_product_attention", "einsum", "matmul", "layer_norm"):
        assert f"aten.{name}.default" not in seen.names()


def test_autograd_and_autocast_come_before():
    layer, x = nn.Linear(3, 4), ow.randn(2, 3, requires_grad=True)
    with ow.autocast("cpu", dtype=ow.bfloat16), Seen() as seen:
        y = layer(x)
    assert y.dtype == ow.bfloat16
    assert seen.names().count("aten._to_copy.default") == 3
    assert y.grad_fn.name() == "LinearBackward0"


def test_answers_are_recorded():
    x = ow.zeros(2, requires_grad=True)
    with Changed(aten.exp.default, lambda r: r + 1):
        y = x.exp()
    assert y.tolist() == [2.0, 2.0]
    assert y.grad_fn is not None


def test_modes_around_see_what_a_mode_calls():
    x = ow.zeros(2)
    plus, twice = (
        Changed(aten.exp.default, lambda r: r + 1),
        Changed(aten.exp.default, lambda r: r * 2),
    )
    with plus, twice:
        assert x.exp().tolist() == [4.0, 4.0]  # the inner mode's call is seen by the outer one
    with twice, plus:
        assert x.exp().tolist() == [3.0, 3.0]
    with Seen() as outer, Changed(aten.exp.default, lambda r: r * 2):
        x.exp()
    assert outer.names() == ["aten.exp.default", "aten.mul.Tensor"]


def test_a_mode_sees_its_own_calls_if_it_says_so():
    class Sine(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func == aten.sin.default:
                with self:
                    return args[0].cos()
            return func(*args, **(kwargs or {})) * 2

    with Sine():
        found = ow.zeros(2).sin()
    assert found.tolist() == [2.0, 2.0]


def test_printing_is_nobody_s():
    with Changed(aten.mul.Tensor, lambda r: r + 7), Seen() as seen:
        assert repr(ow.tensor([1.5, 2.0])) == "tensor([1.5000, 2.0000])"
        assert "aten.abs.default" not in seen.names()


def test_writes_and_views():
    x = ow.ones(4, requires_grad=True)
    with Seen() as seen:
        y = x * 1
        y[1:3].add_(1)
        y[0] = 5
        y.sum().backward()
    assert y.tolist() == [5.0, 2.0, 2.0, 1.0]
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 1.0]
    assert y._version == 2
    assert "aten.add_.Tensor" in seen.names()


def test_modes_are_of_their_thread():
    found = []
    with Seen() as seen:
        thread = threading.Thread(
            target=lambda: found.append((ow.ones(2).exp(), is_in_torch_dispatch_mode()))
        )
        thread.start()
        thread.join()
        assert is_in_torch_dispatch_mode()
    assert not is_in_torch_dispatch_mode()
    assert found[0][1] is False
    assert "aten.exp.default" not in seen.names()


def test_modes_that_do_not_answer():
    class Nothing(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    class Text(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return "text"

    class Fails(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            raise KeyError("mine")

    x = ow.ones(2)
    words = (
        "(?s)Multiple dispatch failed for 'torch.ops.aten.exp.default'; .*mode object <.*Nothing"
    )
    with pytest.raises(TypeError, match=words), Nothing():
        x.exp()
    with pytest.raises(TypeError, match=r"exp\(\) left str as result 0, which is Tensor"), Text():
        x.exp()
    with pytest.raises(KeyError, match="mine"), Fails():
        x.exp()
    with pytest.raises(NotImplementedError), TorchDispatchMode():
        x.exp()
    assert not is_in_torch_dispatch_mode()
    with pytest.raises(RuntimeError, match="no dispatch mode of this thread is entered"):
        ow._C._pop_dispatch_mode()
    with pytest.raises(NotImplementedError, match="_dispatch_key='PreDispatch'"):
        TorchDispatchMode("PreDispatch")


def test_operators_of_programs():
    @ow.library.custom_op("dispatch_modes::plus", mutates_args=())
    def plus(x: ow.Tensor) -> ow.Tensor:
        return x + 1

    x = ow.ones(2)
    with Seen() as seen:
        plus(x)
    assert "dispatch_modes.plus.default" in seen.names()
    with Changed(ow.ops.dispatch_modes.plus.default, lambda r: r * 10):
        assert plus(x).tolist() == [20.0, 20.0]


def test_faces_of_operators():
    add = aten.add.Tensor
    assert (str(add), add.name(), add.__name__) == (
        "aten.add.Tensor",
        "aten::add.Tensor",
        "add.Tensor",
    )
    assert repr(add) == "<OpOverload(op='aten.add', overload='Tensor')>"
    assert repr(aten.mm) == "<OpOverloadPacket(op='aten.mm')>"
    assert add.overloadpacket == aten.add == ow.ops.add
    assert add == ow.ops.add.Tensor
    assert add != aten.add.Scalar
    assert {add: 1}[ow.ops.add.Tensor] == 1
    assert (
        str(add._schema)
        == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"
    )
    alpha = add._schema.arguments[2]
    assert (alpha.name, alpha.kwarg_only, alpha.default_value) == ("alpha", True, 1)
    assert aten.add_.Tensor._schema.is_mutable
    assert not add._schema.is_mutable
    assert aten.t.default.is_view
    assert add(ow.ones(2), 2).tolist() == [3.0, 3.0]
    with pytest.raises(
        AttributeError, match="'_OpNamespace' 'aten' object has no attribute 'nope'"
    ):
        _ = aten.nope
    with pytest.raises(AttributeError, match="the operator 'mm' has no overload 'nope'"):
        _ = aten.mm.nope

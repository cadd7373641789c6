"""Operators that are Python functions, as torch.library makes them: what is expected PyTorch 2.15 answers."""

import copy
from typing import List, Optional, Sequence, Tuple  # noqa: UP035

import numpy as np
import opweave as ow
import pytest
from opweave import Tensor
from opweave.func import grad, vmap
from opweave.library import OpCheckError, custom_op, infer_schema, opcheck


def sine(x: Tensor, k: float = 1.0) -> Tensor:
    return ow.from_numpy(np.asarray(np.sin(x.detach().numpy() * k)))


def keep(ctx, inputs, output):
    x, k = inputs
    ctx.save_for_backward(x)
    ctx.k = k


def cosine(ctx, gradient):
    (x,) = ctx.saved_tensors
    return gradient * ow.cos(x * ctx.k) * ctx.k, None


@pytest.fixture(name="sin")
def fixture_sin():
    op = custom_op("demo::sin", sine, mutates_args=())
    op.register_fake(lambda x, k=1.0: ow.empty_like(x))
    op.register_autograd(cosine, setup_context=keep)
    return op


@pytest.fixture(name="x")
def fixture_x():
    return ow.tensor([0.5, 1.0], dtype=ow.float64, requires_grad=True)


def test_calls_and_gradients(sin, x):
    assert sin(x).tolist() == pytest.approx([0.479425538604203, 0.8414709848078965], rel=1e-15)
    sin(x, k=2.0).sum().backward()
    assert x.grad.tolist() == pytest.approx([1.0806046117362795, -0.8322936730942848])
    assert ow.ops.demo.sin(x).requires_grad
    assert ow.autograd.gradcheck(sin, (x,))
    assert ow.autograd.gradgradcheck(sin, (x,))
    on_meta = sin(ow.ones(2, device="meta"))
    assert (on_meta.shape, on_meta.device.type) == ((2,), "meta")
    assert sin(x).grad_fn.name() == "demo_sinBackward"
    assert repr(sin) == "<CustomOpDef(demo::sin)>"


def test_vmap_without_a_rule(sin):
    x = ow.arange(6, dtype=ow.float64).reshape(3, 2)
    assert vmap(sin)(x).tolist() == sin(x).tolist()
    assert vmap(sin, in_dims=1, out_dims=1)(x).tolist() == sin(x).tolist()
    assert vmap(vmap(sin))(x).tolist() == sin(x).tolist()
    found = vmap(grad(lambda t: sin(t).sum()))(x)
    assert ow.allclose(found, ow.cos(x))
    assert grad(lambda t: vmap(sin)(t).sum())(x).tolist() == ow.cos(x).tolist()


def test_a_vmap_rule(sin):
    seen = []

    @sin.register_vmap
    def rule(info, in_dims, x, k=1.0):
        seen.append((info.batch_size, info.randomness, in_dims[0], tuple(x.shape)))
        return sin(x, k), in_dims[0]

    x = ow.arange(6, dtype=ow.float64).reshape(3, 2)
    assert vmap(sin)(x).tolist() == sin(x).tolist()
    assert vmap(lambda t: sin(t, 2.0), randomness="different")(x).tolist() == sin(x, 2.0).tolist()
    assert seen == [(3, "error", 0, (3, 2)), (3, "different", 0, (3, 2))]
    sin.register_vmap(lambda info, in_dims, x, k: sin(x, k))
    with pytest.raises(
        RuntimeError, match="demo::sin: the vmap rule returned Tensor, expected the results and"
    ):
        vmap(sin)(x)
    sin.register_vmap(lambda info, in_dims, x, k: (sin(x, k)[:2], 0))
    with pytest.raises(
        RuntimeError, match="returned a tensor of 2 examples along dimension 0, expected 3"
    ):
        vmap(sin)(x)


def test_results_beside_written_arguments_have_no_gradient_in_silence():
    @custom_op("demo::counted", mutates_args=("count",))
    def counted(count: Tensor, x: Tensor) -> Tensor:
        count.detach().numpy()[...] += 1
        return ow.from_numpy(x.detach().numpy() * 2)

    count, x = ow.zeros(1), ow.ones(2, requires_grad=True)
    result = counted(count, x)
    assert result.requires_grad
    assert not count.requires_grad
    assert count.item() == 1
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        result.sum().backward()
    with pytest.raises(RuntimeError, match="no autograd formula was registered"):
        grad(lambda x: counted(ow.zeros(1), x).sum())(ow.ones(2))
    assert not counted(count, x.detach()).requires_grad
    with ow.no_grad():
        assert not counted(count, x).requires_grad


def test_arguments_that_are_written():
    @custom_op("demo::add_", mutates_args=("x",))
    def add_(x: Tensor, v: float) -> None:
        x.detach().numpy()[:] += v

    y = ow.zeros(2)
    version = y._version
    assert add_(y, 3.0) is None
    assert (y.tolist(), y._version - version) == ([3.0, 3.0], 1)
    assert set(opcheck(add_, (ow.zeros(2), 1.0)).values()) == {"SUCCESS"}
    a = ow.ones(2, requires_grad=True) * 1
    b = a * a
    add_(a, 1.0)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        b.sum().backward()
    with pytest.raises(
        RuntimeError, match="Cannot register autograd formula for demo::add_: it writes x"
    ):
        add_.register_autograd(cosine)


def test_lists_of_tensors():
    @custom_op("demo::many", mutates_args=())
    def many(xs: List[Tensor], w: Optional[Tensor] = None) -> Tuple[Tensor, Tensor]:  # noqa: UP006, UP045
        return sum(xs) + 0, xs[0] * 2

    def setup(ctx, inputs, output):
        ctx.count, ctx.needs = len(inputs[0]), ctx.needs_input_grad

    def backward(ctx, g, h):
        assert ctx.needs == ([True] * 3, False)
        return [g + 2 * h] + [g] * (ctx.count - 1), None

    many.register_autograd(backward, setup_context=setup)
    many.register_fake(lambda xs, w=None: (ow.empty_like(xs[0]), ow.empty_like(xs[0])))
    xs = [ow.tensor([1.0, 2.0], dtype=ow.float64, requires_grad=True) for _ in range(3)]
    p, q = many(xs)
    (p * 2 + q).sum().backward()
    assert [t.grad.tolist() for t in xs] == [[4.0, 4.0], [2.0, 2.0], [2.0, 2.0]]
    assert set(opcheck(many, (xs,)).values()) == {"SUCCESS"}
    many.register_autograd(lambda ctx, g, h: ([g], None))
    with pytest.raises(
        RuntimeError, match="returned list as gradient of argument 0, a list of 3 tensors"
    ):
        many(xs)[0].sum().backward()

    @custom_op("demo::listed", mutates_args=())
    def listed(x: Tensor) -> List[Tensor]:  # noqa: UP006
        return [x * 1, x * 2]

    listed.register_autograd(lambda ctx, gs: gs[0] + 2 * gs[1])
    x = ow.ones(2, requires_grad=True)
    first, second = listed(x)
    (first + 3 * second).sum().backward()
    assert (type(listed(x)), x.grad.tolist()) == (list, [7.0, 7.0])


def test_what_was_not_registered(x):
    op = custom_op("demo::bare", sine, mutates_args=(), device_types="cpu")
    with pytest.raises(
        RuntimeError, match="Trying to backward through demo::bare but no autograd formula"
    ):
        op(x).sum().backward()
    with pytest.raises(
        RuntimeError, match=r"no fake impl registered for <CustomOpDef\(demo::bare\)>"
    ):
        op(ow.ones(2, device="meta"))
    op.register_autograd(lambda ctx, g: g)
    with pytest.raises(
        RuntimeError, match="returned 1 gradients, expected one for each of the 2 arguments"
    ):
        op(x).sum().backward()
    with pytest.raises(
        RuntimeError, match=r"setup_context has to take \(ctx, inputs, output\), got \(a, b\)"
    ):
        op.register_autograd(cosine, setup_context=lambda a, b: None)


@pytest.mark.parametrize("result", [lambda x: x, lambda x: x.view(-1), lambda x: x[:1]])
def test_results_that_alias_arguments_are_refused(result):
    def aliasing(x: Tensor) -> Tensor:
        return result(x)

    op = custom_op("demo::aliasing", aliasing, mutates_args=())
    with pytest.raises(
        RuntimeError, match=r"The output of this custom operator .1. must not also be an input"
    ):
        op(ow.ones(2))


@pytest.mark.parametrize("requires_grad", [True, False])
def test_errors_and_missing_results(requires_grad):
    @custom_op("demo::raising", mutates_args=())
    def raising(x: Tensor) -> Tensor:
        raise KeyError("why")

    x = ow.ones(1, requires_grad=requires_grad)
    with pytest.raises(KeyError, match="why"):
        raising(x)

    @custom_op("demo::nothing", mutates_args=())
    def nothing(x: Tensor) -> Tensor:
        return None

    with pytest.raises(TypeError, match=r"demo::nothing .*: returned None, its schema says Tensor"):
        nothing(x)


def test_a_definition_takes_the_place_of_an_older_one(sin):
    @custom_op("demo::sin", mutates_args=())
    def other(x: Tensor) -> Tensor:
        return x * 5

    assert ow.ops.demo.sin(ow.ones(1)).tolist() == [5.0]
    assert copy.copy(other) is not None


def test_functions_for_operators_that_were_defined_otherwise():
    library = ow.library
    with library.Library("apart") as own:
        own.define("f(Tensor x) -> Tensor")
        library.register_kernel("apart::f", "cpu", lambda x: x.sin())
        library.register_fake("apart::f", ow.empty_like)
        library.register_autograd("apart::f", lambda ctx, g: g * 7)
        library.register_vmap("apart::f", lambda info, dims, x: (ow.ops.apart.f(x), 0))
        x = ow.zeros(2, requires_grad=True)
        ow.ops.apart.f(x).sum().backward()
        assert (x.grad.tolist(), ow.ops.apart.f(ow.ones(3, device="meta")).shape) == (
            [7.0, 7.0],
            (3,),
        )
        assert vmap(ow.ops.apart.f)(ow.zeros(2, 1)).tolist() == [[0.0], [0.0]]
    library.define("apart::g", "(Tensor x) -> Tensor")

    @library.impl("apart::g", "cpu")
    def kernel(x):
        return x + 1

    assert ow.ops.apart.g(ow.zeros(1)).tolist() == [1.0]
    with pytest.raises(RuntimeError, match="operator apart::nothing does not exist"):
        library.register_fake("apart::nothing", ow.empty_like)


def wrong_shape(x, k=1.0):
    return ow.empty(1, dtype=x.dtype, device=x.device)


def test_opcheck(sin, x):
    assert opcheck(sin, (x,), {"k": 2.0}) == dict.fromkeys(
        [
            "test_schema",
            "test_autograd_registration",
            "test_faketensor",
            "test_aot_dispatch_dynamic",
        ],
        "SUCCESS",
    )
    sin.register_fake(wrong_shape)
    with pytest.raises(
        OpCheckError, match=r"result 0 of demo::sin is \(2,\), .*; its fake says \(1,\)"
    ):
        opcheck(sin, (x,))
    sin.register_autograd(lambda ctx, g: (2 * g, None))
    with pytest.raises(
        OpCheckError, match="the gradient of demo::sin is not that of finite differences"
    ):
        opcheck(sin, (x,), test_utils="test_aot_dispatch_dynamic")

    @custom_op("demo::secret", mutates_args=())
    def secret(x: Tensor) -> Tensor:
        x.add_(1)
        return x.clone()

    found = opcheck(secret, (ow.ones(2),), raise_exception=False)
    assert "Argument x is not defined as mutable but was mutated" in str(found["test_schema"])
    assert "has no fake" in str(found["test_faketensor"])
    with pytest.raises(ValueError, match=r"unknown test_utils \['nothing'\]"):
        opcheck(sin, (x,), test_utils="nothing")
    with pytest.raises(ValueError, match=r"expected an operator of opweave.ops with its overload"):
        opcheck("demo::sin", (x,))


@pytest.mark.parametrize(
    ("name", "arguments", "error", "message"),
    [
        ("noname", {}, ValueError, 'Expected `qualname` to be of the form "namespace::name", but got noname'),
        ("a b::f", {}, ValueError, 'Expected `qualname` to be of the form "namespace::name", but got a b::f'),
        ("aten::sin", {}, ValueError, "'aten' is the namespace of built-in operators"),
        ("demo::f", {"device_types": "moon"}, ValueError, "unknown device type 'moon'; known: cpu, meta"),
        ("demo::f", {"device_types": [3]}, TypeError, "expected names of device types, got int"),
        ("demo::f", {"schema": "(Tensor x, *, Tensor y) -> Tensor"}, NotImplementedError, "kwarg-only "
                                                                                          "Tensor args"),
        ("demo::f", {"schema": "(Tenosr x) -> Tensor"}, RuntimeError, "unknown type 'Tenosr'"),
    ],
)  # fmt: skip
def test_bad_definitions(name, arguments, error, message):
    with pytest.raises(error, match=message):
        custom_op(name, sine, mutates_args=(), **arguments)


def everything(
    x: Tensor,
    y: Tensor | None,
    *,
    n: int = 3,
    s: str = "a",
    b: bool = True,
) -> Tuple[Tensor, Tensor]:  # noqa: UP006
    ...


def types(
    x: "Tensor | None",
    dt: ow.dtype,
    dev: ow.device,
    num: int | float | bool,
    o: Sequence[int] | None = None,
) -> List[Tensor]:  # noqa: UP006
    ...


def untyped(x, k: int) -> Tensor: ...


def spread(x: Tensor, *args: int) -> Tensor: ...


def mapping(x: Tensor, k: dict) -> Tensor: ...


def no_result(x: Tensor): ...


def tuple_default(x: Tensor, e: Sequence[int] = (1, 2)) -> None: ...


@pytest.mark.parametrize(
    ("function", "mutates", "schema"),
    [
        (sine, (), "(Tensor x, float k=1.0) -> Tensor"),
        (sine, ("x",), "(Tensor(a0!) x, float k=1.0) -> Tensor"),
        (everything, "unknown",
         '(Tensor(a0!) x, Tensor(a1!)? y, *, int n=3, str s="a", bool b=True) -> (Tensor, Tensor)'),
        (types, (), "(Tensor? x, ScalarType dt, Device dev, Scalar num, int[]? o=None) -> Tensor[]"),
        (untyped, (), "Parameter x must have a type annotation. Got func with signature (x, k: int)"),
        (spread, (), "positional-only arguments, varargs and varkwargs are not supported"),
        (mapping, (), "Parameter k has unsupported type <class 'dict'>. The valid types are: Tensor, "
                      "int, float"),
        (no_result, (), "No return type annotation was provided"),
        (tuple_default, (), "Parameter e has a default of an unsupported type, tuple"),
        (sine, ("q",), "{'q'} in mutates_args were not found"),
        (sine, ("k",), "Parameter k is in mutates_args, but only Tensors"),
        (sine, "x", "mutates_args must either be a sequence of the names"),
    ],
)  # fmt: skip
def test_schemas_of_functions(function, mutates, schema):
    if schema.startswith("("):
        assert infer_schema(function, mutates_args=mutates) == schema
        assert infer_schema(function, mutates_args=mutates, op_name="f") == "f" + schema
    else:
        with pytest.raises(ValueError, match=r"infer_schema|mutates_args") as caught:
            infer_schema(function, mutates_args=mutates)
        assert schema in str(caught.value)


def test_examples_do_not_share_what_is_written():
    """A loop over them would write all into one tensor."""

    @ow.library.custom_op("tests::add_into", mutates_args=("x",))
    def add_into(x: ow.Tensor, y: ow.Tensor) -> None:
        x.add_(y)

    def of(make):
        def run(y):
            x = make(y)
            add_into(x, y)
            return x

        return run

    values = ow.randn(4, 3)
    assert ow.equal(vmap(of(ow.zeros_like))(values), values)
    assert ow.equal(vmap(of(lambda y: y.new_zeros(3)))(values), values)
    shared = ow.zeros(3)
    for make in (lambda y: ow.zeros(3), lambda y: shared):
        said = (
            r"add_into cannot write to a tensor of shape \[3\] that is the same for all 4 examples"
        )
        with pytest.raises(RuntimeError, match=said):
            vmap(of(make))(values)
    assert shared.tolist() == [0, 0, 0]


def test_opcheck_gives_back_what_fails():
    @custom_op("mine::failing", mutates_args=())
    def failing(x: Tensor) -> Tensor:
        raise ZeroDivisionError("no kernel")

    failing.register_fake(ow.empty_like)
    found = opcheck(failing, (ow.ones(2),), raise_exception=False)
    assert isinstance(found["test_schema"], ZeroDivisionError)
    assert isinstance(found["test_faketensor"], ZeroDivisionError)
    with pytest.raises(ZeroDivisionError, match="no kernel"):
        opcheck(failing, (ow.ones(2),))


def test_vmap_over_no_examples():
    @custom_op("mine::sin", mutates_args=())
    def sin(x: Tensor) -> Tensor:
        return x.sin()

    none = ow.ones(0, 3)
    said = r"vmap: mine::sin has no batching rule, and of no examples only a fake says .*sin.register_fake"
    for function in (vmap(sin), vmap(vmap(sin))):
        with pytest.raises(RuntimeError, match=said):
            function(ow.ones(0, 2, 3))
    sin.register_fake(lambda x: x.new_empty((*x.shape, 2), dtype=ow.float64))
    found = vmap(sin)(none)
    assert (found.shape, found.dtype, found.device.type) == ((0, 3, 2), ow.float64, "cpu")
    assert vmap(sin, in_dims=1, out_dims=1)(ow.ones(3, 0)).shape == (3, 0, 2)
    for sizes in ((2, 0, 3), (0, 2, 3)):
        assert vmap(vmap(sin))(ow.ones(sizes)).shape == (*sizes, 2)


def test_vmap_over_no_examples_of_several_results():
    @custom_op("mine::several", mutates_args=())
    def several(x: Tensor, y: Sequence[Tensor]) -> tuple[Tensor, list[Tensor], int]:
        return x.sin(), [t.cos() for t in y], 3

    several.register_fake(lambda x, y: (ow.empty_like(x), [ow.empty_like(t) for t in y], 3))
    x, y = ow.ones(0, 3), ow.ones(2)
    first, (second, third), number = vmap(lambda x: several(x, [x, y]), out_dims=(0, [0, 0], None))(
        x
    )
    assert (first.shape, second.shape, third.shape, number) == ((0, 3), (0, 3), (0, 2), 3)


def test_vmap_over_no_examples_that_are_written():
    @custom_op("mine::written", mutates_args=("x",))
    def written(x: Tensor) -> None:
        x.add_(1)

    assert vmap(lambda x: (written(x), x)[1])(ow.ones(0, 3)).shape == (0, 3)

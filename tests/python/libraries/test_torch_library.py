"""torch.library name by name: what docs/torch_library.md says. What is expected, PyTorch 2.15 answered."""

import re
from pathlib import Path

import opweave as ow
import pytest
from opweave import Tag, Tensor, library
from opweave.library import Library

CHECKOUT = Path("pyproject.toml").resolve().parent
RECORDED = {
    line.partition(": ")[0]: line.partition(": ")[2].split()
    for line in (CHECKOUT / "tests/python/libraries/torch_library_names.txt")
    .read_text()
    .splitlines()
}


@pytest.fixture(name="lib")
def fixture_lib():
    """An operator of a namespace of its own, with a kernel for the CPU."""
    with Library("names", "FRAGMENT") as lib:
        lib.define("f(Tensor x) -> Tensor")
        lib.impl("f", lambda x: x + 1, "CPU")
        yield lib


@pytest.fixture(name="x")
def fixture_x():
    return ow.ones(2)


def test_every_name_of_pytorch_is_there():
    for owner, names in RECORDED.items():
        found = library if owner == "torch.library" else getattr(library, owner.rpartition(".")[2])
        assert [n for n in names if not hasattr(found, n)] == [], owner


def test_the_table_has_every_name_and_no_other():
    text = (CHECKOUT / "docs/torch_library.md").read_text()
    table = re.findall(r"^\| `([\w.]+)` \|", text, re.MULTILINE)
    recorded = [
        name if owner == "torch.library" else f"{owner.rpartition('.')[2]}.{name}"
        for owner, names in RECORDED.items()
        for name in names
    ]
    assert sorted(table) == sorted(recorded)
    assert len(set(table)) == len(table)


def test_libraries(x):
    assert repr(Library("kinds", "FRAGMENT")) == "Library(kind=FRAGMENT, ns=kinds, dispatch_key=)>"
    first = Library("kinds", "DEF")
    with pytest.raises(RuntimeError, match=r"Only a single library of kind DEF .* namespace kinds"):
        Library("kinds", "DEF")
    first._destroy()
    second = Library("kinds", "DEF")
    assert second.define("g.one(Tensor x) -> Tensor") == "g"
    assert second.define("kinds::h(Tensor x) -> Tensor") == "kinds::h"
    for call, error, words in [
        (lambda: Library("prim", "DEF"), ValueError, "prim is a reserved namespace"),
        (lambda: second.define("other::g(Tensor x) -> Tensor"), RuntimeError, "namespace .other."),
        (lambda: second.define("i(Tensor x) -> Tensor", "PURE_FUNCTION"), RuntimeError,
         "Invalid alias_analysis type PURE_FUNCTION"),
        (lambda: Library("kinds", "IMPL").define("i(Tensor x) -> Tensor"), RuntimeError,
         "Cannot define an operator in a library of kind IMPL"),
        (lambda: second.impl(3, print, "CPU"), RuntimeError, "either a name or an OpOverload object"),
        (lambda: second.fallback(print, "CPU"), RuntimeError, "on the global namespace \"_\""),
        (lambda: Library("_", "IMPL").fallback(print), AssertionError, "dispatch_key must not be empty"),
        (lambda: second.register_symm_mem_args("g", ["x"]), NotImplementedError, "symmetric memory"),
        (lambda: first.define("i(Tensor x) -> Tensor"), AssertionError, "has been destroyed"),
        (lambda: first.impl("g.one", print, "CPU"), AssertionError, "has been destroyed"),
    ]:  # fmt: skip
        with pytest.raises(error, match=words):
            call()
    second._destroy()


def test_a_library_that_nobody_holds_takes_its_operators_along(x):
    lib = Library("collected", "FRAGMENT")
    lib.define("f(Tensor x) -> Tensor")
    lib.impl("f", lambda x: x + 1, "CPU")
    assert ow.ops.collected.f(x).tolist() == [2, 2]
    del lib
    with pytest.raises(AttributeError, match="there is no operator 'collected'"):
        ow.ops.collected  # noqa: B018


def test_kernels_that_are_overridden(lib, x):
    with pytest.raises(
        RuntimeError, match="overriding f's behavior for CPU dispatch key and names"
    ):
        lib.impl("f", lambda x: x, "CPU", allow_override=False)
    lib.impl("f", lambda x: x + 2, "CPU")
    assert ow.ops.names.f(x).tolist() == [3, 3]
    lib.impl(ow.ops.names.f.default, lambda x: x * 5, "CPU")
    assert ow.ops.names.f(x).tolist() == [5, 5]


def test_kernels_get_the_keys_of_a_call(lib, x):
    seen = []

    def kernel(keys, x):
        seen.append(keys)
        return x * 3

    lib.impl("f", kernel, "CPU", with_keyset=True)
    assert ow.ops.names.f(x).tolist() == [3, 3]
    (keys,) = seen
    assert (keys.has("CPU"), keys.has("AutogradCPU"), keys.highestPriorityTypeId()) == (
        True,
        False,
        "cpu",
    )
    assert repr(keys.add("Autograd") - keys) == "DispatchKeySet(Autograd)"
    with pytest.raises(RuntimeError, match="could not parse dispatch key: Moon; known: cpu, meta"):
        keys.has("Moon")


def test_a_key_that_is_passed_by(lib, x):
    seen = []
    lib.impl("f", lambda x: seen.append(1) or x, "Autograd")
    lib.impl("f", library.fallthrough_kernel, "Autograd")
    assert (ow.ops.names.f(x.requires_grad_()).tolist(), seen) == ([2, 2], [])
    lib.impl("f", library.fallthrough_kernel, "CPU")
    with pytest.raises(NotImplementedError, match="it has no kernel there"):
        ow.ops.names.f(x)
    with pytest.raises(NotImplementedError, match="should never be called"):
        library.fallthrough_kernel()


def test_get_kernel(lib, x):
    former = library.get_kernel("names::f", "CPU")
    lib.impl("f", lambda keys, x: former.call_boxed(keys, x) * 10, "CPU", with_keyset=True)
    assert ow.ops.names.f(x).tolist() == [20, 20]
    added = library.get_kernel("aten::add.Tensor", "CPU")
    assert added.call_boxed(library.DispatchKeySet("cpu"), x, x, alpha=3).tolist() == [4, 4]
    lib.define("g(Tensor x) -> Tensor")
    for arguments, error, words in [
        (("names::nothing", "CPU"), RuntimeError, "operator names::nothing does not exist"),
        (("names::f", "Moon"), ValueError, "Invalid dispatch key: Moon"),
        (("names::g", "CPU"), RuntimeError, "no kernel for CPU for names::g"),
        ((3, "CPU"), ValueError, r"get_kernel\(3\): got unexpected type for op: <class 'int'>"),
    ]:
        with pytest.raises(error, match=words):
            library.get_kernel(*arguments)


def test_get_ctx(lib, x):
    assert library.get_ctx() is None
    library.register_fake("names::f", lambda x: library.get_ctx() or x, lib=lib)
    with pytest.raises(
        RuntimeError, match=r"names::f \(.*test_torch_library.py:\d+\): You're trying"
    ):
        ow.ops.names.f(x.to("meta"))
    assert library.get_ctx() is None
    with pytest.raises(
        RuntimeError, match=r"already has a fake impl registered at .*library.py:\d+"
    ):
        library.register_fake("names::f", ow.empty_like, lib=lib, allow_override=False)


def test_define_and_impl_by_name(x):
    library.define("byname::f", "(Tensor x) -> Tensor", tags=Tag.pointwise)
    assert ow.ops.byname.f.default.tags == (Tag.pointwise,)
    library.impl("byname::f", ("cpu", "cuda"), lambda x: x + 1)
    assert ow.ops.byname.f(x).tolist() == [2, 2]
    with Library("byname", "FRAGMENT") as lib:

        @library.define(lib, "h(Tensor x) -> Tensor")
        def h(x):
            return x + 9

        assert (ow.ops.byname.h(x).tolist(), h(x).tolist()) == ([10, 10], [10, 10])

        @library.impl(lib, "h", "CPU")
        def other(x):
            return x + 8

        assert ow.ops.byname.h(x).tolist() == [9, 9]
    for call, error, words in [
        (lambda: library.define("byname::i", "i(Tensor x) -> Tensor"), ValueError, "to look like e.g."),
        (lambda: library.define(3, "(Tensor x) -> Tensor"), ValueError, "expected qualname to be inst"),
        (lambda: library.define("a::b::c", "(Tensor x) -> Tensor"), ValueError, "Expected `qualname`"),
        (lambda: library.define("byname::i", "(Tensor x) -> Tensor", tags=3), TypeError, "iterable"),
        (lambda: library.define("byname::i", "(Tensor x) -> Tensor", tags=[3]), TypeError,
         "tags: expected members of opweave.Tag, got int"),
        (lambda: library.impl("byname::f", "moon", print), RuntimeError, "unknown dispatch key 'moon'"),
        (lambda: library.impl("aten::none", "cpu", print), RuntimeError, "aten::none does not exist"),
    ]:  # fmt: skip
        with pytest.raises(error, match=words):
            call()


@pytest.mark.parametrize(
    ("tag", "schema", "words"),
    [
        (Tag.out, "(Tensor x) -> Tensor", "must have at least one mutable argument"),
        (Tag.out, "(Tensor(a!) x) -> Tensor(a!)", "keyword-only .* positional args: ..x.."),
        (Tag.out, "(*, Tensor(a!)[] x) -> Tensor(a!)[]", "only supports Tensor mutable arguments"),
        (Tag.out, "(*, Tensor(a!) x) -> ()", "got 1 mutable args but 0 returns"),
        (Tag.out, "(*, Tensor(a!) x) -> Tensor", "must return mutable arg 'x' as result 0"),
        (Tag.inplace, "() -> Tensor", "must have at least one positional argument"),
        (Tag.inplace, "(Tensor x) -> Tensor", "first positional argument to be mutable"),
        (Tag.inplace, "(Tensor(a!)[] x) -> ()", "to be a Tensor, not Tensor.."),
        (Tag.inplace, "(Tensor(a!) x) -> ()", "exactly one value .* Got 0 returns"),
        (Tag.inplace, "(Tensor(a!) x) -> Tensor", "must return the first mutable argument"),
        (
            Tag.inplace,
            "(Tensor(a!) x, Tensor(b!) y) -> Tensor(a!)",
            "additional mutable args: ..y..",
        ),
    ],
)
def test_tags_that_a_schema_breaks(tag, schema, words):
    with pytest.raises(ValueError, match=f"Schema tagged with torch.Tag.{tag.name} .*{words}"):
        library.define("tagged::f", schema, tags=tag)
    with pytest.raises(AttributeError, match="there is no operator 'tagged'"):
        ow.ops.tagged  # noqa: B018


def test_registrations_by_name(lib):
    y = ow.ones(2, requires_grad=True)
    library.register_autograd("names::f", lambda ctx, g: g * 7, lib=lib)
    ow.ops.names.f(y).sum().backward()
    assert y.grad.tolist() == [7, 7]
    library.register_vmap("names::f", lambda info, dims, x: (x + 50, dims[0]), lib=lib)
    assert ow.func.vmap(ow.ops.names.f)(ow.ones(2, 1)).tolist() == [[51], [51]]
    library.register_autocast("names::f", "cpu", ow.bfloat16, lib=lib)
    with ow.autocast("cpu"):
        assert ow.ops.names.f(ow.ones(2)).dtype == ow.bfloat16
    with pytest.warns(FutureWarning, match="renamed to `library.register_fake`"):
        library.impl_abstract("names::f", lambda x: x.new_empty(3), lib=lib)
    assert ow.ops.names.f(ow.ones(2, device="meta")).shape == (3,)
    lib.define("k(*, Tensor x) -> Tensor")
    for register, arguments in [
        (library.register_vmap, (print,)),
        (library.register_autograd, (print,)),
    ]:
        with pytest.raises(NotImplementedError, match="with kwarg-only Tensor args"):
            register("names::k", *arguments)
    with pytest.raises(ValueError, match="Device type 'meta' does not support autocast"):
        library.register_autocast("names::f", "meta", ow.bfloat16)


@pytest.mark.parametrize("form", ["impl", "register_kernel", "library"])
def test_kernels_before_their_operators(form, x):
    namespace = f"early_{form}"
    with Library(namespace, "FRAGMENT") as lib:
        if form == "library":
            lib.impl("f", lambda x: x + 5, "CPU")
        else:
            getattr(library, form)(f"{namespace}::f", "cpu", lambda x: x + 5, lib=lib)
        with pytest.raises(AttributeError, match=f"there is no operator '{namespace}'"):
            getattr(ow.ops, namespace)
        lib.define("f(Tensor x) -> Tensor")
        assert getattr(ow.ops, namespace).f(x).tolist() == [6, 6]


def test_kernels_before_their_operators_go_with_their_library(x):
    with Library("early", "IMPL") as lib:
        lib.impl("f", lambda x: x + 5, "CPU")
    with Library("early", "FRAGMENT") as lib:
        lib.define("f(Tensor x) -> Tensor")
        with pytest.raises(NotImplementedError, match=r"early::f"):
            ow.ops.early.f(x)
        lib.impl("f", lambda x: x + 1, "CPU")
        assert ow.ops.early.f(x).tolist() == [2, 2]


def test_an_operator_has_the_attributes_of_its_face():
    @library.custom_op("faces::f", mutates_args=())
    def f(x: Tensor, k: int = 2, y: Tensor | None = None) -> Tensor:
        return x * k

    schema = f._opoverload._schema
    assert str(schema) == "faces::f(Tensor x, int k=2, Tensor? y=None) -> Tensor"
    assert [a.has_default_value() for a in schema.arguments] == [False, True, True]
    assert f._opoverload.name() == "faces::f"
    assert (f._namespace, f._name) == ("faces", "f")
    assert f._schema == "(Tensor x, int k=2, Tensor? y=None) -> Tensor"
    plain = ow.ops.faces.f.default
    assert plain == f._opoverload
    assert str(plain._schema) == str(schema)
    assert (plain.namespace, plain._opname, plain._overloadname) == ("faces", "f", "default")
    assert plain.overloadpacket.overloads() == ["default"]
    with pytest.raises(AttributeError, match="the operator 'faces::f' has no attribute 'nothing'"):
        plain.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("register_fake", (print,), RuntimeError),
        ("register_autograd", (print,), AttributeError),
        ("register_vmap", (print,), AttributeError),
        ("register_autocast", ("cpu", ow.bfloat16), AttributeError),
    ],
)
def test_operators_that_are_none(name, arguments, error):
    register = getattr(library, name)
    with pytest.raises(error, match="operator names::none does not exist"):
        register("names::none", *arguments)
    with pytest.raises(
        ValueError, match=rf"{name}\(3\): got unexpected type for op: <class 'int'>"
    ):
        register(3, *arguments)


def test_a_library_keeps_what_is_registered_with_it(x):
    library.define("kept::f", "(Tensor x) -> Tensor")
    with Library("kept", "IMPL") as lib:
        library.register_kernel("kept::f", "cpu", lambda x: x + 1, lib=lib)
        assert ow.ops.kept.f(x).tolist() == [2, 2]
    with pytest.raises(NotImplementedError, match="it has no kernel there"):
        ow.ops.kept.f(x)


def plus(x: Tensor) -> Tensor:
    return x + 1


def test_kernels_of_a_custom_op_are_disabled(x, caplog):
    op = library.custom_op("names_custom::f", plus, mutates_args=(), tags=Tag.pointwise)
    assert ow.ops.names_custom.f.default.tags == (Tag.pt2_compliant_tag, Tag.pointwise)
    op.register_kernel("cpu", lambda x: x + 100)
    with op.set_kernel_enabled("cpu", False):
        assert op(x).tolist() == [2, 2]
    with op.set_kernel_enabled("cuda", False):
        assert op(x).tolist() == [101, 101]
    with op.set_kernel_enabled("cpu"):
        assert op(x).tolist() == [101, 101]
    assert [record.getMessage() for record in caplog.records] == [
        "Attempted to disable kernel for cuda but no kernel was registered for this device type.",
        "Attempted to enable kernel for cpu but it was already enabled.",
    ]
    assert isinstance(ow.ops.names_custom.f.default, library.OpOverload)
    assert op.register_effect(library.EffectType.ORDERED) is None
    with pytest.raises(TypeError, match="expected an EffectType or None, got int"):
        op.register_effect(3)


def test_rules_for_modes(lib, x):
    from opweave.utils._python_dispatch import TorchDispatchMode

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*args, **(kwargs or {}))

    def rule(mode, func, types, args, kwargs):
        assert (type(mode), func.name(), types) == (Mode, "names::f", ())
        return args[0] * 40

    library.register_torch_dispatch("names::f", Mode, rule, lib=lib)
    with Mode():
        assert ow.ops.names.f(x).tolist() == [40, 40]
    assert ow.ops.names.f(x).tolist() == [2, 2]
    for kind in (Tensor, 3):
        with pytest.raises(
            NotImplementedError, match=r"operators are not dispatched on .*no TorchDispat"
        ):
            library.register_torch_dispatch("names::f", kind, rule)


def test_what_is_refused(x):
    with pytest.raises(NotImplementedError, match="'names::t' cannot be made of kernels of Triton"):
        library.triton_op("names::t", plus, mutates_args=())
    with pytest.raises(NotImplementedError, match="wrap_triton: kernels of Triton are not traced"):
        library.wrap_triton(plus)
    for tag in (Tag.inplace, Tag.out):
        with pytest.raises(
            NotImplementedError, match=f"'names::t' is tagged Tag.{tag.name}: it would"
        ):
            library.custom_op("names::t", plus, mutates_args=(), tags=tag)
        with pytest.raises(
            NotImplementedError, match=f"infer_schema: 'plus' is tagged Tag.{tag.name}"
        ):
            library.infer_schema(plus, mutates_args=(), tags=tag)


def test_schemas_name_arguments_by_their_place():
    def second(x: Tensor, y: Tensor) -> None: ...

    assert library.infer_schema(second, mutates_args=("y",)) == "(Tensor x, Tensor(a1!) y) -> ()"


def test_tolerances_of_opcheck():
    op = library.custom_op("names_custom::g", plus, mutates_args=())
    op.register_fake(ow.empty_like)
    op.register_autograd(lambda ctx, g: g * 1.05)
    x = ow.ones(2, dtype=ow.float64, requires_grad=True)
    with pytest.raises(library.OpCheckError, match="finite differences"):
        library.opcheck(op, (x,))
    assert set(library.opcheck(op, (x,), atol=0.1, rtol=0.1).values()) == {"SUCCESS"}
    with pytest.raises(ValueError, match="atol and rtol have to be given both, or neither"):
        library.opcheck(op, (x,), atol=1)

"""Operators and kernels from Python, and calls with boxed arguments."""

import pytest


@pytest.fixture(name="library")
def fixture_library(ow):
    with ow.library.Library("mine") as library:
        yield library


def test_define_and_call(ow, library):
    name = library.define("scaled(Tensor self, float factor=2.0, *, int[] dims=[0, 1]) -> Tensor")
    seen = []

    def kernel(tensor, factor, *, dims):
        seen.append((factor, dims))
        return tensor * factor

    library.impl(name, kernel, "CPU")
    t = ow.tensor([1.0, 2.0])
    assert ow.ops.mine.scaled(t).tolist() == [2.0, 4.0]
    assert ow.ops.mine.scaled(t, 3.0, dims=[4]).tolist() == [3.0, 6.0]
    assert ow.ops.mine.scaled.default(self=t, factor=1).tolist() == [1.0, 2.0]
    assert seen == [(2.0, [0, 1]), (3.0, [4]), (1.0, [0, 1])]


def test_values_of_every_kind_arrive(ow, library):
    library.define(
        "all(Tensor a, Tensor? b, Tensor[] c, Scalar d, int e, int[] f, float g, bool h, str i,"
        " ScalarType j, Device k, MemoryFormat l, Layout m, int? n=None, bool[2] o=[True, False],"
        " float[]? p=None) -> Tensor"
    )
    seen = []
    library.impl("all", lambda *args: (seen.append(args), args[0])[1], "cpu")
    t = ow.tensor([1.0])
    values = (
        t, None, [t, t], 2.5, 3, [4, 5], 6.0, True, "seven", ow.int8, ow.device("cpu"),
        ow.channels_last, ow.strided, None, [True, False], None,
    )  # fmt: skip
    assert ow.ops.mine.all(*values[:13]) is t
    assert seen == [values]
    assert seen[0][0] is t


def test_several_results(ow, library):
    library.define("pair(Tensor self) -> (Tensor, Tensor)")
    library.impl("pair", lambda t: (t + 1, t + 2), "cpu")
    first, second = ow.ops.mine.pair(ow.tensor([1.0]))
    assert (first.item(), second.item()) == (2.0, 3.0)
    library.impl("pair", lambda t: t, "cpu")
    with pytest.raises(TypeError, match="tuple of 2 values, but returned Tensor"):
        ow.ops.mine.pair(ow.tensor([1.0]))


def test_nothing_is_left_behind(ow):
    with ow.library.Library("passing") as library:
        library.define("f(Tensor self) -> Tensor")
        library.impl("f", lambda t: t, "cpu")
        assert ow.ops.passing.f(ow.tensor(1)).item() == 1
    with pytest.raises(AttributeError, match="there is no operator 'passing'"):
        ow.ops.passing  # noqa: B018
    with ow.library.Library("passing") as library:
        library.define("f(Tensor self) -> Tensor")
        with pytest.raises(NotImplementedError, match="has no kernel there"):
            ow.ops.passing.f(ow.tensor(1))


def test_a_kernel_of_a_builtin_operator_comes_and_goes(ow):
    t = ow.tensor([2.0])
    with ow.library.Library() as library:
        library.impl("mul.Tensor", lambda a, b: a, "cpu")
        assert (t * t).item() == 2.0
        with ow.library.Library("aten") as inner:
            inner.impl("mul.Tensor", lambda a, b: a + 5, "CPU")
            assert (t * t).item() == 7.0
        assert (t * t).item() == 2.0
    assert (t * t).item() == 4.0


def test_errors_of_python_kernels_arrive_unchanged(ow, library):
    class OwnError(Exception):
        pass

    def kernel(t):
        raise OwnError("why")

    library.define("f(Tensor self) -> Tensor")
    library.impl("f", kernel, "cpu")
    with pytest.raises(OwnError, match="why"):
        ow.ops.mine.f(ow.tensor(1))


def test_a_kernel_that_calls_below_itself(ow):
    calls = []

    def watch(a, b):
        calls.append("mul")
        with ow.library.dispatch_keys(exclude=["Autograd"]):
            return a * b

    x = ow.tensor([3.0], requires_grad=True)
    with ow.library.Library() as library:
        library.impl("mul.Tensor", watch, "Autograd")
        y = x * x
    assert (calls, y.item(), y.requires_grad) == (["mul"], 9.0, False)
    assert (x * x).requires_grad


def test_fallback(ow):
    ow.library.register_functionality("Spy")
    names = []

    def spy(operator, *args, **kwargs):
        names.append(f"{operator.name}.{operator.overload}")
        with ow.library.dispatch_keys(exclude=["Spy"]):
            return operator(*args, **kwargs)

    t = ow.tensor([1.0, 2.0])
    with ow.library.Library() as library:
        library.fallback(spy, "Spy")
        t + t
        assert names == []
        with ow.library.dispatch_keys(include=["Spy"]):
            assert (t + t).tolist() == [2.0, 4.0]
        assert names == ["add.Tensor"]
    with ow.library.dispatch_keys(include=["Spy"]):
        t + t
    assert names == ["add.Tensor"]


def test_packets(ow):
    t = ow.tensor([1.0])
    add = ow.ops.add
    assert "Tensor" in add.overloads()
    assert add.Tensor.schema.startswith("add.Tensor(Tensor self, Tensor other")
    assert add.Tensor(t, t, alpha=3).item() == 4.0
    assert add(t, t).item() == 2.0
    assert repr(add.Tensor) == "<operator 'add.Tensor'>"
    assert add.Tensor.has_kernel("cpu")
    assert "add" in dir(ow.ops)
    with pytest.raises(AttributeError, match="the operator 'add' has no overload 'nothing'"):
        add.nothing  # noqa: B018
    assert add.Tensor(t, 1).item() == 2.0  # where Python takes a number for a tensor
    with pytest.raises(
        TypeError, match=r"argument 'other' \(position 2\) must be Tensor or Number, not"
    ):
        add.Tensor(t, "1")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("f", r"expected '\(' after the name of the operator, found the end"),
        ("f(Tensor self)", "expected '->' after the arguments, found the end"),
        ("f(Tensor) -> Tensor", "expected a name after the type 'Tensor', at character 15"),
        ("f(Tenosr self) -> Tensor", "unknown type 'Tenosr'"),
        ("(Tensor self) -> Tensor", "expected a name after '::'"),
        ("f(ScalarType t=what) -> Tensor", "cannot read the default 'what'"),
        ("f(float x=1.5.2) -> Tensor", "the default of 'x': '1.5.2' is no number"),
        ("f(int[2] x=[1, b]) -> Tensor", "cannot read the default 'b'"),
        ("f(int[2] x=much) -> Tensor", "cannot read the default 'much'"),
        (
            "f(int a=1, Tensor x) -> Tensor",
            "'x' has no default but comes after 'a', which has one, at character [0-9]+ of: mine::f",
        ),
        (
            "f(Tensor x, Tensor? y=None, Tensor z) -> Tensor",
            "'z' has no default but comes after 'y', which has one, at character [0-9]+ of: mine::f",
        ),
        (
            "f(Tensor x=1) -> Tensor",
            "'x': the default 1 is no value of type Tensor, at character 18",
        ),
        ("f(int x=1.5) -> Tensor", "'x': the default 1.5 is no value of type int, at character 15"),
        ("f(bool x=0.5) -> Tensor", "'x': the default 0.5 is no value of type bool"),
        ("f(str x=3) -> Tensor", "'x': the default 3 is no value of type str"),
        ("f(int x=[1]) -> Tensor", r"'x': the default \[1\] is no value of type int"),
        ("f(int[] x=1) -> Tensor", r"'x': the default 1 is no value of type int\[\]"),
    ],
)
def test_bad_schemas(library, schema, message):
    with pytest.raises(RuntimeError, match=message):
        library.define(schema)


def test_what_is_given_by_keyword_needs_no_order(ow, library):
    library.define("g(int a=1, *, Tensor x) -> Tensor")
    library.define("h(*, int a=1, Tensor x) -> Tensor")
    library.impl("h", lambda *, a, x: x + a, "cpu")
    assert ow.ops.mine.h(x=ow.tensor(1)).item() == 2


def test_defaults_become_values_of_their_type(ow, library):
    library.define("typed(Tensor x, int a=True, bool b=2, float c=False, Scalar d=True) -> Tensor")
    seen = []
    library.impl("typed", lambda x, *rest: (seen.append(rest), x)[1], "cpu")
    ow.ops.mine.typed(ow.tensor(1))
    assert [(v, type(v)) for v in seen[0]] == [(1, int), (True, bool), (0.0, float), (True, bool)]


def test_defaults(ow, library):
    library.define(
        "given(Tensor self, float a=inf, float b=-inf, float c=1e-05, float d=3, Scalar e=2,"
        " Scalar f=2.5, int g=Sum, int[2] h=3, MemoryFormat i=channels_last, ScalarType j=long)"
        " -> Tensor"
    )
    seen = []
    library.impl("given", lambda self, *rest: (seen.append(rest), self)[1], "cpu")
    ow.ops.mine.given(ow.tensor(1))
    inf = float("inf")
    last = (ow.channels_last, ow.int64)
    assert seen == [(inf, -inf, 1e-05, 3.0, 2, 2.5, 2, [3, 3], *last)]


def test_bad_registrations(ow, library):
    library.define("f(Tensor self) -> Tensor")
    with pytest.raises(RuntimeError, match="registered already"):
        library.define("f(Tensor self) -> Tensor")
    with pytest.raises(RuntimeError, match="there is no operator 'nothing'"):
        ow.library.Library().impl("nothing", print, "cpu")
    with pytest.raises(RuntimeError, match=r"unknown dispatch key 'moon'; known: cpu, meta"):
        library.impl("f", print, "moon")
    with pytest.raises(
        TypeError, match="Input function is required to be a callable but found type <class 'int'>"
    ):
        library.impl("f", 3, "cpu")
    with pytest.raises(ValueError, match="Unsupported kind: SOME"):
        ow.library.Library("mine", "SOME")


def test_an_operator_tells_its_record(ow, library):
    library.define("told(Tensor(a!) x, int[2]? size=None, *, float eps=1) -> Tensor(a!)")
    told = ow.ops.mine.told.default
    assert [a["name"] for a in told.arguments] == ["x", "size", "eps"]
    assert told.arguments[0]["alias"] == "a"
    assert told.arguments[0]["written"]
    assert told.arguments[1]["type"] == "int[2]?"
    assert told.arguments[2]["default"] == 1.0
    assert told.arguments[2]["keyword_only"]
    assert told.tags == ()
    softmax = ow.ops.softmax.int
    assert softmax.arguments[1]["role"] == "dim"
    assert softmax.returns[0]["type"] == "Tensor"
    assert ow.ops.dropout.default.tags == ("random",)


def test_lists_have_the_length_that_the_schema_says(ow, library):
    library.define("pair(Tensor x, int[2] n, float[3] f=[]) -> Tensor")
    library.impl("pair", lambda x, n, f: x + sum(n), "cpu")
    pair, x = ow.ops.mine.pair, ow.ones(1)
    assert pair(x, [1, 2]).item() == 4
    assert pair(x, [1], [0.5, 1.5, 2.5]).item() == 2
    for n in ([1, 2, 3], []):
        with pytest.raises(RuntimeError, match=r"pair\(\): argument 'n' must have 1 or 2 elements"):
            pair(x, n)
    with pytest.raises(RuntimeError, match="'f' must be empty or have 1 or 3 elements"):
        pair(x, [1, 2], [1.0, 2.0])


def test_a_kernel_returns_what_the_schema_says(ow, library):
    library.define("one(Tensor x) -> Tensor")
    library.define("two(Tensor x) -> (Tensor, Tensor)")
    library.define("many(Tensor x) -> int[]")
    x = ow.ones(1)
    library.impl("many", lambda x: [], "cpu")
    assert ow.ops.mine.many(x) == []
    library.impl("one", lambda x: "q", "cpu")
    with pytest.raises(TypeError, match=r"mine::one\(\) left str as result 0, which is Tensor"):
        ow.ops.mine.one(x)
    library.impl("two", lambda x: (x,), "cpu")
    with pytest.raises(TypeError, match="a tuple of 2 values, but returned one of 1"):
        ow.ops.mine.two(x)
    library.impl("two", lambda x: (x, 3), "cpu")
    with pytest.raises(TypeError, match=r"left int as result 1, which is Tensor"):
        ow.ops.mine.two(x)


def test_a_namespace_may_be_called_like_an_operator(ow):
    with ow.library.Library("relu", "FRAGMENT") as library:
        library.define("sharp(Tensor self) -> Tensor")
        library.impl("sharp", lambda t: t + 1, "cpu")
        assert repr(ow.ops.relu.sharp) == "<OpOverloadPacket(op='relu::sharp')>"
        assert ow.ops.relu.sharp(ow.zeros(1)).item() == 1
        assert ow.ops.relu(ow.ones(1)).item() == 1
        with pytest.raises(AttributeError, match="the operator 'relu' has no overload 'blunt'"):
            ow.ops.relu.blunt  # noqa: B018

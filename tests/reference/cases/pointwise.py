"""Pointwise operators: unary, binary, ternary, and what they do to integers and special values."""

from reference.samples import (
    ALL,
    F32,
    FLOATS,
    INTS,
    REAL,
    SPECIAL,
    SPECIAL_LEFT,
    SPECIAL_RIGHT,
    lit,
    mask,
    nonzero,
    positive,
    prob,
    real,
    small,
    unit,
    wide,
)
from reference.table import Table

table = Table()
INT_OR_BOOL = (*INTS, "bool")
INT_LIMITS = {
    "uint8": [0, 1, 127, 128, 255],
    "int8": [-128, -127, -1, 0, 1, 127],
    "int16": [-32768, -1, 0, 32767],
    "int32": [-(2**31), -1, 0, 2**31 - 1],
    "int64": [-(2**63), -(2**62), -1, 0, 2**53 + 1, 2**63 - 1],
}
LAYOUTS = (((), ""), ((0, 3), ""), ((3, 4), "t"), ((2, 5), "s"), ((2, 3), "e"), ((2, 3), "o"))


def corners(dtypes):
    """The dtypes that corner cases are run with."""
    return REAL if "float32" in dtypes else ("int64", "bool")


def unary(names, domain=real, arguments="", dtypes=ALL, space="ow", long=None, tol=1.0):
    """A unary operator on every dtype, layout and special value."""
    for name in names.split():
        call = f"{space}.{name}(a, {arguments})" if arguments else f"{space}.{name}(a)"
        table.case(name, call, a=domain(2, 3), dtypes=dtypes, tol=tol)
        table.case(name, call, a=(long or domain)(67), dtypes=corners(dtypes), tol=tol)
        for shape, layout in LAYOUTS:
            table.case(name, call, a=domain(*shape, layout=layout), dtypes=corners(dtypes), tol=tol)
        if "float32" in dtypes:
            table.case(name, call, a=lit(SPECIAL, grad=False), dtypes=FLOATS, tol=tol)


unary("abs neg sign square", real)
unary("exp exp2 expm1 sinh cosh tanh erf sigmoid sin cos atan relu", real, long=wide)
unary("log log2 log10 log1p sqrt rsqrt", positive)
unary("reciprocal", nonzero)
unary("tan asin acos", unit)
unary("floor ceil round trunc frac", real, long=wide)
unary("isnan isinf isfinite logical_not", real)
unary("bitwise_not", real, dtypes=INT_OR_BOOL)
for name in [
    "abs",
    "neg",
    "sign",
    "exp",
    "log",
    "sqrt",
    "rsqrt",
    "sin",
    "tanh",
    "sigmoid",
    "floor",
    "round",
    "trunc",
    "reciprocal",
]:
    table.forms(name, a=positive(2, 3))
for name in [
    "exp2",
    "expm1",
    "log2",
    "log10",
    "log1p",
    "square",
    "cos",
    "tan",
    "atan",
    "sinh",
    "cosh",
    "erf",
    "ceil",
    "frac",
]:
    table.forms(name, a=unit(5))
table.forms("asin", a=prob(5))
table.forms("acos", a=prob(5))
table.forms("logical_not", a=real(2, 3))
table.forms("relu", a=positive(2, 3), out=False)
table.forms("bitwise_not", a=real(2, 3), dtypes=("int32", "bool"))
for name in ["isnan", "isinf", "isfinite"]:
    table.case(name, f"a.{name}()", a=lit(SPECIAL), dtypes=REAL)
for name in ["abs", "neg", "sign", "square"]:
    for dtype, values in INT_LIMITS.items():
        table.case(name, f"ow.{name}(a)", a=lit(values, dtype))
table.many("neg", "-a\nabs(a)\n+a", a=real(2, 3))
table.case("bitwise_not", "~a", a=real(2, 3), dtypes=INT_OR_BOOL)
table.case("round", "ow.round(a)", a=lit([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5]), dtypes=FLOATS)
table.many("round", "ow.round(a, decimals=1)\now.round(a, decimals=-1)", a=real(2, 3))
EXTREMES = {
    "exp": [-1000.0, -745.0, -100.0, -87.5, 88.5, 100.0, 700.0, 710.0, 1e-20],
    "expm1": [-50.0, -1e-10, 1e-10, 1e-3, 50.0],
    "log": [1e-40, 1e-38, 1.0000001, 0.99999, 1e38],
    "log1p": [-1.0, -0.9999, -1e-10, 1e-10, 1e-3, 1e30],
    "tanh": [-100.0, -20.0, -1e-5, 1e-10, 5.0, 9.0, 50.0],
    "sigmoid": [-800.0, -100.0, -20.0, -1e-5, 17.0, 100.0],
    "erf": [-6.0, -3.5, -1e-5, 1e-10, 2.5, 5.9],
    "sin": [1e-10, 100.0, 12345.0, 1e6, 3.14159265, 1.57079632],
    "cos": [1e-10, 100.0, 12345.0, 1e6, 3.14159265, 1.57079632],
    "tan": [1e-10, 100.0, 12345.0, 3.14159265],
    "sinh": [-100.0, -1e-5, 1e-10, 20.0, 88.0],
    "cosh": [-100.0, -1e-5, 1e-10, 20.0, 88.0],
    "asin": [-1.5, -1.0, -1e-10, 0.0, 0.999, 1.0],
    "acos": [-1.5, -1.0, -1e-10, 0.0, 0.999, 1.0],
    "atan": [-1e30, -1e-10, 0.0, 1e10],
}
for name, values in EXTREMES.items():
    table.case(name, f"ow.{name}(a)", a=lit(values, grad=False), dtypes=REAL)

# Activations
# For negative numbers gelu is what is left of 1 - 1: the last digit of erf, times the number.
unary("gelu", real, "", FLOATS, "F", wide, tol=4)
unary("gelu", real, "approximate='tanh'", FLOATS, "F", wide, tol=4)
unary("silu relu hardtanh softplus elu leaky_relu", real, "", FLOATS, "F", wide)
unary("softplus", real, "2.0, 3.0", FLOATS, "F")
unary("leaky_relu", real, "0.2", FLOATS, "F")
unary("elu", real, "0.5", FLOATS, "F")
unary("hardtanh", real, "-0.5, 2.0", FLOATS, "F")
for name, call in {
    "relu": "F.relu(c, inplace=True)",
    "silu": "F.silu(c, inplace=True)",
    "leaky_relu": "F.leaky_relu(c, 0.1, inplace=True)",
    "elu": "F.elu(c, 1.5, inplace=True)",
    "hardtanh": "F.hardtanh(c, -0.5, 0.5, inplace=True)",
}.items():
    table.case(name, f"c = a.clone(); r = {call}; (r is c, c)", a=real(2, 3))
table.many(
    "softplus", "F.softplus(a, beta=0.5, threshold=1)\nF.softplus(a, threshold=30)", a=wide(6)
)
table.many("elu", "F.elu(input=a, alpha=2.0)\nF.leaky_relu(a, negative_slope=-0.5)", a=real(2, 3))
table.many("sigmoid", "F.sigmoid(a)\nF.tanh(a)", a=wide(2, 3))

# Binary
SHAPES = (
    ((2, 3), (3,)),
    ((2, 1, 3), (4, 1)),
    ((3,), ()),
    ((), (2, 2)),
    ((), ()),
    ((0, 3), (1, 3)),
    ((0,), (1,)),
    ((1,), (2, 1, 1)),
)
TENSORS_ONLY = ["maximum", "minimum", "atan2", "logical_and", "logical_or", "logical_xor"]


def binary(names, left=real, right=real, arguments="", dtypes=ALL):
    """A binary operator on every dtype, with broadcasting, layouts, scalars and special values."""
    for name in names.split():
        rest = f", {arguments}" if arguments else ""
        call = f"ow.{name}(a, b{rest})"
        few = corners(dtypes)
        table.case(name, call, a=left(2, 3), b=right(2, 3), dtypes=dtypes)
        table.case(name, call, a=left(67), b=right(67), dtypes=few)
        for a, b in SHAPES:
            table.case(name, call, a=left(*a), b=right(*b), dtypes=few[:1])
        table.case(name, call, a=left(3, 4, layout="t"), b=right(3, 4), dtypes=few)
        table.case(name, call, a=left(3, 4, layout="t"), b=right(3, 4, layout="s"), dtypes=few[:1])
        table.case(name, call, a=left(2, 3, layout="e"), b=right(2, 3, layout="o"), dtypes=few[:1])
        table.case(name, f"ow.{name}(a, a{rest})", a=right(5), dtypes=few[:1])
        if "float32" in dtypes:
            pairs = {"a": lit(SPECIAL_LEFT, grad=False), "b": lit(SPECIAL_RIGHT, grad=False)}
            table.case(name, call, dtypes=REAL, **pairs)
        if name not in TENSORS_ONLY:
            scalars(name, rest, left, dtypes)


def scalars(name, rest, left, dtypes):
    """The operator with a Python number on the right."""
    for scalar in ("2", "2.5", "True"):
        if not ((scalar == "2.5" and "bitwise" in name) or (scalar == "True" and name == "sub")):
            table.case(name, f"ow.{name}(a, {scalar}{rest})", a=left(2, 3), dtypes=dtypes)
    table.case(name, f"a.{name}(3{rest})", a=left(3, 2), dtypes=corners(dtypes)[:1])


binary("add sub mul maximum minimum eq ne lt le gt ge logical_and logical_or logical_xor")
binary("div floor_divide fmod remainder atan2", right=nonzero)
binary("div", right=nonzero, arguments="rounding_mode='trunc'")
binary("div", right=nonzero, arguments="rounding_mode='floor'")
binary("add", arguments="alpha=3")
binary("sub", arguments="alpha=2")
binary("pow", left=positive, right=small)
binary("bitwise_and bitwise_or bitwise_xor", dtypes=INT_OR_BOOL)
for name in [
    "add",
    "sub",
    "mul",
    "atan2",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "logical_and",
    "logical_or",
    "logical_xor",
]:
    table.forms(name, "b", a=real(2, 3), b=positive(3))
for name in ["div", "floor_divide", "fmod", "remainder", "pow"]:
    table.forms(name, "b", a=positive(2, 3), b=positive(3))
for name in ["bitwise_and", "bitwise_or", "bitwise_xor"]:
    table.forms(name, "b", a=real(2, 3), b=real(3), dtypes=("int32", "bool"))
for name in ["maximum", "minimum"]:
    table.forms(name, "b", inplace=False, a=real(2, 3), b=real(3))
table.forms("add", "b, alpha=2.5", a=real(2, 3), b=real(3))
table.forms("div", "b, rounding_mode='floor'", a=real(2, 3), b=nonzero(3), dtypes=FLOATS + INTS)
table.forms("add", "2", a=real(2, 3), out=False)
table.forms("mul", "0.5", a=real(2, 3), out=False)
BIG = [2**53 + 1, 2**53, -(2**63)]
for name in ("eq", "lt", "ge"):
    table.case(name, f"ow.{name}(a, b)", a=lit(BIG, "int64"), b=lit([2**53, 2**53, 0], "int64"))

for code in [
    "a + b",
    "a - b",
    "a * b",
    "a / b",
    "a // b",
    "a % b",
    "a ** b",
    "a == b",
    "a != b",
    "a < b",
    "a <= b",
    "a > b",
    "a >= b",
]:
    table.case(
        "operator", code, a=positive(2, 3), b=positive(3), dtypes=("float64", "int64", "uint8")
    )
    for scalar in ("2", "2.5", "-3"):
        few = ("float64", "float32", "int64") if (code, scalar) != ("a ** b", "-3") else REAL
        table.case("operator", code.replace("b", scalar), a=positive(2, 3), dtypes=few)
        if not set("=<>") & set(code):
            reflected = code.replace("a", scalar if scalar != "-3" else "(-3)").replace("b", "a")
            table.case("operator", reflected, a=positive(2, 3), dtypes=few)
table.many("operator", "a & b\na | b\na ^ b\na & 1\na ^ 3\n3 & a\n2 | a", dtypes=(*INTS, "bool"),
           a=positive(2, 3), b=positive(3))  # fmt: skip
for code in [
    "a << b",
    "a >> 1",
    "1 << b",
    "ow.bitwise_left_shift(a, b)",
    "ow.bitwise_right_shift(a, 1)",
]:
    table.case("operator", code, a=positive(2, 3), b=positive(3), dtypes=INTS)
for code in ["c += b", "c -= 2", "c *= b", "c /= b", "c //= b", "c %= b", "c **= 2"]:
    table.case(
        "operator", f"c = a.clone(); d = c; {code}; (c is d, c)", a=positive(2, 3), b=positive(3)
    )
for symbol in "&|^":
    table.case("operator", f"c = a.clone(); c {symbol}= b; c", a=mask(2, 3), b=mask(3))
table.many(
    "operator",
    """ow.true_divide(a, b)
    ow.rsub(a, b)
    ow.rsub(a, 3, alpha=2)
    float('inf') * a""",
    a=positive(2, 3),
    b=positive(3),
)

# Integers: overflow wraps, division rounds, zero divisors are errors
for dtype, values in INT_LIMITS.items():
    for name in ("add", "sub", "mul", "maximum", "bitwise_xor", "lt"):
        table.case(name, f"ow.{name}(a, b)", a=lit(values, dtype), b=lit(values[::-1], dtype))
    table.case("pow", "ow.pow(a, 3)", a=lit(values, dtype))
for name in ("div", "floor_divide", "remainder", "fmod"):
    call = f"ow.{name}(a, b)"
    table.case(name, call, a=lit([7, -7, 7, -7, 0], "int64"), b=lit([3, 3, -3, -3, 5], "int64"))
    table.case(
        name,
        call,
        a=lit([7.5, -7.5, 7.5, -7.5, 0.0]),
        b=lit([2.0, 2.0, -2.0, -2.0, 5.0]),
        dtypes=REAL,
    )
    if name != "div":
        table.case(
            name, call, a=lit([1, 0], "int32"), b=lit([0, 2], "int32"), raises=True, says="zero"
        )
table.case(
    "div", "ow.div(a, 0, rounding_mode='floor')", a=lit([1, 0], "int32"), raises=True, says="zero"
)

# Powers
for exponent in ("0", "1", "2", "3", "-1", "-2", "0.5", "-0.5", "2.5", "0.0"):
    table.case("pow", f"ow.pow(a, {exponent})", a=positive(5), dtypes=FLOATS)
    table.case("pow", f"ow.pow(a, {exponent})", a=lit(SPECIAL, grad=False), dtypes=REAL)
table.many(
    "pow",
    "ow.pow(a, 0)\now.pow(a, 2)\now.pow(a, 3)\now.pow(a, 2.0)\na ** 5",
    a=real(6),
    dtypes=INTS,
)
table.many(
    "pow", "ow.pow(2, a)\now.pow(2.5, a)\now.pow(0, a)\n1 ** a\na.pow(2)", a=small(5), dtypes=REAL
)
table.case(
    "pow", "ow.pow(a, b)", a=lit([0.0, 0.0, 2.0, -2.0, -2.0]), b=lit([0.0, 2.0, 3.0, 2.0, 3.0])
)
table.case("pow", "ow.pow(a, b)", a=lit([2, 1, -1, -1], "int64"), b=lit([-1, -3, -3, -2], "int64"))
table.case("pow", "ow.pow(a, -1)", a=lit([1, 2], "int64"), raises=True, says="pow negative")
table.case("pow", "a ** 0.5", a=positive(4), dtypes=("int64", "float32"))

# Ternary
CLAMPS = """ow.clamp(a, -1, 2)|ow.clamp(a, min=0)|ow.clamp(a, max=1)|ow.clamp(a, 2, -1)
a.clamp(0, 3)|ow.clip(a, 0, 1)|a.clamp_min(1)|a.clamp_max(1)
c = a.clone(); (c.clamp_(min=1) is c, c)"""
for code in CLAMPS.replace("\n", "|").split("|"):
    table.case("clamp", code, a=real(2, 5), dtypes=FLOATS + INTS)
for code in ("ow.clamp(a, -1.25, 2.5)", "ow.clamp(a, 0.5)", "ow.clamp(a, min=0.5, max=1)"):
    table.case("clamp", code, a=real(2, 3), dtypes=("float64", "float16", "int32"))
for code in ("ow.clamp(a, b, c)", "ow.clamp(a, min=b)", "ow.clamp(a, max=c)", "a.clamp(b)"):
    table.case("clamp", code, a=real(2, 3), b=real(3), c=real(2, 1))
table.case("clamp", "ow.clamp(a, -0.5, 0.5)", a=lit(SPECIAL, grad=False), dtypes=REAL)
table.case(
    "clamp", "ow.clamp(a, b)", a=lit(SPECIAL_LEFT, grad=False), b=lit(SPECIAL_RIGHT, grad=False)
)
table.case("clamp", "ow.clamp(a, 1, 2)", a=lit([1.0, 2.0, 0.0, 3.0]))
table.case("clamp", "ow.clamp(a, nan)", a=real(3))
table.forms("clamp", "-1, 1", a=real(2, 3))
for code in [
    "ow.lerp(a, b, 0.25)",
    "ow.lerp(a, b, 0.75)",
    "ow.lerp(a, b, c)",
    "a.lerp(b, c)",
    "a.clone().lerp_(b, 0.5)",
]:
    table.case("lerp", code, a=real(2, 3), b=real(2, 3), c=prob(3), dtypes=FLOATS)
for name in ("addcmul", "addcdiv"):
    for form in (
        "ow.{}(a, b, c)",
        "ow.{}(a, b, c, value=0.5)",
        "a.{}(b, c, value=-2)",
        "d = a.clone(); (d.{}_(b, c) is d, d)",
    ):
        table.case(name, form.format(name), a=real(2, 3), b=real(2, 3), c=nonzero(3), dtypes=FLOATS)
    out = f"o = ow.empty(0, dtype=dt); (ow.{name}(a, b, c, value=2, out=o) is o, o)"
    table.case(name, out, a=real(2, 3), b=real(2, 3), c=nonzero(3), dtypes=F32)
table.case(
    "addcmul", "ow.addcmul(a, b, c, value=3)", a=real(2, 3), b=real(3), c=real(2, 1), dtypes=INTS
)

# Compositions: one tensor used twice, views written in place, dtypes changed on the way
table.many(
    "chain",
    """a * a + a
    (a * b).sin() + b.exp()
    (a.t() @ a).tanh().sum()
    ow.exp(a).mul(b).log1p().sum(0)
    (a[0] * a[1]).sigmoid()
    a.expand(4, 2, 3) * b
    ow.stack([a, a * 2]).prod()
    c = a * 2; c[0] = b; c * c
    c = a * 1; c.mul_(b).add_(a); c
    c = a * 1; c[:, 1].exp_(); c
    c = a * 1; v = c.view(-1); v[2:4].mul_(3); c.pow(2)
    c = a * 1; v = c.t(); c.mul_(2); v.sin()
    a.detach() * a
    ow.where(a > 0, a.log(), b)
    a.clone().fill_(2) * a
    a.clone().zero_().add_(a)
    a.float().double() * b
    a.half().double() * b""",
    a=positive(2, 3),
    b=positive(3),
)

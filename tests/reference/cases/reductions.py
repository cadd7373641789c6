"""Reductions, scans, sorting, and what they answer for empty, zero-dim and special inputs."""

from reference.samples import (
    ALL,
    FLOATS,
    INTS,
    REAL,
    SPECIAL,
    distinct,
    lit,
    mask,
    nonzero,
    real,
    small,
)
from reference.table import Table

table = Table()

SHAPES = (
    "()",
    "(0)",
    "(1)",
    "(-1)",
    "(1, keepdim=True)",
    "((0, 2))",
    "((0, -1), keepdim=True)",
    "(dim=0)",
)
NAN = [[1.0, float("nan"), 3.0], [float("inf"), 2.0, -1.0], [float("-inf"), float("inf"), 0.5]]


def reduction(name, dims, domain=real, dtypes=ALL):
    """A reduction: as a function and as a method, over dims, layouts and corner cases."""
    for arguments in dims:
        table.case(name, f"a.{name}{arguments}", a=domain(2, 3, 4))
        rest = arguments[1:-1]
        table.case(
            name,
            f"ow.{name}(a{', ' + rest if rest else ''})",
            a=domain(2, 3, 4, layout="t"),
            dtypes=REAL,
        )
    table.case(name, f"ow.{name}(a)", a=domain(3, 4), dtypes=dtypes)
    table.case(name, f"ow.{name}(a, 0)", a=domain(3, 4), dtypes=dtypes)
    table.case(name, f"ow.{name}(a, 1)", a=domain(3, 67), dtypes=REAL)
    for layout in "tseo":
        table.case(name, f"ow.{name}(a, 1)", a=domain(3, 4, layout=layout))
        table.case(name, f"ow.{name}(a)", a=domain(3, 4, layout=layout), dtypes=REAL)
    for code in ("(a)", "(a, 0)", "(a, -1)", "(a, 0, keepdim=True)"):
        table.case(name, f"ow.{name}{code}", a=domain(), dtypes=REAL)
        table.case(name, f"ow.{name}{code}", a=domain(1))
    table.case(name, f"ow.{name}(a, 1)", a=domain(0, 3))
    table.case(name, f"ow.{name}(a, 1, keepdim=True)", a=domain(0, 3, 2))
    table.case(name, f"ow.{name}(a, 0)", a=lit(NAN, grad=False), dtypes=FLOATS)
    table.case(name, f"ow.{name}(a)", a=lit(NAN, grad=False), dtypes=REAL)


reduction("sum", SHAPES)
reduction("mean", SHAPES, dtypes=FLOATS)
reduction("prod", [s for s in SHAPES if "(0" not in s[1:]], nonzero)
reduction("amax", SHAPES, distinct)
reduction("amin", SHAPES, distinct)
reduction("max", [s for s in SHAPES if "(0" not in s[1:]], distinct)
reduction("min", [s for s in SHAPES if "(0" not in s[1:]], distinct)
reduction("argmax", [s for s in SHAPES if "(0" not in s[1:]], distinct)
reduction("argmin", [s for s in SHAPES if "(0" not in s[1:]], distinct)
reduction("any", SHAPES)
reduction("all", SHAPES)
reduction("var", SHAPES, dtypes=FLOATS)
reduction("std", SHAPES, dtypes=FLOATS)

EMPTY = """ow.sum(a)|ow.prod(a)|ow.mean(a)|ow.any(a)|ow.all(a)|ow.var(a)|ow.std(a)|a.norm()
ow.sum(a, 0)|ow.prod(a, 0)|ow.mean(a, 0)|ow.any(a, 0)|ow.all(a, 0)|ow.var(a, 0)|ow.cumsum(a, 0)
ow.cumprod(a, 0)|ow.logsumexp(a, 0)|ow.sum(a, 1)|ow.amax(a, 1)|ow.max(a, 1)|ow.argmax(a, 1)
ow.sort(a, 0)|ow.argsort(a, 1)|ow.topk(a, 2, 1)|ow.unique(a)"""
for code in EMPTY.replace("\n", "|").split("|"):
    table.case("empty", code, a=real(0, 3), dtypes=REAL)
for name in ["max", "min", "argmax", "argmin", "amax", "amin"]:
    table.case("empty", f"ow.{name}(a)", a=real(0, 3), raises=True, says=name)
    table.case("empty", f"ow.{name}(a, 0)", a=real(0, 3), raises=True, says=name)

# Options of single operators
table.many(
    "sum",
    """ow.sum(a, dtype=ow.float64)
    ow.sum(a, 0, dtype=ow.float32)
    a.sum([0, 1])
    a.sum(())
    a.sum([])
    a.sum(axis=1)
    a.sum(dim=(1,), keepdim=True)
    ow.sum(input=a, dim=1)
    a.mean(dtype=ow.float64)
    a.mean((0, 1), True)
    ow.mean(a.int(), dtype=ow.float32)
    a.prod(dtype=ow.float64)
    a.prod(1, True)
    o = ow.empty(0, dtype=a.dtype); (ow.sum(a.detach(), 0, out=o) is o, o)
    o = ow.empty(0, dtype=a.dtype); (ow.mean(a.detach(), 0, out=o) is o, o)
    o = ow.empty(0, dtype=a.dtype); (ow.amax(a.detach(), 0, out=o) is o, o)
    a.expand(3, 2, 3).sum(0)""",
    a=real(2, 3),
)
table.case("sum", "ow.sum(a)", a=real(1000), dtypes=FLOATS, tol=4)
table.case("sum", "ow.sum(a, 0)", a=real(130, 5), dtypes=REAL)
table.case("sum", "ow.sum(a)", a=lit([120, 120, 120], "int8"))
table.case("sum", "ow.sum(a)", a=lit([2**62, 2**62], "int64"))
table.case("sum", "ow.sum(a, dtype=ow.int8)", a=lit([120, 120], "int8"))
table.case("sum", "ow.sum(a)", a=mask(2, 3))
table.case("sum", "ow.full((100000,), 0.1).sum().sub(10000).abs() < 0.5")
table.case("sum", "ow.full((4096,), 1.0, dtype=ow.float16).sum()")
table.case("sum", "ow.full((4096,), 1.0, dtype=ow.bfloat16).sum()")
table.case("prod", "ow.prod(a)", a=lit([2.0, 0.0, 3.0]))
table.case("prod", "ow.prod(a, 0)", a=lit([[2.0, 0.0, 3.0], [0.0, 0.0, 4.0]]))
table.case("prod", "ow.prod(a)", a=lit([0.0, 2.0, float("inf")]))
table.case("prod", "ow.prod(a, 0)", a=lit([0.0, 0.0, float("inf")]))
table.case("prod", "ow.prod(a)", a=lit([100, 100, 100], "int8"))
table.case("prod", "ow.prod(a, 1)", a=real(2, 3), dtypes=INTS)
for name in ("max", "min"):
    table.many(
        name,
        f"""r = ow.{name}(a, 1); (r.values, r.indices)
        values, indices = a.{name}(dim=0, keepdim=True); (values, indices)
        r = a.{name}(0); (r[0], r[1], len(r))
        type(a.{name}(0)).__name__
        ow.{name}(a, b)
        a.{name}(b)
        ow.{name}(a, other=b)""",
        a=distinct(3, 4), b=distinct(4),
    )  # fmt: skip
TIES = lit([[3.0, 1.0, 3.0], [1.0, 1.0, 0.0]])
for name in ["amax", "amin", "max", "min", "argmax", "argmin"]:
    table.case(name, f"ow.{name}(a)", a=TIES)
    table.case(name, f"ow.{name}(a, 1)", a=TIES, grad="arg" not in name)
for code in (
    "a.argmax(0, keepdim=True)",
    "a.argmax(dim=None)",
    "ow.argmin(a, dim=-1)",
    "a.amax((0, 1))",
    "a.amin()",
    "a.any(1, True)",
    "a.all(dim=0)",
    "ow.any(a > 0)",
    "ow.all(a > 0, 0)",
    "a.any((0, 1))",
):
    table.case("extremes", code, a=distinct(3, 4))
table.case("any", "a.any()", a=real(2, 3), dtypes=("uint8", "bool", "float32"))
table.case("all", "a.all()", a=lit([1, 0], "uint8"))

VAR = """({0}, correction=0)|({0}, correction=2)|({0}, unbiased=False)|({0}, 1, unbiased=False)
({0}, 1, correction=0, keepdim=True)|({0}, (0, 1), unbiased=True)|({0}, dim=None)|({0}, 0, True)
({0}, False)|({0}, [0], False, True)|({0}, 1, correction=1.5)"""
for name in ("var", "std"):
    for arguments in VAR.replace("\n", "|").format("a").split("|"):
        table.case(name, f"ow.{name}{arguments}", a=real(3, 4), dtypes=REAL)
    table.many(name, f"ow.{name}(a)\now.{name}(a, 0)\now.{name}(a, 0, correction=0)", a=real(1, 2))
    table.case(name, f"ow.{name}(a)", a=lit([10000.0, 10001.0, 10002.0]), dtypes=REAL)
table.case("var", "ow.var(a, 1)", a=real(3, 130), dtypes=REAL)

NORM = """a.norm()|a.norm(2)|a.norm(1)|a.norm(3)|a.norm(inf)|a.norm(-inf)|a.norm(0)|a.norm(0.5)
a.norm('fro')|a.norm(2, 0)|a.norm(p=1, dim=1)|a.norm(dim=1, keepdim=True)|a.norm(2, (0, 1))
ow.norm(a)|ow.norm(a, 1, 0)|ow.norm(a, dim=0)|ow.norm(a, p='fro', dim=(0, 1))
a.norm(dtype=ow.float64)"""
for code in NORM.replace("\n", "|").split("|"):
    table.case("norm", code, a=real(3, 4), dtypes=REAL)
table.many("norm", "a.norm()\na.norm(1)\na.norm(dim=0)", a=lit([[0.0, 0.0], [0.0, 0.0]]))
table.many("norm", "a.norm()\na.norm(1)\na.norm(inf)", a=real())

LSE = """ow.logsumexp(a, 0)|a.logsumexp(1)|a.logsumexp(-1, keepdim=True)|ow.logsumexp(a, (0, 1))
ow.logsumexp(a, dim=[1])"""
for code in LSE.replace("\n", "|").split("|"):
    table.case("logsumexp", code, a=real(3, 4), dtypes=FLOATS)
table.case("logsumexp", "a.logsumexp(1)", a=real(3, 4), dtypes=INTS)
table.case("logsumexp", "a.logsumexp(0)", a=lit([1000.0, 1000.5, -2000.0]), dtypes=REAL)
table.case("logsumexp", "a.logsumexp(0)", a=lit([float("-inf"), float("-inf")]), dtypes=REAL)
table.case("logsumexp", "a.logsumexp(0)", a=lit(NAN), dtypes=REAL)
table.case("logsumexp", "a.logsumexp(0)", a=real())

# Scans
for name in ("cumsum", "cumprod"):
    domain = real if name == "cumsum" else nonzero
    for code in (f"ow.{name}(a, 0)", f"a.{name}(1)", f"a.{name}(-1)"):
        table.case(name, code, a=domain(2, 3), dtypes=ALL)
        table.case(name, code, a=domain(3, 4, layout="t"), dtypes=REAL)
        table.case(name, code, a=domain(2, 3, 4))
    for code in (
        f"ow.{name}(a, 0, dtype=ow.float64)",
        f"a.{name}(dim=1)",
        f"c = a.clone(); (c.{name}_(0) is c, c)",
    ):
        table.case(name, code, a=domain(2, 3), dtypes=REAL)
    table.case(name, f"ow.{name}(a, 0)", a=domain())
    table.case(name, f"ow.{name}(a, 0)", a=lit(SPECIAL, grad=False), dtypes=REAL)
    table.case(name, f"ow.{name}(a, 0)", a=lit([100, 100, 100], "int8"))
table.case("cumprod", "ow.cumprod(a, 0)", a=lit([2.0, 0.0, 3.0, 4.0]))
table.case("cumprod", "ow.cumprod(a, 0)", a=lit([2.0, 0.0, 3.0, 0.0]))
table.case("cumsum", "ow.cumsum(a, 0)", a=real(70, 2), dtypes=REAL)

# Sorting
SORT = """ow.sort(a)|a.sort(0)|a.sort(-1, descending=True)|a.sort(dim=1, stable=True)
ow.sort(a, stable=True, dim=0)|r = a.sort(); (r.values, r.indices)|ow.argsort(a)|a.argsort(0)
a.argsort(-1, True)|ow.argsort(a, dim=0, descending=True)|ow.topk(a, 2)|a.topk(2, 0)
a.topk(3, dim=1, largest=False)|ow.topk(a, 0)|r = a.topk(1); (r.values, r.indices)|a.t().sort()
a.t().topk(2)|ow.argsort(a, stable=True)"""
for code in SORT.replace("\n", "|").split("|"):
    table.case("sort", code, a=distinct(3, 4), dtypes=REAL)
for code in (
    "ow.sort(a, 0)",
    "ow.sort(a, 0, descending=True)",
    "ow.topk(a, 3, 0)",
    "ow.argsort(a, 0)",
):
    table.case("sort", code, a=distinct(7), dtypes=("float64", "float16", "bfloat16", *INTS))
table.case("sort", "ow.sort(a, stable=True)", a=lit([True, False, True, False], "bool"))
table.case("sort", "ow.sort(a, stable=True)", a=lit([2, 1, 2, 1, 2], "int64"))
table.case("sort", "ow.sort(a, stable=True, descending=True)", a=lit([2, 1, 2, 1, 2], "int64"))
table.case("sort", "ow.argsort(a, stable=True)", a=lit([2.0, 1.0, 2.0, 1.0]))
table.case(
    "sort",
    "ow.sort(a).values",
    a=lit([float("nan"), 1.0, float("inf"), -0.5, float("-inf")]),
    dtypes=FLOATS,
)
table.case(
    "sort",
    "ow.sort(a, descending=True).values",
    a=lit([float("nan"), 1.0, float("inf")]),
    dtypes=REAL,
)
table.case("sort", "ow.topk(a, 2).values", a=lit([float("nan"), 1.0, float("inf")]), dtypes=REAL)
table.many("sort", "ow.sort(a)\now.argsort(a)\now.topk(a, 1)", a=real())
table.case("sort", "ow.sort(a, 0)", a=distinct(127), dtypes=REAL)
table.case("sort", "ow.topk(a, 5, sorted=True)", a=distinct(127), dtypes=REAL)
REPEATED = lit([[3, 1, 2], [1, 3, 3]], "int64")
UNIQUE = """ow.unique(a)|a.unique()|ow.unique(a, return_inverse=True)
ow.unique(a, return_counts=True)
ow.unique(a, sorted=True, return_inverse=True, return_counts=True)|ow.unique(a, dim=0)
ow.unique(a, dim=1, return_inverse=True)"""
for code in UNIQUE.replace("\n", "|").split("|"):
    table.case("unique", code, a=REPEATED)
table.case("unique", "ow.unique(a)", a=small(20), dtypes=ALL)
table.case("unique", "ow.unique(a)", a=lit([1.5, -1.0, 1.5, 0.0]), dtypes=REAL)

"""Linear algebra: products of vectors, matrices and batches, and einsum."""

from reference.samples import FLOATS, INTS, REAL, lit, real
from reference.table import Table

table = Table()

MATMULS = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 4)),
    ((2, 3), (3, 4)),
    ((2, 2, 3), (3, 4)),
    ((2, 3), (2, 3, 4)),
    ((2, 2, 3), (2, 3, 4)),
    ((2, 2, 3), (3,)),
    ((3,), (2, 3, 4)),
    ((5, 1, 2, 3), (2, 3, 4)),
    ((1, 2, 3), (4, 3, 2)),
    ((2, 0), (0, 3)),
    ((0, 3), (3, 2)),
    ((2, 3), (3, 0)),
    ((0, 2, 3), (0, 3, 2)),
    ((2, 0, 3), (3, 2)),
    ((0,), (0,)),
    ((1, 1), (1, 1)),
    ((17, 33), (33, 9)),
]
for left, right in MATMULS:
    table.case("matmul", "ow.matmul(a, b)", a=real(*left), b=real(*right), dtypes=REAL)
for left, right in MATMULS[:7]:
    table.case("matmul", "a @ b", a=real(*left), b=real(*right))
    table.case("matmul", "a.matmul(b)", a=real(*left), b=real(*right))
for name, a, b in (
    ("mm", (2, 3), (3, 4)),
    ("bmm", (2, 2, 3), (2, 3, 4)),
    ("mv", (2, 3), (3,)),
    ("dot", (5,), (5,)),
    ("outer", (2,), (3,)),
):
    table.case(name, f"ow.{name}(a, b)", a=real(*a), b=real(*b), dtypes=FLOATS + INTS)
    table.case(name, f"a.{name}(b)", a=real(*a), b=real(*b), dtypes=REAL)
    out = f"o = ow.empty(0, dtype=a.dtype); (ow.{name}(a, b, out=o) is o, o)"
    table.case(name, out, a=real(*a), b=real(*b), grad=False)
for layouts in (("t", ""), ("", "t"), ("t", "t"), ("s", "o"), ("e", "s"), ("o", "e")):
    left, right = layouts
    table.case(
        "mm", "ow.mm(a, b)", a=real(4, 3, layout=left), b=real(3, 5, layout=right), dtypes=REAL
    )
    table.case(
        "bmm",
        "ow.bmm(a, b)",
        a=real(2, 4, 3, layout=left),
        b=real(2, 3, 5, layout=right),
        dtypes=REAL,
    )
    table.case("mv", "ow.mv(a, b)", a=real(4, 3, layout=left), b=real(3), dtypes=REAL)
    table.case(
        "dot",
        "ow.dot(a, b)",
        a=real(4, layout=left.strip("te")),
        b=real(4, layout=right.strip("te")),
    )
table.many("dot", "ow.dot(a, a)\na @ a\na.outer(a)", a=real(4))
table.case("mm", "ow.mm(a, b)", a=lit([[float("nan"), 0.0], [float("inf"), 1.0]], grad=False),
           b=lit([[1.0, 0.0], [2.0, float("inf")]], grad=False), dtypes=REAL)  # fmt: skip
table.case("mm", "ow.mm(a, b)", a=real(40, 130), b=real(130, 33), dtypes=REAL, tol=4, grad=False)

AFFINE = {"m": real(2, 4), "v": real(4), "a": real(2, 3), "b": real(3, 4)}
table.many(
    "addmm",
    """ow.addmm(m, a, b)
    ow.addmm(v, a, b)
    ow.addmm(m[:, :1], a, b)
    ow.addmm(m[0, 0], a, b)
    ow.addmm(m, a, b, beta=0.5, alpha=2)
    ow.addmm(m, a, b, beta=0)
    ow.addmm(m, a, b, alpha=0)
    m.addmm(a, b)
    m.addmm(a, b, beta=2)
    c = m.clone(); (c.addmm_(a, b) is c, c)
    ow.addmm(m, a[:, :0], b[:0])
    ow.addmm(m, a[:, :0], b[:0], beta=3)
    ow.addmm(m, b.t()[:2, :3], b)
    ow.addmm(m.detach() * float('nan'), a, b, beta=0)
    F.linear(a, b.t())
    F.linear(a, b.t(), v)
    F.linear(a[0], b.t(), v)
    F.linear(a[None, None], b.t(), v)
    F.linear(a, b[:, 0])
    F.linear(a[:0], b.t(), v)
    F.linear(a.t().contiguous().t(), b.t().contiguous(), v)
    F.linear(input=a, weight=b.t(), bias=None)""",
    dtypes=REAL, **AFFINE,
)  # fmt: skip
table.case("addmm", "ow.addmm(m, a, b)", dtypes=(*FLOATS, *INTS), **AFFINE)
table.case("linear", "F.linear(a, b.t(), v)", dtypes=FLOATS, **AFFINE)
for options in ("", ", beta=0.5, alpha=2"):
    batch = {"a": real(2, 2, 3), "b": real(2, 3, 4), "m": real(2, 2, 4)}
    table.case("baddbmm", f"ow.baddbmm(m, a, b{options})", **batch)

EINSUM = {
    "ij,jk->ik": ("a", "b"),
    "ij,jk": ("a", "b"),
    "ij->ji": ("a",),
    "ij->": ("a",),
    "ij->i": ("a",),
    "ij->j": ("a",),
    "ii->i": ("s",),
    "ii": ("s",),
    "i,j->ij": ("v", "w"),
    "i,i->": ("v", "v"),
    "ij,ij->ij": ("a", "a"),
    "ij,j->i": ("a", "v"),
    "bij,bjk->bik": ("x", "y"),
    "bij,bjk->ik": ("x", "y"),
    "bij,kj->bik": ("x", "a"),
    "bij->jbi": ("x",),
    "...ij,...jk->...ik": ("x", "y"),
    "...i->...": ("x",),
    "i...->...i": ("x",),
    "ij, jk -> ik": ("a", "b"),
    "ij,jk,kl->il": ("a", "b", "b.t()"),
    "i,ij,j->": ("a[:, 0]", "a", "v"),
    "bhqd,bhkd->bhqk": ("x[None]", "x[None]"),
    "a,b,c->abc": ("v", "w", "v"),
    "Ab,bC->AC": ("a", "b"),
    "ij,kj->": ("a", "a"),
}
EINSUM_INPUTS = {
    "a": real(2, 3),
    "b": real(3, 4),
    "s": real(3, 3),
    "v": real(3),
    "w": real(4),
    "x": real(2, 4, 3),
    "y": real(2, 3, 2),
}
for equation, operands in EINSUM.items():
    used = {name: EINSUM_INPUTS[name] for name in sorted({o[0] for o in operands})}
    table.case("einsum", f"ow.einsum('{equation}', {', '.join(operands)})", dtypes=REAL, **used)
table.case("einsum", "ow.einsum('ij,jk->ik', [a, b])", a=real(2, 3), b=real(3, 4))
table.case("einsum", "ow.einsum(a, [0, 1], b, [1, 2], [0, 2])", a=real(2, 3), b=real(3, 4))

NORMS = {
    "a": (real(3), "", "0", "1.5", "float('-inf')", "2, [0]", "dtype=ow.float64"),
    "b": (
        real(2, 3),
        "",
        "2",
        "'fro'",
        "'nuc'",
        "float('inf'), keepdim=True",
        "-1, (1, 0)",
        "3, 1",
    ),
    "c": (
        real(2, 3, 2),
        "",
        "dim=(0, 1)",
        "1, (0, 2), True",
        "None, 0",
        "'nuc', [1, 2]",
        "ord=4, dim=-1",
    ),
    "d": (real(), ""),
}
for x, (given, *calls) in NORMS.items():
    for arguments in calls:
        code = f"ow.linalg.norm({x}, {arguments})".replace(", )", ")")
        table.case("linalg.norm", code, tol=4, grad=arguments != "0", **{x: given})
table.case(
    "linalg.norm",
    "o = ow.empty(0, dtype=a.dtype); (ow.linalg.norm(input=a, out=o) is o, o)",
    a=real(3),
    grad=False,
)
for x, given, arguments in (
    ("a", real(3), "'fro'"),
    ("b", real(2, 3), "'bad'"),
    ("b", real(2, 3), "3"),
    ("b", real(2, 3), "dim=()"),
    ("c", real(2, 3, 2), "2"),
    ("c", real(2, 3, 2), "'fro'"),
    ("c", real(2, 3, 2), "None, (0, 1, 2)"),
    ("c", real(2, 3, 2), "'fro', 0"),
    ("d", real(), "1"),
):
    code = f"ow.linalg.norm({x}, {arguments})"
    table.case("linalg.norm", code, grad=False, raises=True, **{x: given})

for call, inputs in (
    ("cross(a, a.flip(0))", {"a": real(2, 3)}),
    ("cross(b, c, dim=0)", {"b": real(3, 2), "c": real(3, 1)}),
    ("diagonal(a, offset=1)", {"a": real(2, 3)}),
    ("diagonal(d)", {"d": real(2, 3, 2)}),
    ("diagonal(d, dim1=0, dim2=1)", {"d": real(2, 3, 2)}),
    ("matmul(a, a.mT)", {"a": real(2, 3)}),
    ("matmul(a, a.mT, out=ow.empty(0, dtype=a.dtype))", {"a": real(2, 3)}),
):
    table.case("linalg", f"ow.linalg.{call}", grad="out=" not in call, **inputs)
table.case("linalg", "ow.linalg.cross(a[0], a)", a=real(2, 3), grad=False, raises=True)
table.case("linalg", "ow.linalg.cross(a, a, dim=0)", a=real(2, 3), grad=False, raises=True)

"""Indexing: `[]` for reading and assignment, and the operators that take indices or masks."""

import ast

from reference.samples import ALL, F32, REAL, index, lit, mask, real
from reference.table import Table

table = Table()

CUBE = {
    "a": real(3, 4, 5),
    "i": index(3, 2),
    "j": index(3, 2),
    "k": index(3, 2, 2),
    "m": mask(3),
    "n": mask(3, 4),
    "w": mask(3, 4, 5),
}
BASIC = """1|-1|1, 2|1, 2, 3|:|::2|1:|:-1|-2:|5:|1:1|2:1|:, 1|:, 1:3|:, ::2, ::3|..., 1|1, ...
...|..., 0:2|0, ..., 1|:, ..., 2|None|None, 1|:, None|..., None|1, None, 2
None, None, ..., 1:3, None|(1, 2)|()|slice(1, 3)|slice(None), 2|True|False|1:100|-100:2
None, :, None, ::2|..., -1:|np.int64(1)|ow.tensor(2)|ow.tensor(1), 2|1:ow.tensor(3)|-1, -1, -1
0:3:2, 1:4:2, 0:5:4|:, -2|..., None, 0"""
TENSORS = """i|i, j|k|:, i|..., i|i, :, j|:, i, j|i, 1|1, i|1:, i|i, 1:|i, ..., j|None, i
i, None|:, None, i|k, i|i, k, 0|[0, 2]|[0, 2], [1, 1]|[[0, 1], [1, 2]]|[0, 2], :, [1]|[1, -1]
:, [3, 0]|m|n|w|m, 1|m, 1:3|m, ..., 0|m, None|:, ow.tensor([True, False, True, True])
[True, False, True]|a > 0|ow.tensor([], dtype=ow.int64)|ow.tensor([-1, -3])
ow.tensor([[0], [1]]), ow.tensor([0, 1])|i.int()|1, :, i|i, 1, j|i, None, j|0, k
np.array([0, 2])|ow.zeros(3, dtype=ow.bool)|ow.tensor(True)|range(2)|i[:1], :, i|[0], [1], [2]
m, m.nonzero()[:, 0]|..., i, 0|i, 1, 1:|:, i, None, j|None, i, 1:, j"""


def split(text):
    """The cases of a table written with bars and line ends between them."""
    return [code.strip() for code in text.replace("\n", "|").split("|")]


def used(code, samples):
    """The samples whose names appear in the code."""
    names = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    return {name: sample for name, sample in samples.items() if name in names}


for code in split(BASIC):
    table.case("getitem", f"a[{code}]", view=True, a=CUBE["a"])
for code in split(TENSORS):
    table.case("getitem", f"a[{code}]", **used(f"a[{code}]", CUBE))
table.many(
    "getitem",
    "a[()]\na[...]\na[None]\na[..., None]\na[True]\na[None, None]\na[ow.tensor(True)]",
    view=True,
    a=real(),
)
table.many(
    "getitem",
    "a[0:0]\na[:, 1]\na[ow.zeros(0, dtype=ow.bool)]\na[ow.tensor([], dtype=ow.int64)]\na[None]",
    a=real(0, 3),
)
for code in ("a[1]", "a[:, 1:]", "a[i]", "a[i, j]", "a[n]", "a[..., 0]"):
    table.case(
        "getitem", code, a=real(3, 4), i=index(3, 2), j=index(4, 2), n=mask(3, 4), dtypes=ALL
    )
table.many(
    "getitem",
    "a[1]\na[i]\na[:, i]\na[n]\na[1:, ::2]",
    a=real(4, 3, layout="t"),
    i=index(3, 2),
    n=mask(4, 3),
)
table.many(
    "getitem",
    "a[i].t()\n(a[i] * a[i]).sum()\na[1][i]\na[:, 1][i]\na[i][:, i]",
    a=real(3, 3),
    i=index(3, 4),
)
table.case("getitem", "a[i]", a=real(70, 3), i=index(70, 33), dtypes=REAL)

# Assignment: the answer is the changed tensor
VALUES = """a[0] = 5|a[0] = v[0, 0]|a[1, 2] = 7.5|a[:, 1] = 0|a[::2] = v[:2]|a[...] = 1
a[:] = v[0]|a[1:1] = 3|a[None, 1] = v[:1]|a[..., -1] = 2|a[-1, -2:] = v[0, :2]
a[0:2, 1:3] = v[:2, :2]|a[1] = a[0]|a[:, 0] = a[:, 1]|a[:-1] = a[1:].clone()|a[True] = 4
a[()] = 4|a[i] = 1|a[i] = v[0]|a[i] = v[:2]|a[i, j] = 9|a[i, j] = v[0, :2]|a[:, i] = 3
a[:, i] = v[:, :2]|a[i, 1:] = v[0, 1:]|a[[0, 2]] = 6
a[[0, 2], [1, 3]] = ow.tensor([1.0, 2.0], dtype=a.dtype)|a[i, None] = 2|a[1, i] = 8
a[ow.tensor(1)] = 5|a[m] = 1|a[m] = v[0]|a[n] = 0|a[n] = -1.5|a[m, 1] = 4|a[a > 0] = 0
a[a < 0] = a[a < 0].abs()|a[n] = ow.arange(n.sum().item(), dtype=a.dtype)|a[~n] *= 2|a[0] += 1
a[:, 1] -= v[:, 0]|a[i] *= 2|a[1:, ::2] /= 4|a[ow.zeros(3, dtype=ow.bool)] = 1
a[0] = ow.tensor(3)|a[0] = True|a[0] = ow.tensor([1, 2, 3, 4])|a[0] = np.float64(2.5)
a[..., None] = 1|a[[]] = 1|a[i] = ow.tensor(2.0, dtype=a.dtype)|a[0][1] = 3|a[1:][0, 0] = 3
a.t()[0] = 5|a[0, 0] = a[1, 1]|a[:2, i] = v[:2, :2]|a[i, :2] = v[:2, :2]|a[n.t().t()] = 3"""
ASSIGNED = {
    "a": real(3, 4),
    "v": real(3, 4),
    "i": lit([2, 0], "int64"),
    "j": lit([1, 3], "int64"),
    "m": mask(3),
    "n": mask(3, 4),
}
for code in split(VALUES):
    dtypes = REAL if "/=" in code else ("float64", "float32", "int64")
    table.case("setitem", f"a = a.clone(); {code}; a", dtypes=dtypes, **used(code, ASSIGNED))
for key in ("()", "...", "True", "False", "None"):
    table.case("setitem", f"a = a.clone(); a[{key}] = 3; a", a=real())
table.case("setitem", "a = a.clone(); a[n] = 1; a", a=real(2, 3), n=mask(2, 3), dtypes=ALL)

# Selecting and scattering
INDEXED = {"a": real(4, 3), "i": index(4, 5), "s": real(5, 3)}
table.many(
    "index_select",
    """ow.index_select(a, 0, i)
    a.index_select(0, i)
    a.index_select(-2, i.int())
    ow.index_select(a, 1, i % 3)
    ow.index_select(a, dim=0, index=i[:0])
    ow.index_select(a, 0, i[0])
    ow.index_select(a[0, 0], 0, i[:1] * 0)
    ow.index_select(a.t(), 1, i)""",
    **INDEXED,
)
table.many(
    "index_add",
    """ow.index_add(a, 0, i, s)
    a.index_add(0, i, s, alpha=2)
    ow.index_add(a, 1, ow.tensor([2, 0]), s[:4, :2])
    c = a.clone(); (c.index_add_(0, i, s) is c, c)
    c = a.clone(); c.index_add_(-1, ow.tensor([1, 1, 1]), s[:4], alpha=-1); c
    ow.index_add(a, 0, i[:0], s[:0])""",
    **INDEXED,
)
table.case("index_select", "ow.index_select(a, 0, i)", a=real(4, 3), i=index(4, 5), dtypes=ALL)
table.case(
    "index_add", "ow.index_add(a, 0, i, s)", a=real(4, 3), i=index(4, 5), s=real(5, 3), dtypes=ALL
)
PUT = {
    "a": real(3, 4),
    "i": lit([2, 0], "int64", grad=False),
    "j": lit([1, 3], "int64", grad=False),
    "v": real(2),
}
table.many(
    "index_put",
    """ow.index_put(a, (i, j), v)
    a.index_put((i, j), v)
    a.index_put([i], v[0])
    a.index_put((i,), v[:, None])
    a.index_put((i, j), v, accumulate=True)
    a.index_put((i * 0, j * 0), v, accumulate=True)
    a.index_put((i * 0, j * 0), v[0], accumulate=True)
    c = a.clone(); (c.index_put_((i, j), v) is c, c)
    c = a.clone(); c.index_put_((a > 0,), v[0]); c
    c = a.clone(); c.index_put_((i,), ow.ones(4, dtype=a.dtype), accumulate=True); c
    c = a.clone(); c.index_put_((ow.tensor([[0], [1]]), j), v); c""",
    **PUT,
)
table.case("index_put", "ow.index_put(a, (i, j), v, accumulate=True)", dtypes=ALL, **PUT)
GATHER = {"a": real(3, 4), "i": index(3, 2, 4), "j": index(4, 3, 2)}
table.many(
    "gather",
    """ow.gather(a, 0, i)
    ow.gather(a, 1, j)
    a.gather(-1, j)
    ow.gather(input=a, dim=0, index=i[:, :2])
    ow.gather(a, 0, i[:0])
    ow.gather(a[0, 0], 0, i[0, 0] * 0)
    ow.gather(a.t(), 0, j.t())
    ow.take_along_dim(a, i, 0)
    ow.take_along_dim(a, j, dim=1)
    ow.take_along_dim(a, i)
    a.take_along_dim(a.argsort(1), 1)
    ow.take_along_dim(a, j[:1], 1)""",
    **GATHER,
)
table.case("gather", "ow.gather(a, 0, i)", dtypes=ALL, **GATHER)
table.case("take_along_dim", "ow.take_along_dim(a, j, 1)", dtypes=ALL, **GATHER)
PERM = lit([[0, 2, 1, 0], [1, 0, 2, 2]], "int64", grad=False)
SCATTER = {"a": real(3, 4), "i": PERM, "j": index(4, 3, 2), "s": real(3, 4)}
table.many(
    "scatter",
    """ow.scatter(a, 0, i, s)
    ow.scatter(a, 0, i, s[:2])
    ow.scatter(a, 0, i, 7)
    ow.scatter(a, 0, i, value=-1.5)
    a.scatter(0, i[:1], s)
    a.scatter(-2, i[:, :2], s)
    a.scatter(0, i[:0], s)
    c = a.clone(); (c.scatter_(0, i, s) is c, c)
    c = a.clone(); (c.scatter_(0, i, 2) is c, c)
    c = ow.zeros(3, 4, dtype=a.dtype); c.scatter_(1, j[:, :1], 1); c
    ow.scatter_add(a, 0, i, s)
    ow.scatter_add(a, 1, j, s)
    a.scatter_add(0, i * 0, s)
    a.scatter_add(1, j[:2], s)
    c = a.clone(); (c.scatter_add_(0, i, s) is c, c)
    ow.scatter(a, 0, i, s.detach(), reduce='add')
    ow.scatter(a, 0, i, s.detach(), reduce='multiply')""",
    **SCATTER,
)
table.case("scatter", "ow.scatter(a, 0, i, s)", dtypes=ALL, **SCATTER)
table.case("scatter", "ow.scatter(a, 0, i, 1)", dtypes=ALL, **SCATTER)
table.case("scatter_add", "ow.scatter_add(a, 0, i, s)", dtypes=ALL, **SCATTER)

MASKED = {"a": real(3, 4), "b": real(3, 4), "m": mask(3, 4), "n": mask(4)}
table.many(
    "masked",
    """ow.masked_fill(a, m, 0)
    a.masked_fill(m, 2.5)
    a.masked_fill(n, -inf)
    a.masked_fill(m, b[0, 0])
    a[:1].masked_fill(m, 1)
    a.masked_fill(~m, ow.tensor(3))
    c = a.clone(); (c.masked_fill_(m, 1) is c, c)
    c = a.clone(); c.masked_fill_(n, b[0, 0].detach()); c
    c = a.clone(); c.t().masked_fill_(m.t(), 1); c
    ow.masked_select(a, m)
    a.masked_select(n)
    ow.masked_select(a, ~(m | ~m))
    ow.masked_select(a[0, 0], ow.tensor(True))
    ow.masked_select(a[:, :1], m)
    ow.where(m, a, b)
    ow.where(n, a, b)
    a.where(m, b)
    ow.where(m, a, 0)
    ow.where(m, 1.5, a)
    ow.where(a > 0, a, b[0])
    ow.where(m, a[0, 0], b)
    ow.where(m, 1, 0)
    ow.where(m, 1.0, 2)
    ow.where(m.t(), a.t(), b.t())
    ow.where(m, a, b.float())
    ow.where(m[:0], a[:0], b[:0])
    ow.where(condition=m, input=a, other=b)
    ow.where(m)
    ow.nonzero(m)
    m.nonzero()
    ow.nonzero(m, as_tuple=True)
    m.nonzero(as_tuple=True)
    ow.nonzero(a > 100)
    ow.nonzero(m[0, 0])
    ow.nonzero(ow.tensor(5))
    ow.nonzero(ow.tensor(0))
    ow.nonzero(m.t())
    ow.nonzero(m[:0])""",
    **MASKED,
)
for code in (
    "ow.masked_fill(a, m, 1)",
    "ow.masked_select(a, m)",
    "ow.where(m, a, b)",
    "ow.nonzero(a)",
    "ow.where(m, a, 1)",
):
    table.case("masked", code, dtypes=ALL, **MASKED)
table.case("masked", "ow.nonzero(a)", a=lit([0.0, -0.0, 1.5, float("nan")]), dtypes=F32)
table.many(
    "fill",
    """c = a.clone(); (c.fill_(3) is c, c)
    c = a.clone(); c.fill_(ow.tensor(2.5, dtype=a.dtype)); c
    c = a.clone(); c.fill_(float('nan')); c
    c = a.clone(); (c.zero_() is c, c)
    c = a.clone(); c[:, ::2].fill_(1); c
    c = a.clone(); c.t().zero_(); c""",
    a=real(3, 4),
)

"""Errors of indices that name no place: every operator that takes any, too far on either side."""

from reference.samples import real
from reference.table import Table, error_cases

table = Table(raises=True, grad=False)

# I is a vector of one index, J the same as a matrix; each operand has less than 7 places.
OUTSIDE = """
    ow.index_select(a, 0, I)
    ow.index_select(a, 0, I.to(ow.int32))
    ow.index_select(a[0], 0, I)
    ow.gather(a, 0, J)
    ow.gather(a, 1, J)
    ow.take(a, I)
    ow.take(a, J)
    ow.take_along_dim(a, I)
    a.index_fill(0, I, 2.0)
    a.index_fill_(1, I, 2.0)
    a.index_fill(0, I, ow.tensor(2.0))
    a[0].index_fill(0, I, 2.0)
    a[0, 0].index_fill(0, I, 2.0)
    a.index_add(0, I, a[:1])
    a.index_add(1, I.to(ow.int32), a[:, :1])
    a.index_add_(1, I, a[:, :1].clone())
    a[0].index_add(0, I, a[0, :1])
    a[0, 0].index_add(0, I, a[0, 0])
    a.index_copy(0, I, a[:1])
    a.index_copy_(1, I, a[:, :1].clone())
    a[0].index_copy(0, I, a[0, :1])
    a[0, 0].index_copy(0, I, a[0, :1])
    a.scatter(0, J, a)
    a.scatter_(1, J, a.clone())
    a.scatter_(1, J, 2.0)
    a.scatter_(1, J, a.clone(), reduce='add')
    a.scatter_(1, J, 2.0, reduce='multiply')
    a.scatter_add(0, J, a)
    a.scatter_add_(1, J, a.clone())
    a[I]
    a[:, I]
    a[I, I]
    a[I] = 2.0
    a[:, I] = 2.0
    a[:, I] = a[:, :1].clone()
    a.index_put((I,), a[0, :1])
    a.index_put_((I, I), a[0, :1].clone())
    a.index_put_((I,), a[0, :1].clone(), accumulate=True)
    a[int(I)]
    a[:, int(I)]
    a.select(0, int(I))
    ow.narrow(a, 0, int(I), 1)
    ow.narrow(a, 0, I[0], 1)
    F.embedding(I, a)
    F.embedding(J, a)
    F.one_hot(I, 3)
    F.nll_loss(a, I.expand(2))
    F.cross_entropy(a, I.expand(2))
"""
# Where indices do not count from the end.
NEGATIVE = """
    ow.index_select(a, 0, I)
    ow.gather(a, 0, J)
    a.index_add(0, I, a[:1])
    a.index_add(1, I.to(ow.int32), a[:, :1])
    a[0].index_add(0, I, a[0, :1])
    a.index_copy(0, I, a[:1])
    a.index_copy_(1, I, a[:, :1].clone())
    a[0].index_copy(0, I, a[0, :1])
    a[0, 0].index_copy(0, I, a[0, :1])
    a.scatter(0, J, a)
    a.scatter_(1, J, a.clone())
    a.scatter_(1, J, 2.0)
    a.scatter_(1, J, 2.0, reduce='multiply')
    a.scatter_add(0, J, a)
    F.embedding(I, a)
    F.one_hot(I)
    F.one_hot(I, 3)
    F.nll_loss(a, I.expand(2))
    F.cross_entropy(a, I.expand(2))
"""
for index, lines in ((7, OUTSIDE), (-8, OUTSIDE), (2**30, OUTSIDE), (-1, NEGATIVE)):
    before = f"I = ow.tensor([{index}]); J = I[None]"
    named = "\n".join(f"{line}  # {index}" for line in lines.strip().splitlines())
    error_cases(table, f"index {index}", named, before, a=real(2, 3))

"""Errors of arguments: wrong types, missing, unknown and superfluous ones, unsupported dtypes."""

from reference.samples import index, mask, real
from reference.table import Table, error_cases

table = Table(raises=True, grad=False)
error_cases(
    table,
    "arguments",
    """ow.add(a)  # add other
    ow.add()  # add
    ow.add(a, a, a)  # add
    ow.add(a, a, 1, 2, 3)  # add
    ow.add(a, 'x')  # add
    ow.add('x', a)  # add
    ow.add(a, None)  # add
    ow.add(a, [1, 2])  # add
    ow.add(a, a, beta=2)  # add beta
    ow.add(a, a, aplha=2)  # add aplha
    ow.add(a, a, alpha='x')  # add
    ow.add(a, a, alpha=None)  # add
    ow.add(a, other=a, input=a)  # add
    a.add()  # add
    a.add(a, a)  # add
    a.add(a, foo=1)  # add foo
    ow.exp()  # exp
    ow.exp(1.5)  # exp
    ow.exp(a, a)  # exp
    ow.exp([1.0])  # exp
    ow.exp(a, foo=1)  # exp foo
    a.exp(1)  # exp
    ow.sum('x')  # sum
    ow.sum(a, dim='x')  # sum
    ow.sum(a, 0.5)  # sum
    ow.sum(a, dims=0)  # sum dims
    a.sum(keepdim=True, dims=1)  # sum dims
    a.sum(0, keepdim=3)  # sum keepdim
    a.view()  # view
    a.view('x')  # view
    a.view(2.5)  # view
    a.reshape(2, 'x')  # reshape
    a.transpose(0)  # transpose
    a.transpose(0, 1, 2)  # transpose
    a.permute('x')  # permute
    a.expand()  # expand
    ow.zeros('x')  # zeros
    ow.zeros(2.5)  # zeros
    ow.zeros(2, 3.5)  # zeros
    ow.zeros(2, dtype='float32')  # zeros dtype
    ow.zeros(2, dtype=3)  # zeros dtype
    ow.zeros(2, device=3.5)  # zeros device
    ow.zeros(2, foo=1)  # zeros foo
    ow.full((2,))  # full
    ow.full((2,), 'x')  # full
    ow.arange()  # arange
    ow.arange('x')  # arange
    ow.arange(1, 2, 3, 4)  # arange
    ow.eye('x')  # eye
    ow.tensor()  # tensor
    ow.tensor([1, 2], foo=1)  # foo
    ow.cat(a)  # cat
    ow.cat([a, 1])  # cat
    ow.cat([1, 2])  # cat
    ow.stack(a, 'x')  # stack
    ow.where(1, a, a)  # where
    ow.clamp(a, 'x')  # clamp
    ow.matmul(a, 2)  # matmul
    ow.nn.functional.linear(a)  # linear weight
    ow.nn.functional.conv2d(a)  # weight
    ow.nn.functional.softmax(a, 'x')  # softmax
    ow.nn.functional.gelu(a, approximate=1)  # gelu approximate
    a.foo  # foo
    a.foo()  # foo
    ow.nosuchoperator  # nosuchoperator
    a + 'x'
    'x' + a
    a + None
    a @ 2
    a + [1, 2]
    a < 'x'
    a['x']
    a[1.5]
    a.item(1, 2, 3)  # item
    a.requires_grad_('x')  # requires_grad_
    ow.Size(['x'])
    ow.device('nosuch')  # nosuch
    a.to('nosuch')
    a.type('nosuch')""",
    a=real(2, 3),
)
INTEGERS = {"i": index(5, 2, 3), "m": mask(2, 3)}
error_cases(
    table,
    "dtypes",
    """i.mean()  # mean
    i.var()
    i.std()
    ow.exp(i, out=ow.zeros(2, 3, dtype=ow.int64))
    i.exp_()
    i.div_(2)
    i.add_(1.5)
    i.sqrt_()
    i.requires_grad_()
    ow.tensor([1], requires_grad=True)
    ow.zeros(2, dtype=ow.int64, requires_grad=True)
    m - m
    -m
    ~i.double()
    i.double() & i
    i.double() << 1
    i.softmax(0)
    F.softmax(i, 0)
    F.gelu(i)
    F.dropout(i, 0.5)
    F.layer_norm(i, (3,))
    F.linear(i, ow.ones(2, 3))
    i @ ow.ones(3, 2)
    i.float() @ ow.ones(3, 2, dtype=ow.float64)
    ow.dot(i[0], i[0].double())
    ow.mm(m, m.t())
    ow.lerp(i.double(), i.float(), 0.5)
    ow.addmm(i, i.float(), i.t().float())
    ow.rand(2, dtype=ow.int64)
    ow.randn(2, dtype=ow.int64)
    ow.randn_like(i)
    i.normal_()
    i.uniform_()
    ow.bernoulli(i)
    ow.empty(2, dtype=ow.int32).normal_()
    i.norm()
    ow.nn.Parameter(i)
    F.mse_loss(m, m)
    m.sum(dtype='x')
    ow.where(m, i, 'x')
    i[m.float()]
    F.embedding(m, ow.ones(3, 2))
    F.cross_entropy(i, i[:, 0])
    F.nll_loss(i, i[:, 0])
    ow.add(m, m, alpha=1.5)
    ow.add(i, i, alpha=1.5)
    ow.add(i.double(), 1, out=i)
    ow.ones(2, requires_grad=True).numpy()
    ow.set_default_dtype(ow.int64)
    ow.set_default_dtype('x')
    ow.finfo(ow.int32)
    ow.iinfo(ow.float32)
    i.bool().add_(2.5)
    bool(i)  # ambiguous
    float(i)
    int(i)
    i.item()
    if i: pass
    ow.tensor([1.5, 2.5]).item()
    bool(ow.ones(0, 2, 3)[0:0].view(0, 6))
    range(ow.tensor(1.5))
    [1, 2, 3][ow.tensor(1.0)]
    [1, 2, 3][ow.tensor([1, 2])]
    hex(ow.tensor(1.5))
    i.tolist(3)""",
    **INTEGERS,
)

"""Errors that a user can make from Python: the exception's type, and words that its text must hold."""

from reference.samples import index, mask, real
from reference.table import Table

table = Table(raises=True, grad=False)
M = dict(a=real(2, 3))
PAIR = dict(a=real(2, 3), b=real(4, 5))


def errors(topic, lines, **inputs):
    """One error per line: `code # words of the text`."""
    for line in filter(None, map(str.strip, lines.splitlines())):
        code, _, says = line.partition("  # ")
        table.case(topic, code.strip(), says=says, **inputs)


errors(
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
    **M,
)
errors(
    "shapes",
    """a + b  # 3 5
    ow.add(a, b)  # 3 5
    a * b  # 3 5
    a < b  # 3 5
    ow.maximum(a, b)  # 3 5
    ow.where(a > 0, a, b)
    ow.add(a, b, alpha=2)
    a.add_(b)
    ow.ones(3, dtype=a.dtype).add_(a)
    ow.ones((), dtype=a.dtype).add_(a)
    a[0].mul_(a)
    a.copy_(b)
    a[0] = b
    a[:, :2] = a
    a @ b  # 2x3 4x5
    ow.mm(a, b)
    ow.mm(a, a)
    ow.mm(a[0], a)
    ow.mm(a[None], a)
    ow.bmm(a, b)
    ow.bmm(a[None], b[None])
    ow.mv(a, b[0])
    ow.mv(a, a)
    ow.dot(a[0], b[0])
    ow.dot(a, a)
    ow.outer(a, b)
    ow.addmm(a, a, b)
    ow.addmm(b, a, a.t())
    ow.matmul(a, ow.tensor(1.0, dtype=a.dtype))
    ow.einsum('ij,jk->ik', a, b)
    ow.einsum('ij', a, b)
    ow.einsum('ij->k', a)
    ow.einsum('ijk', a)
    ow.nn.functional.linear(a, b)
    ow.nn.functional.linear(a, a, b)
    ow.cat([a, b])
    ow.cat([a, b], 1)
    ow.cat([a, a[0]])
    ow.cat([])
    ow.stack([a, b])
    ow.stack([])
    a.view(5)  # view
    a.view(-1, 4)
    a.view(-1, -1)
    a.view(7, -1)
    a.view(-2, 3)
    a.t().view(6)
    a.reshape(5)
    a.reshape(-1, -1)
    a.reshape(4, -1)
    a.reshape(-2)
    ow.zeros(0, 3).reshape(0, -1)
    a.expand(3, 3)
    a.expand(3)
    a.expand(2, -1, 3, 3)
    a.expand(-1, 2, 3)
    a.repeat(2)
    a.unflatten(1, (2, 2))
    a.unflatten(1, ())
    a.split([1, 2])
    a.split(-1)
    a.split(0)
    a.chunk(0)
    ow.zeros(()).unbind()
    a.flatten(1, 0)
    a[None].t()
    a.permute(0)
    a.permute(0, 0)
    a.permute(0, 1, 2)
    a.transpose(0, 2)
    a.as_strided((2, 2), (1,))
    a.as_strided((10, 10), (1, 1))
    a.as_strided((2,), (-1,))
    a.diagonal(0, 0, 0)
    a.flip(0, 0)
    a.roll(1, (0, 1))
    a.squeeze((0, 0))
    a.sum((0, 0))
    a[0].tril()
    ow.full((2,), ow.ones(2))
    ow.zeros(-1)
    ow.zeros(2, -3)
    ow.eye(-1)
    ow.eye(2, -1)
    ow.arange(0, 5, -1)
    ow.arange(0, 5, 0)
    ow.arange(5, 0)
    ow.arange(inf)
    ow.arange(0, nan)
    ow.linspace(0, 1, -1)
    ow.randperm(-1)
    ow.randint(0, 0, (2,))
    ow.randint(5, 3, (2,))
    ow.zeros(2).normal_(0, -1)
    ow.zeros(2).uniform_(3, 2)
    ow.zeros(2).bernoulli_(1.5)
    ow.bernoulli(ow.tensor([1.5]))
    ow.tensor([[1, 2], [3]])
    ow.tensor([[1], 2])
    ow.tensor([1, [2]])
    ow.tensor('x')
    ow.tensor([1, 'x'])
    ow.tensor([None])
    ow.tensor(None)
    ow.tensor([a, a])
    ow.tensor({1: 2})
    ow.tensor([300], dtype=ow.int8)
    ow.tensor(2**64)
    ow.tensor(1 + 2j, dtype=ow.float32)
    ow.tensor(np.array(['x']))
    ow.as_tensor([[1, 2], [3]])
    ow.from_numpy([1])
    ow.from_numpy(np.zeros(2, dtype='M8[s]'))
    ow.from_numpy(np.arange(4)[::-1])""",
    **PAIR,
)
errors(
    "dims",
    """a.sum(2)  # dimension
    a.sum(-3)  # dimension
    a.mean(5)
    a.amax(2)
    a.argmax(-4)
    a.max(2)
    a.var(3)
    a.softmax(2)
    a.cumsum(2)
    a.sort(2)
    a.topk(4)
    a.topk(-1)
    a.topk(1, 2)
    a.unsqueeze(4)  # dimension
    a.unsqueeze(-4)
    a.squeeze(2)
    a.transpose(0, 5)
    a.select(2, 0)
    a.select(0, 2)  # select
    a.select(0, -3)
    a.narrow(0, 0, 3)
    a.narrow(0, 3, 1)
    a.narrow(0, 0, -1)
    a.flip(2)
    a.unbind(2)
    a.split(1, 2)
    a.chunk(2, 2)
    a.flatten(0, 2)
    a.roll(1, 2)
    a.size(2)
    a.stride(2)
    a.unflatten(2, (1, 1))
    ow.cat([a, a], 2)
    ow.stack([a, a], 3)
    ow.stack([a, a], -4)
    ow.tensor(1).sum(1)
    ow.tensor(1).select(0, 0)
    ow.gather(a, 2, ow.tensor([[0]]))
    ow.index_select(a, 2, ow.tensor([0]))
    ow.nn.functional.softmax(a, 3)
    a[2]  # index 2
    a[-3]
    a[0, 3]
    a[0, 0, 0]
    a[:, :, 0]
    a[..., ...,  0, 0, 0]
    a[[2]]
    a[[0, 1], [0, 3]]
    a[ow.tensor([-3])]
    a[[0, 1], [0, 1, 2]]
    a[ow.tensor([True, False, True])]
    a[:, ow.tensor([True])]
    a[::-1]  # step
    a[::0]
    a[1.0:]
    a[ow.tensor([1.5])]
    a[ow.tensor(1), ow.tensor(5)]
    ow.tensor(5)[0]
    ow.tensor(5)[:]
    a[2] = 1
    a[[5]] = 1
    a[0, 3] = 1
    a[ow.tensor([True, False, True])] = 0
    a[::-1] = 1
    a['x'] = 1
    a[0] = 'x'
    a[0] = None
    a[ow.tensor([1.0])] = 0
    ow.index_select(a, 0, ow.tensor([5]))
    ow.index_select(a, 0, ow.tensor([[0]]))
    ow.index_select(a, 0, ow.tensor([0.0]))
    ow.gather(a, 0, ow.tensor([[5]]))
    ow.gather(a, 0, ow.tensor([0]))
    ow.gather(a, 0, ow.tensor([[0.0]]))
    ow.gather(a, 0, ow.zeros(3, 5, dtype=ow.int64))
    ow.scatter(a, 0, ow.tensor([[5]]), 1)
    ow.scatter(a, 0, ow.tensor([[0, 1], [1, 0]]), ow.ones(1, 1, dtype=a.dtype))
    ow.scatter(a, 0, ow.tensor([[0]]), ow.ones(1, 1, dtype=ow.float16))
    ow.scatter_add(a, 0, ow.tensor([[2]]), ow.ones(1, 1, dtype=a.dtype))
    ow.index_add(a, 0, ow.tensor([0]), ow.ones(2, 3, dtype=a.dtype))
    ow.index_add(a, 0, ow.tensor([7]), ow.ones(1, 3, dtype=a.dtype))
    ow.index_put(a, (ow.tensor([9]),), ow.tensor(1.0, dtype=a.dtype))
    ow.index_put(a, (ow.tensor([0, 1]),), ow.ones(5, dtype=a.dtype))
    ow.masked_fill(a, ow.tensor([1, 0, 1]), 0)
    ow.masked_fill(a, ow.tensor([True, False]), 0)
    ow.masked_fill(a, a > 0, ow.ones(2, dtype=a.dtype))
    ow.masked_select(a, ow.tensor([True, False]))
    ow.masked_select(a, a)
    ow.where(a, a, a)
    iter(ow.tensor(1))
    len(ow.tensor(1))
    for x in ow.tensor(1): pass
    ow.nn.functional.embedding(ow.tensor([9]), a)
    ow.nn.functional.embedding(ow.tensor([0.5]), a)
    ow.nn.functional.one_hot(ow.tensor([3]), 2)
    ow.nn.functional.one_hot(ow.tensor([-1]))
    ow.nn.functional.one_hot(ow.tensor([1.5]))
    ow.nn.functional.nll_loss(a, ow.tensor([0, 5]))
    ow.nn.functional.nll_loss(a, ow.tensor([0, 1, 2]))
    ow.nn.functional.cross_entropy(a, ow.tensor([0, -1]))
    ow.nn.functional.cross_entropy(a, ow.tensor([0.5, 1]))
    ow.nn.functional.cross_entropy(a, ow.tensor([0, 1]), weight=ow.ones(2, dtype=a.dtype))
    ow.nn.functional.cross_entropy(a, ow.tensor([0, 1]), reduction='x')  # x
    ow.nn.functional.mse_loss(a, a, reduction='x')  # x
    ow.nn.functional.smooth_l1_loss(a, a, beta=-1.0)
    ow.nn.functional.binary_cross_entropy_with_logits(a, a[0])
    ow.nn.functional.dropout(a, 1.5)  # dropout
    ow.nn.functional.dropout(a, -0.1)
    ow.nn.functional.gelu(a, approximate='x')
    ow.div(a, a, rounding_mode='x')  # rounding_mode
    ow.clamp(a)  # clamp
    ow.nn.functional.pad(a, (1,))
    ow.nn.functional.pad(a, (1, 1, 1, 1, 1, 1))
    ow.nn.functional.pad(a, (-2, -2))
    ow.nn.functional.pad(a, (1, 1), 'x')
    ow.nn.functional.pad(a, (5, 5), 'reflect')
    ow.nn.functional.layer_norm(a, (4,))
    ow.nn.functional.layer_norm(a, ())
    ow.nn.functional.layer_norm(a, (3,), ow.ones(2, dtype=a.dtype))
    ow.nn.functional.group_norm(a, 2)
    ow.nn.functional.batch_norm(a, None, None)
    ow.nn.functional.batch_norm(a, ow.ones(2, dtype=a.dtype), ow.ones(2, dtype=a.dtype))
    ow.nn.functional.batch_norm(a[:1], None, None, training=True)
    ow.norm(a, 'x')
    ow.logsumexp(a, 2)
    a.to(ow.float32, 3.5, 1, 2, 3)""",
    **M,
)
CONV = dict(a=real(2, 4, 5, 6), w=real(6, 4, 3, 2))
errors(
    "convolution",
    """F.conv2d(a, w[:, :3])  # 4 3
    F.conv2d(a[0, 0], w)
    F.conv2d(a, w[0])
    F.conv2d(a, w, ow.ones(5, dtype=a.dtype))  # bias
    F.conv2d(a, w, groups=3)
    F.conv2d(a, w, stride=0)
    F.conv2d(a, w, padding=-1)
    F.conv2d(a, w, dilation=0)
    F.conv2d(a, w, stride=2, padding='same')
    F.conv2d(a, w, padding='x')
    F.conv2d(a, w, stride=(1, 1, 1))
    F.conv2d(a[:, :, :2, :1], w)
    F.conv2d(a, w.float())
    F.conv_transpose2d(a, w)
    F.max_pool2d(a, 2, padding=2)
    F.max_pool2d(a, 9)
    F.max_pool2d(a, 0)
    F.max_pool2d(a[0, 0], 2)
    F.max_pool2d(a, (2, 2, 2))
    F.avg_pool2d(a, 2, padding=2)
    F.avg_pool2d(a, 9)
    F.avg_pool2d(a, 2, divisor_override=0)
    F.adaptive_avg_pool2d(a, (1, 2, 3))
    F.scaled_dot_product_attention(a, a[..., :3], a)
    F.scaled_dot_product_attention(a, a, a, ow.ones(5, 5, dtype=ow.bool), is_causal=True)
    ow.nn.Conv2d(4, 6, 3, groups=4)
    ow.nn.Conv2d(4, 6, 3, padding='x')
    ow.nn.Conv2d(4, 6, 3)(ow.ones(1, 3, 8, 8))
    ow.nn.Linear(3, 4)(ow.ones(2, 5))
    ow.nn.BatchNorm2d(3)(ow.ones(2, 3))
    ow.nn.Embedding(3, 2, padding_idx=5)
    ow.nn.Dropout(2.0)
    ow.nn.Linear(3, 4)('x')
    ow.nn.Linear('x', 4)
    ow.nn.GroupNorm(3, 4)""",
    **CONV,
)
INTEGERS = dict(i=index(5, 2, 3), m=mask(2, 3))
errors(
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
errors(
    "autograd",
    """ow.ones(2, requires_grad=True).add_(1)  # leaf
    x = ow.ones(2, requires_grad=True); x[0] = 5  # leaf
    x = ow.ones(2, requires_grad=True); x.view(-1).mul_(2)  # leaf
    x = ow.ones(2, requires_grad=True); x.zero_()  # leaf
    x = ow.ones(2, requires_grad=True); x += 1  # leaf
    x = ow.ones(2, requires_grad=True); ow.exp(x, out=x)
    x = ow.ones(2, requires_grad=True); ow.add(x, 1, out=ow.zeros(2))
    x = ow.ones(2, requires_grad=True); ow.add(ow.ones(2), 1, out=x)
    ow.ones(1, 3).expand(2, 3).add_(1)  # expand
    ow.ones(1).expand(3).mul_(2)
    ow.ones(3, 1).expand(3, 2).copy_(ow.ones(3, 2))
    ow.add(ow.ones(3), 1, out=ow.ones(1).expand(3))
    x = ow.ones(4); x[1:].copy_(x[:-1]); x.as_strided((2, 3), (1, 1)).add_(1)
    x = ow.ones(3, requires_grad=True); y = x.exp().sum(); y.backward(); y.backward()  # second retain_graph
    x = ow.ones(3, requires_grad=True); y = (x * x).sum(); ow.autograd.grad(y, x); ow.autograd.grad(y, x)
    x = ow.ones(3, requires_grad=True); y = x.exp(); y.add_(1); y.sum().backward()  # modified exp
    x = ow.ones(3, requires_grad=True); y = x * 2; z = y * y; y[0] = 3; z.sum().backward()  # modified
    x = ow.ones(3, requires_grad=True); w = ow.ones(3); z = x * w; w.add_(1); z.sum().backward()  # modified
    x = ow.ones(3, requires_grad=True); w = ow.ones(3); z = x * w[1:2]; w.zero_(); z.sum().backward()  # modified
    x = ow.ones(3, requires_grad=True); y = x.sigmoid(); y.mul_(2); y.sum().backward()  # modified
    ow.ones(3).sum().backward()  # grad
    ow.ones(3, requires_grad=True).backward()  # scalar
    (ow.ones(3, requires_grad=True) * 2).backward()
    x = ow.ones(3, requires_grad=True); (x * 2).backward(ow.ones(2))
    x = ow.ones(3, requires_grad=True); (x * 2).backward('x')
    x = ow.ones(3, requires_grad=True); (x * 2).backward(3)
    x = ow.ones(3, requires_grad=True); ow.autograd.grad((x * 2).sum(), ow.ones(3, requires_grad=True))
    x = ow.ones(3, requires_grad=True); ow.autograd.grad((x * 2).sum(), ow.ones(3))
    x = ow.ones(3, requires_grad=True); ow.autograd.grad(x * 2, x)
    x = ow.ones(3, requires_grad=True); ow.autograd.grad([(x * 2).sum()], [x], [ow.ones(1), ow.ones(1)])
    x = ow.ones(3, requires_grad=True); ow.autograd.grad((x * 2).sum(), [])
    x = ow.ones(3, requires_grad=True); x.grad = 3
    x = ow.ones(3, requires_grad=True); x.grad = ow.ones(4)
    x = ow.ones(3, requires_grad=True); x.grad = ow.ones(3, dtype=ow.float64)
    x = ow.ones(3, requires_grad=True); (x * 2).requires_grad_(False)
    x = ow.ones(3, requires_grad=True); (x * 2).requires_grad = False
    x = ow.ones(3, requires_grad=True); ow.tensor(x.numpy())
    x = ow.ones(3, requires_grad=True); (x * 2).numpy()
    x = ow.ones(3, requires_grad=True); y = x.unbind(); y[0].mul_(2)
    x = ow.ones(3, requires_grad=True); y = (x * 2).split(1); y[0].mul_(2); y[0].sum().backward()
    with ow.no_grad(): y = (ow.ones(3, requires_grad=True) * 2).sum(); y.backward()
    x = ow.ones(3); x.register_hook(lambda g: g)
    x = ow.ones(3, requires_grad=True); (x * 2).register_post_accumulate_grad_hook(lambda p: None)
    x = ow.ones(3, requires_grad=True); x.register_hook(lambda g: 'x'); x.sum().backward()
    x = ow.ones(3, requires_grad=True); x.register_hook(lambda g: g[:2]); x.sum().backward()
    import copy; copy.deepcopy(ow.ones(3, requires_grad=True) * 2)
    x = ow.ones(3, requires_grad=True); x.data = 3
    x = ow.ones(3, requires_grad=True); x.resize_(5)
    x = ow.ones(3, requires_grad=True); x.detach_().foo
    x = ow.ones(3, requires_grad=True); x.view(-1).detach_()
    ow.nn.Module().foo  # foo
    m = ow.nn.Module(); m.register_parameter('a.b', None)
    m = ow.nn.Module(); m.register_parameter('w', ow.ones(2))
    m = ow.nn.Module(); m.register_buffer('b', 3)
    m = ow.nn.Module(); m.add_module('m', 3)
    m = ow.nn.Linear(2, 3); m.weight = ow.ones(3, 2)
    m = ow.nn.Linear(2, 3); m.load_state_dict({})  # weight bias missing
    m = ow.nn.Linear(2, 3); m.load_state_dict({'weight': ow.ones(3, 2), 'bias': ow.ones(3), 'x': ow.ones(1)})  # x
    m = ow.nn.Linear(2, 3); m.load_state_dict({'weight': ow.ones(2, 2), 'bias': ow.ones(3)})  # weight
    ow.nn.Module()(1)
    ow.nn.Sequential(ow.nn.ReLU())[3]""",
)
INFERENCE = """
with ow.inference_mode():
    y = ow.ones(3)
ow.ones(3, requires_grad=True).mul(y)
"""
table.case("autograd", INFERENCE, name="an inference tensor saved for backward", says="inference")
errors(
    "overflow",
    """ow.empty(2**40, 2**40)
    ow.zeros(2**62, 2**62)
    ow.zeros(2**31, 2**31, 2**31)
    ow.empty(2**62)
    ow.empty(2**63 - 1)
    ow.empty(2**63)
    ow.empty(2**70)
    ow.empty(-(2**70))
    ow.empty(2**60, dtype=ow.float64)
    ow.zeros(2**45)
    ow.ones(1).expand(2**40).clone()
    ow.ones(1).repeat(2**50)
    ow.arange(2**62)
    ow.full((2**50,), 1)
    ow.zeros(3).view(2**70)
    ow.zeros(3)[2**70]
    ow.zeros(3).as_strided((2**40,), (2**30,))
    ow.zeros(3).as_strided((2,), (2**62,))
    ow.zeros(3).as_strided((2,), (1,), 2**62)
    ow.tensor([2**70])
    ow.tensor(1).add(2**70)
    ow.tensor(1, dtype=ow.int8).fill_(300)
    ow.full((2,), 300, dtype=ow.uint8)
    ow.randint(2**40, (2,), dtype=ow.int32)
    ow.eye(2**40)
    ow.linspace(0, 1, 2**50)
    ow.cat([ow.ones(1).expand(2**62), ow.ones(1).expand(2**62)])""",
)

"""Errors of shapes, dims and indices."""

from reference.samples import real
from reference.table import Table, error_cases

table = Table(raises=True, grad=False)
error_cases(
    table,
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
    a=real(2, 3),
    b=real(4, 5),
)
error_cases(
    table,
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
    a=real(2, 3),
)
CONV = {"a": real(2, 4, 5, 6), "w": real(6, 4, 3, 2)}
error_cases(
    table,
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

"""Views and movement: shapes, strides, aliasing, and gradients through them."""

from reference.samples import ALL, REAL, lit, real
from reference.table import Table

table = Table(view=True)

CUBE = {"a": real(2, 3, 4)}
MATRIX = {"a": real(3, 4)}
table.many(
    "view",
    """a.view(6, 4)
    a.view(-1)
    a.view((2, 12))
    a.view(2, -1, 2)
    a.view(4, 3, 2)
    a.view(ow.Size([24]))
    a.view(1, 2, 1, 3, 4)
    a[:, :2].view(2, 8)
    a[1].view(12)
    a.view_as(ow.zeros(24))
    a.view(ow.int64).shape
    a.view(ow.int32).shape
    a.reshape(6, 4)
    a.reshape(-1)
    a.reshape((3, -1))
    a.reshape([24])
    a.reshape_as(ow.zeros(4, 6))
    ow.reshape(a, (8, 3))
    a.transpose(0, 1).reshape(6, 4)
    a.transpose(0, 1).reshape(3, 2, 2, 2)
    a.transpose(1, 2).reshape(2, 12)
    a[:, :, 1:3].reshape(6, 2)
    a[:, 1:3].reshape(2, 8)
    a.flatten()
    a.flatten(1)
    a.flatten(0, 1)
    a.flatten(-2, -1)
    a.flatten(1, 1)
    ow.flatten(a, start_dim=1, end_dim=2)
    a.transpose(0, 2).flatten()
    a.unflatten(2, (2, 2))
    a.unflatten(-1, (-1, 2))
    a.unflatten(0, [1, 2])
    ow.unflatten(a, 1, (3, 1))""",
    **CUBE,
)
table.many(
    "view",
    "a.view(-1)\na.view(0, 5)\na.reshape(0)\na.reshape(3, -1, 1)\na.flatten()\na.t()",
    a=real(0, 3),
)
table.many(
    "view",
    "a.view(1)\na.view(1, 1)\na.reshape(())\na.reshape(-1)\na.flatten()\na.t()\na.T",
    a=real(),
)
table.many(
    "transpose",
    """a.transpose(0, 1)
    a.transpose(-1, 0)
    a.transpose(1, 1)
    ow.transpose(a, 1, 2)
    ow.transpose(input=a, dim0=0, dim1=2)
    a.mT
    a.permute(2, 0, 1)
    a.permute((1, 0, 2))
    a.permute(-1, 0, 1)
    ow.permute(a, (0, 2, 1))
    a.permute(2, 0, 1).contiguous()
    a.permute(2, 0, 1).clone()
    a.permute(2, 0, 1) + 1""",
    **CUBE,
)
for code in [
    "a.t()",
    "ow.t(a)",
    "a.T",
    "a.t().t()",
    "a.mT",
    "a.t() * 2",
    "a.t() + a.t()",
    "a[0].t()",
]:
    table.case("transpose", code, **MATRIX)
table.many(
    "transpose",
    "c = a.clone(); (c.t_() is c, c)\nc = a.clone(); c.transpose_(0, 1); c",
    grad=False,
    **MATRIX,
)
table.many(
    "expand",
    """a.expand(2, 3, 4)
    a.expand(-1, 3, -1)
    a.expand((5, 2, 3, 4))
    a.expand(5, -1, 3, 4)
    a.expand_as(ow.zeros(2, 3, 4))
    a.expand(2, 1, 4)
    a.expand(2, 3, 4).contiguous()
    a.expand(2, 3, 4) * 2
    a.expand(2, 0, 4)
    ow.broadcast_to(a, (2, 3, 4))
    ow.broadcast_tensors(a, ow.zeros(3, 1))
    a.squeeze()
    a.squeeze(1)
    a.squeeze(0)
    a.squeeze(-2)
    a.squeeze((0, 1))
    ow.squeeze(a, dim=1)
    c = a.clone(); (c.squeeze_(1) is c, c)
    a.unsqueeze(0)
    a.unsqueeze(-1)
    a.unsqueeze(3)
    a.unsqueeze(-2)
    ow.unsqueeze(a, dim=1)
    c = a.clone(); (c.unsqueeze_(0) is c, c)
    a[..., None].squeeze()""",
    a=real(2, 1, 4),
)
table.many(
    "expand",
    "a.expand(3)\na.expand(2, 3)\na.squeeze()\na.squeeze(0)\na.unsqueeze(0)\na.unsqueeze(-1)",
    a=real(),
)
table.many("expand", "a.squeeze()\na.squeeze(0)\na.squeeze(1)\na.squeeze((0, 2))", a=real(1, 0, 1))
table.many(
    "narrow",
    """a.narrow(0, 1, 1)
    a.narrow(-1, 1, 2)
    a.narrow(1, -2, 2)
    a.narrow(1, 0, 0)
    ow.narrow(a, 2, 0, 4)
    ow.narrow(a, 1, ow.tensor(1), 2)
    a.select(0, 1)
    a.select(-1, -1)
    a.select(1, 0)
    ow.select(a, 2, 3)
    a.select(0, 0).select(0, 1)
    a.as_strided((2, 2), (1, 2))
    a.as_strided((3, 2), (4, 1), 5)
    a.as_strided((2, 3), (0, 1))
    a.as_strided((4,), (2,), 1)
    ow.as_strided(a, (), ())
    a[1].as_strided((2, 2), (1, 1))
    a.as_strided((3, 3), (2, 1))
    a[0].diagonal()
    a[0].diagonal(1)
    a[0].diagonal(-1)
    a[0].diagonal(offset=3)
    a[0].diagonal(4)
    a.diagonal(0, 0, 2)
    a.diagonal(1, -2, -1)
    a.diagonal(dim1=2, dim2=0)
    ow.diagonal(a, 0, 1, 2)""",
    **CUBE,
)
table.many(
    "split",
    """a.split(1)
    a.split(2, 1)
    a.split(3, dim=2)
    a.split([1, 3], -1)
    a.split([2, 0, 1], 1)
    a.split(10)
    ow.split(a, 2, dim=-1)
    ow.split(a, [1, 1])
    a.chunk(2)
    a.chunk(3, 2)
    a.chunk(2, 1)
    a.chunk(5, -1)
    ow.chunk(a, 2, dim=1)
    a.unbind()
    a.unbind(1)
    a.unbind(-1)
    ow.unbind(a, dim=2)
    tuple(a)
    [x * 2 for x in a]
    x, y = a; x * y""",
    **CUBE,
)
table.many(
    "split",
    "a.split(2)\na.chunk(3)\na.unbind()\na.unbind(1)\na.split(0)\na.split([0, 0])",
    a=real(0, 3),
)

PAIR = {"a": real(2, 3), "b": real(2, 3)}
table.many(
    "cat",
    """ow.cat([a, b])
    ow.cat((a, b), 1)
    ow.cat([a, b], dim=-1)
    ow.cat([a, b, a])
    ow.cat([a])
    ow.cat([a, b.int()])
    ow.cat([a, b.float()], 1)
    ow.cat([a.t(), b.t()], 1)
    ow.cat([a, ow.empty(0, dtype=a.dtype)])
    ow.cat([ow.empty(0), a.float()])
    ow.cat([a, ow.empty(0, 3, dtype=a.dtype), b])
    ow.cat([a[:, :1], b], 1)
    ow.cat(tensors=[a, b], dim=1)
    o = ow.empty(0, dtype=a.dtype); (ow.cat([a.detach(), b.detach()], out=o) is o, o)
    ow.stack([a, b])
    ow.stack((a, b), 1)
    ow.stack([a, b], dim=-1)
    ow.stack([a, b], -2)
    ow.stack([a[0, 0], b[0, 0]])
    ow.stack([a, b.int()])
    ow.stack([a])""",
    **PAIR,
)
table.case("cat", "ow.cat([a, b, a], 1)", dtypes=ALL, **PAIR)
table.case("stack", "ow.stack([a, b], 1)", dtypes=ALL, **PAIR)
CLONES = """a.contiguous()
    a.contiguous().data_ptr() == a.data_ptr()
    a.clone()
    ow.clone(a)
    a.clone(memory_format=ow.contiguous_format)
    a.clone(memory_format=ow.preserve_format)
    a.detach()
    a.detach().requires_grad
    a + 1
    a.exp()
    a * a
    ow.zeros_like(a)
    a.to(ow.float32)
    a.to(ow.float32, memory_format=ow.contiguous_format)
    a.is_contiguous()
    a.sum(0)
    a.add(1).stride()"""
for shape, layout in (
    ((3, 4), ""),
    ((3, 4), "t"),
    ((3, 4), "s"),
    ((3, 4), "e"),
    ((3, 4), "o"),
    ((2, 3, 4), "t"),
    ((0, 3), ""),
):
    table.many("clone", CLONES, a=real(*shape, layout=layout))
table.many(
    "clone",
    """a.contiguous(memory_format=ow.channels_last)
    a.contiguous(memory_format=ow.channels_last).is_contiguous(memory_format=ow.channels_last)
    a.contiguous(memory_format=ow.channels_last) + 1
    a.contiguous(memory_format=ow.channels_last) + a
    a.contiguous(memory_format=ow.channels_last).clone()
    a.to(memory_format=ow.channels_last)
    a.contiguous(memory_format=ow.channels_last).contiguous()
    a.permute(0, 2, 3, 1)
    a.permute(3, 1, 0, 2).mul(2)""",
    a=real(2, 3, 2, 2),
)
table.many(
    "copy_",
    """c = ow.zeros_like(a); (c.copy_(a) is c, c)
    c = ow.zeros(2, 2, 3, dtype=a.dtype); c.copy_(a); c
    c = ow.zeros(3, 2, dtype=a.dtype); c.t().copy_(a); c
    c = ow.zeros(2, 3, dtype=ow.int32); c.copy_(a); c
    c = ow.zeros(2, 3, dtype=ow.bool); c.copy_(a); c
    c = ow.zeros(2, 3, dtype=a.dtype); c[:, 1:].copy_(a[:, :2]); c
    c = ow.zeros(2, 3, dtype=a.dtype); c.copy_(a[0]); c
    c = a.clone(); c[0].copy_(c[1]); c
    c = ow.zeros(2, 3, dtype=a.dtype); c.copy_(a.float()); c
    c = ow.zeros(2, 3); c.copy_(a); c
    c = ow.zeros(2, 3, dtype=a.dtype); c.copy_(a, non_blocking=True); c""",
    a=real(2, 3),
)
table.many(
    "repeat",
    """a.repeat(2, 1)
    a.repeat(1, 2)
    a.repeat((2, 2))
    a.repeat(2, 1, 1)
    a.repeat(0, 1)
    a.t().repeat(1, 2)
    a.flip(0)
    a.flip(1)
    a.flip(0, 1)
    a.flip((-1,))
    a.flip(())
    ow.flip(a, [0])
    ow.flip(a.t(), (0, 1))
    a.roll(1)
    a.roll(-1, 1)
    a.roll((1, 2), (0, 1))
    a.roll(5, 0)
    ow.roll(a, shifts=-2, dims=-1)
    a.tril()
    a.tril(1)
    a.tril(-1)
    a.tril(-5)
    ow.tril(a, diagonal=2)
    a.triu()
    a.triu(1)
    a.triu(-1)
    ow.triu(a, diagonal=5)
    ow.triu(a.t())
    c = a.clone(); (c.tril_() is c, c)
    c = a.clone(); (c.triu_(1) is c, c)""",
    a=real(2, 3), view=False,
)  # fmt: skip
for code in (
    "a.repeat(2, 2)",
    "a.flip(0)",
    "a.roll(1, 1)",
    "a.tril()",
    "a.triu(1)",
    "ow.cat([a, a], 1)",
):
    table.case("movement", code, a=real(3, 3), dtypes=ALL, view=False)
    table.case("movement", code, a=real(0, 3), view=False)
    table.case(
        "movement", code.replace("(2, 2)", "(1, 2, 2)"), a=real(2, 3, 3), view=False, dtypes=REAL
    )
table.many("movement", "a.repeat(3)\na.repeat(())\na.roll(1)\na.flip(())", a=real(), view=False)

# Aliasing: a write through a view is seen through every other one
table.many(
    "alias",
    """c = a.clone(); v = c.view(-1); v[0] = 9; c
    c = a.clone(); c.t()[0, 1] = 9; c
    c = a.clone(); c.expand(2, 2, 3)[1, 1, 1] = 9; c
    c = a.clone(); c[1].zero_(); c
    c = a.clone(); c[:, ::2].mul_(10); c
    c = a.clone(); c.diagonal().fill_(0); c
    c = a.clone(); x, y = c.unbind(); x.add_(100); c
    c = a.clone(); c.chunk(3, 1)[1].neg_(); c
    c = a.clone(); c.unsqueeze(0).squeeze(0).add_(1); c
    c = a.clone(); c.narrow(1, 1, 1).fill_(5); c
    c = a.clone(); c.as_strided((2,), (3,), 1).fill_(7); c
    c = a.clone(); d = c.reshape(3, 2); d[0, 0] = 1; c
    c = a.clone(); d = c.t().reshape(-1); d[0] = 1; c
    c = a.clone(); d = c.detach(); d[0, 0] = 4; c
    c = a.clone(); c.data[0, 0] = 4; c
    c = a.clone(); c.view(-1).view(3, 2).t()[1].fill_(3); c
    c = a.clone(); v = c[0]; (v._base is c, c._base is None, v[1]._base is c)
    c = a.clone(); c._version, c.add_(1)._version, c[0].zero_()._version, c._version""",
    a=real(2, 3), grad=False, view=False,
)  # fmt: skip
table.case("alias", "c = a.clone(); c.t().copy_(b); c", a=real(2, 3), b=real(3, 2), view=False)
table.case("view", "a.view(ow.int16)", a=lit([1.0, -2.0], "float16"))
table.case("view", "a.view(ow.float32)", a=lit([0, 1065353216], "int32"))
table.case("view", "a.view(ow.uint8)", a=lit([1, 256], "int16"))

"""What each dtype is, and what the dtypes that do not promote with all others can do."""

from reference.dtypes import COMMON, DTYPES, FLOATING
from reference.table import Table, error_cases

OUTSIDERS = tuple(d for d in DTYPES if d not in COMMON)
FLOAT8 = tuple(d for d in OUTSIDERS if d in FLOATING)
UNSIGNED = tuple(d for d in OUTSIDERS if d not in FLOATING)

table = Table(grad=False)
table.many(
    "dtype",
    """(dt.is_floating_point, dt.is_signed, dt.is_complex, dt.itemsize, str(dt))
    ow.ones(2, dtype=dt).type().rpartition('.')[2]
    (ow.ones(2, dtype=dt).element_size(), ow.ones(2, dtype=dt).nbytes)
    ow.tensor([1, 2, 3], dtype=dt).view(ow.uint8)
    [ow.tensor([0, 1, 2, 6], dtype=dt).to(getattr(ow, name)) for name in {names}]
    [ow.tensor([0, 1, 2, 6], dtype=getattr(ow, name)).to(dt) for name in {names}]
    [ow.can_cast(dt, getattr(ow, name)) for name in {names}]
    repr(ow.tensor([1, 2, 3], dtype=dt))""".replace("{names}", repr(DTYPES)),
    dtypes=DTYPES,
)
table.many(
    "limits",
    """(lambda f: (f.bits, f.max, f.min, f.eps, f.tiny, f.smallest_normal, f.resolution))(ow.finfo(dt))
    repr(ow.finfo(dt))""",
    dtypes=FLOATING,
)
table.many(
    "limits",
    """(lambda i: (i.bits, i.max, i.min, i.dtype))(ow.iinfo(dt))
    repr(ow.iinfo(dt))""",
    dtypes=tuple(d for d in DTYPES if d not in FLOATING and d != "bool"),
)

# Every code, every number halfway between two, a little above and below, and what is too large.
table.many(
    "float8",
    """ow.arange(256, dtype=ow.int32).to(ow.uint8).view(dt).float()
    ow.arange(256, dtype=ow.int32).to(ow.uint8).view(dt).float().to(dt).view(ow.uint8)
    c = ow.arange(127, dtype=ow.int32).to(ow.uint8).view(dt).float(); \
m = (c[1:] + c[:-1]) / 2; ow.cat([m, m * (1 + 2**-20), m * (1 - 2**-20), -m]).to(dt).view(ow.uint8)
    ow.tensor([0.0, -0.0, inf, -inf, nan, 1e30, -1e30, 1e-30, -1e-30]).to(dt).view(ow.uint8)
    ow.tensor([447.9, 448, 464, 464.1, 480, 500, 57344, 61439, 61440, 65536]).to(dt).view(ow.uint8)
    ow.tensor([0.3, 1e5, -2.7], dtype=ow.float64).to(dt)
    ow.tensor([0.3, 1e4, -2.7], dtype=ow.float16).to(dt)
    ow.tensor([0.3, 1e5, -2.7], dtype=ow.bfloat16).to(dt)
    ow.tensor([17, -300, 100000]).to(dt)
    ow.tensor([1.5, -2.5, 3.0], dtype=dt).to(ow.int64)
    repr(ow.tensor([1.0, 2.5, nan, 1e9], dtype=dt))
    ow.zeros(2, dtype=dt, requires_grad=True).requires_grad
    x = ow.tensor([1.0, 2.0], requires_grad=True); x.to(dt).to(ow.float32).sum().backward(); x.grad
    repr(ow.tensor([1.0, 2.0], requires_grad=True).to(dt))
    abs(ow.tensor([-1.5, 2.0], dtype=dt))
    ow.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=dt) @ ow.tensor([[0.5, 1.0], [2.0, -1.0]], dtype=dt)""",
    dtypes=FLOAT8,
)
table.many(
    "unsigned",
    """repr(ow.tensor([-1], dtype=dt))
    ow.tensor([3, -2, 70000]).to(dt)
    ow.tensor([3.9, -2.1, 300.5]).to(dt)
    ow.tensor([3.9, -2.1, 300.5], dtype=ow.float64).to(dt)
    ow.tensor([5, 3, 12], dtype=dt) & ow.tensor([6, 6, 6], dtype=dt)
    ow.tensor([5, 3, 12], dtype=dt) | ow.tensor([6, 6, 6], dtype=dt)
    ow.tensor([5, 3, 12], dtype=dt) ^ ow.tensor([6, 6, 6], dtype=dt)
    ow.maximum(ow.tensor([5, 3], dtype=dt), ow.tensor([4, 4], dtype=dt))
    ow.minimum(ow.tensor([5, 3], dtype=dt), ow.tensor([4, 4], dtype=dt))
    ow.fmax(ow.tensor([5, 3], dtype=dt), ow.tensor([4, 4], dtype=dt))
    ow.tensor([5, 3, 12], dtype=dt).clamp(4, 6)
    ow.tensor([5, 3, 12], dtype=dt).clamp(min=4)
    ow.tensor([5, 3, 12], dtype=dt) * 2
    ow.tensor([5, 3, 12], dtype=dt) + 1.5
    ow.tensor([5, 3, 12], dtype=dt) < 4.5
    ow.tensor([5, 3, 12], dtype=dt) / ow.tensor([2, 2, 2], dtype=dt)
    ow.tensor([5, 3, 12], dtype=dt).sqrt()
    ow.tensor([5, 3, 12], dtype=dt).sigmoid()
    ow.tensor([5, 3, 12], dtype=dt).floor()
    ow.tensor([5, 3, 12], dtype=dt).relu()
    ow.tensor([5, 3, 12], dtype=dt).sum()
    ow.tensor([5, 3, 12], dtype=dt).sum(dtype=ow.float64)
    ow.tensor([5, 3, 12], dtype=dt).prod()
    ow.tensor([5, 3, 12], dtype=dt).cumsum(0)
    ow.tensor([5, 3, 12], dtype=dt).sort(descending=True)
    ow.tensor([-1, 3, -2, 0], dtype=ow.int64).to(dt).sort()
    ow.unique(ow.tensor([5, 3, 5], dtype=dt))
    ow.tensor([5, 3, 12], dtype=dt).scatter_add(0, ow.tensor([1]), ow.tensor([4], dtype=dt))
    ow.cat([ow.tensor([5], dtype=dt), ow.ones(1)])
    ow.tensor([5, 3], dtype=dt).isclose(ow.tensor([5, 4], dtype=dt))
    np.asarray(ow.tensor([5, 3], dtype=dt).numpy()).dtype.str
    ow.from_numpy(np.array([5, 3], dtype=str(dt).rpartition('.')[2]))""",
    dtypes=UNSIGNED,
)
table.many(
    "unsigned",
    """ow.tensor([2**63 + 5], dtype=dt)
    ow.tensor(2**64 - 1, dtype=dt).item()
    repr(ow.tensor([2**64 - 1], dtype=dt))
    ow.tensor([2**63 + 5], dtype=dt) == 2**63 + 5
    ow.zeros(1, dtype=dt).fill_(2**63 + 5)
    ow.full((2,), 2**63 + 5, dtype=dt)
    ow.tensor([2**63 + 2048], dtype=dt).double()
    ow.tensor([2**63 + 5], dtype=dt).long()
    ow.tensor([2**63 + 5, 1], dtype=dt).sort()
    ow.maximum(ow.tensor([2**63 + 5], dtype=dt), ow.tensor([1], dtype=dt))
    ow.tensor([1e19], dtype=ow.float64).to(dt)""",
    dtypes=("uint64",),
)
table.many(
    "outsider",
    """ow.tensor([3, 1, 2], dtype=dt) * ow.tensor([2, 2, 2], dtype=dt)
    ow.tensor([3, 1, 2], dtype=dt) == ow.tensor([2, 2, 2], dtype=dt)
    ow.tensor([3, 1, 2], dtype=dt) != 2
    ow.equal(ow.tensor([3, 1], dtype=dt), ow.tensor([3, 1], dtype=dt))
    ow.where(ow.tensor([True, False]), ow.tensor([3, 1], dtype=dt), ow.tensor([4, 4], dtype=dt))
    ow.where(ow.tensor([True, False]), ow.tensor([3, 1], dtype=dt), 0)
    ow.isnan(ow.tensor([3, 1], dtype=dt))
    ow.isfinite(ow.tensor([3, 1], dtype=dt))
    ow.tensor([3, 0], dtype=dt).any()
    ow.tensor([3, 0], dtype=dt).all()
    ow.tensor([3, 1], dtype=dt).tolist()
    ow.tensor(3, dtype=dt).item()
    float(ow.tensor(3, dtype=dt))
    bool(ow.tensor(0, dtype=dt))
    ow.tensor([[3, 1], [2, 4]], dtype=dt)[1]
    ow.tensor([[3, 1], [2, 4]], dtype=dt)[:, 1:]
    ow.tensor([3, 1, 2], dtype=dt)[[2, 0]]
    ow.tensor([3, 1, 2], dtype=dt)[ow.tensor([True, False, True])]
    ow.tensor([[3, 1], [2, 4]], dtype=dt).t().contiguous()
    ow.tensor([3, 1], dtype=dt).expand(2, 2).clone()
    ow.tensor([3, 1], dtype=dt).repeat(2)
    ow.tensor([3, 1], dtype=dt).roll(1)
    ow.tensor([3, 1, 2], dtype=dt).index_select(0, ow.tensor([2, 0]))
    ow.cat([ow.tensor([3], dtype=dt), ow.tensor([1], dtype=dt)])
    ow.stack([ow.tensor([3], dtype=dt), ow.tensor([1], dtype=dt)])
    F.embedding(ow.tensor([1, 0]), ow.tensor([[3, 1], [2, 4]], dtype=dt))
    F.pad(ow.tensor([3, 1], dtype=dt), (1, 1))
    ow.zeros(2, dtype=dt).fill_(3)
    ow.full((2,), 3, dtype=dt)
    ow.ones(2, 2, dtype=dt).zero_()
    ow.tensor([3, 1], dtype=dt).new_full((2,), 2)
    ow.ones_like(ow.tensor([3, 1], dtype=dt))
    ow.zeros(2, dtype=dt).copy_(ow.tensor([1.75, 3.0]))
    ow.tensor([[3, 1], [2, 4]], dtype=dt).view(-1).unfold(0, 2, 1)
    ow.outer(ow.tensor([3, 1], dtype=dt), ow.tensor([2, 4], dtype=dt))
    ow.repeat_interleave(ow.tensor([3, 1], dtype=dt), 2)
    ow.promote_types(dt, dt)
    ow.result_type(ow.zeros(2, dtype=dt), 1)
    ow.result_type(ow.zeros(2, dtype=dt), 1.5)""",
    dtypes=OUTSIDERS,
)

errors = Table(raises=True, grad=False)
error_cases(
    errors,
    "outsider",
    """x + x  # not implemented for
    x - x  # not implemented for
    x // x  # not implemented for
    x % x  # not implemented for
    x ** x  # not implemented for
    x < x  # not implemented for
    -x  # not implemented for
    x.sign()  # not implemented for
    x.lerp(x, 0.5)  # not implemented for
    x.argmax()  # not implemented for
    x.topk(1)  # not implemented for
    x.median()  # not implemented for
    x.nonzero()  # not implemented for
    x.max()  # not implemented for
    ow.arange(3, dtype=dt)  # not implemented for
    ow.linspace(0, 1, 3, dtype=dt)  # not implemented for
    x.uniform_()  # not implemented for
    x.normal_()  # not implemented for
    x.sum(dtype=dt)  # not implemented for
    F.mse_loss(x, x)  # not implemented for
    ow.dot(x, x)  # not implemented for
    ow.promote_types(dt, ow.int32)  # Promotion for is not supported attempted to promote Int
    ow.promote_types(ow.bool, dt)  # Promotion for is not supported attempted to promote Bool
    x * ow.ones(3, dtype=ow.int64)  # Promotion for is not supported
    ow.zeros(9)[x]  # tensors used as indices must be
    ow.set_default_dtype(dt)""",
    before="x = ow.tensor([3, 1, 2], dtype=dt)",
    dtypes=OUTSIDERS,
)
error_cases(
    errors,
    "float8",
    """x.sum()  # not implemented for
    x.mean()  # not implemented for
    x.sort()  # not implemented for
    x.exp()  # not implemented for
    x / x  # not implemented for
    F.softmax(x, 0)  # not implemented for
    F.layer_norm(x, (3,))  # not implemented for
    F.gelu(x)  # not implemented for
    x.numpy()  # Got unsupported ScalarType Float8
    x + ow.ones(3)  # Promotion for Float8 Types is not supported, attempted to promote Float8 and Float
    ow.iinfo(dt)  # requires an integer input type""",
    before="x = ow.tensor([3, 1, 2], dtype=dt)",
    dtypes=FLOAT8,
)
error_cases(
    errors,
    "unsigned",
    """ow.tensor([2**70], dtype=dt)
    ow.full((2,), 1e30, dtype=dt)  # value cannot be converted to type without overflow
    x.requires_grad_()
    ow.finfo(dt)  # requires a floating point input type
    x.mean()  # could not infer output dtype""",
    before="x = ow.tensor([3, 1, 2], dtype=dt)",
    dtypes=UNSIGNED,
)
table.cases.update(errors.cases)

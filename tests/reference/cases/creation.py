"""Creation: tensors from nothing, from Python and NumPy values, and like another tensor; dtypes."""

from reference.samples import ALL, FLOATS, INTS, REAL, lit, real
from reference.table import Table

table = Table()

for name in ("zeros", "ones"):
    table.many(
        name,
        f"""ow.{name}(2, 3)
        ow.{name}((2, 3))
        ow.{name}([2, 3])
        ow.{name}(3)
        ow.{name}(())
        ow.{name}([])
        ow.{name}(0)
        ow.{name}(2, 0, 3)
        ow.{name}(size=(2, 2))
        ow.{name}(ow.ones(4, 2).shape)
        ow.{name}(2, 3, requires_grad=True).requires_grad
        ow.{name}(2, device='cpu').device.type
        o = ow.empty(0); (ow.{name}(2, 2, out=o) is o, o)""",
        view=True,
    )
    table.case(name, f"ow.{name}(2, 3, dtype=dt)", dtypes=ALL)
    table.case(name, f"ow.{name}_like(a)", a=real(2, 3, layout="t"), dtypes=ALL, view=True)
    table.case(name, f"ow.{name}_like(a, dtype=ow.int32)", a=real(2, 3))
    table.case(name, f"ow.{name}_like(a).requires_grad", a=real(2, 3))
    table.many(
        name,
        f"""a.new_{name}(3, 2)
        a.new_{name}((3, 2), dtype=ow.int64)
        a.new_{name}([])
        a.new_{name}(2, requires_grad=True).requires_grad""",
        a=real(2, 3), dtypes=("float64", "int32", "bool"), grad=False,
    )  # fmt: skip
table.many(
    "empty",
    """ow.empty(2, 3)
    ow.empty((4,), dtype=ow.int8)
    ow.empty(())
    ow.empty(0, 5)
    ow.empty(2, 3, 4, 5, memory_format=ow.channels_last)
    ow.empty_like(ow.zeros(2, 3).t())
    ow.empty_like(ow.zeros(2, 3).t(), memory_format=ow.contiguous_format)
    ow.empty_like(ow.zeros(3)[::2])
    ow.empty_like(ow.zeros(1, 3).expand(2, 3))
    ow.empty_like(ow.zeros(2, 3), dtype=ow.bool)
    ow.empty_strided((2, 3), (1, 2))
    ow.zeros(3).new_empty((2, 2))
    ow.zeros(3, dtype=ow.int16).new_empty(2)
    ow.empty(3, requires_grad=True).requires_grad""",
    values=False, view=True,
)  # fmt: skip
table.many(
    "full",
    """ow.full((2, 3), 7)
    ow.full((2, 3), 7.5)
    ow.full((2,), True)
    ow.full((), 3)
    ow.full((2, 0), 1.0)
    ow.full([2], -1, dtype=ow.float16)
    ow.full((2,), 3.7, dtype=ow.int32)
    ow.full((2,), 2, dtype=ow.bool)
    ow.full((2,), float('nan'))
    ow.full((2,), ow.tensor(5))
    ow.full(size=(2, 2), fill_value=0)
    ow.full_like(ow.ones(2, 3), 4)
    ow.full_like(ow.ones(2, 3, dtype=ow.int64), 4.6)
    ow.full_like(ow.ones(2), 4, dtype=ow.bool)
    ow.ones(2).new_full((2, 2), 3)
    ow.ones(2, dtype=ow.int64).new_full((2,), 3.9)
    ow.full((2,), 2**40)
    o = ow.empty(0); ow.full((2, 2), 3.5, out=o); o""",
)
table.many(
    "tensor",
    """ow.tensor(3)
    ow.tensor(3.5)
    ow.tensor(True)
    ow.tensor([1, 2, 3])
    ow.tensor([1, 2.5, 3])
    ow.tensor([True, False])
    ow.tensor([True, 2])
    ow.tensor([True, 2.0])
    ow.tensor([[1, 2], [3, 4]])
    ow.tensor(((1.0, 2.0), (3.0, 4.0)))
    ow.tensor([])
    ow.tensor([[], []])
    ow.tensor([[[]]])
    ow.tensor(range(4))
    ow.tensor((1, [2][0]))
    ow.tensor([1, 2], dtype=ow.float32)
    ow.tensor([1.7, -2.7], dtype=ow.int64)
    ow.tensor([0, 2, -1], dtype=ow.bool)
    ow.tensor([1.0, 0.0], dtype=ow.bool)
    ow.tensor([300, -1], dtype=ow.int16)
    ow.tensor([1e40, -1e40], dtype=ow.float32)
    ow.tensor([1e-50, 65520.0], dtype=ow.float16)
    ow.tensor([3.140625, 1e38, 0.1], dtype=ow.bfloat16)
    ow.tensor(2**62)
    ow.tensor([2**63 - 1, -(2**63)])
    ow.tensor([float('nan'), float('inf'), -float('inf')])
    ow.tensor(np.array([1.5, 2.5]))
    ow.tensor(np.array([1, 2], dtype=np.int32))
    ow.tensor(np.array([[True], [False]]))
    ow.tensor(np.arange(6, dtype=np.float32).reshape(2, 3).T)
    ow.tensor(np.float32(2.5))
    ow.tensor(np.int64(3))
    ow.tensor(np.bool_(True))
    ow.tensor([np.float64(1.5), np.float64(2.5)])
    ow.tensor([ow.tensor(1), ow.tensor(2)])
    ow.tensor([ow.tensor(1.5), 2])
    ow.tensor([np.array([1, 2]), np.array([3, 4])])
    ow.tensor(ow.tensor([1, 2]))
    ow.tensor([1.0], requires_grad=True).requires_grad
    ow.tensor(data=[1])
    ow.as_tensor([1, 2])
    t = ow.ones(2); ow.as_tensor(t) is t
    ow.as_tensor(np.ones((2, 2)), dtype=ow.float32)
    n = np.zeros(2); t = ow.as_tensor(n); n[0] = 5; t
    n = np.zeros((2, 2), dtype=np.uint8); t = ow.from_numpy(n); t[0, 1] = 7; n.tolist()
    n = np.arange(6).reshape(2, 3).T; ow.from_numpy(n).stride()""",
)
table.many(
    "arange",
    """ow.arange(5)
    ow.arange(2, 7)
    ow.arange(1, 10, 3)
    ow.arange(5, 0, -2)
    ow.arange(5.0)
    ow.arange(0, 1, 0.25)
    ow.arange(1, 2.5)
    ow.arange(1, 2.5, 0.5)
    ow.arange(0, 0)
    ow.arange(0)
    ow.arange(0.5, 4)
    ow.arange(0, 1, 0.1)
    ow.arange(1.0, 0.0, -0.3)
    ow.arange(3, dtype=ow.float64)
    ow.arange(0, 5, 2, dtype=ow.int8)
    ow.arange(0, 2, 0.5, dtype=ow.int64)
    ow.arange(5, dtype=ow.float16)
    ow.arange(5, dtype=ow.bfloat16)
    ow.arange(start=1, end=4, step=2)
    ow.arange(end=3)
    ow.arange(-3, 3)
    ow.arange(2**53, 2**53 + 3)
    ow.arange(ow.tensor(4))
    ow.arange(True)
    o = ow.empty(0); ow.arange(3, out=o); o
    ow.linspace(0, 1, 5)
    ow.linspace(-2, 3, 7)
    ow.linspace(3, -3, 4)
    ow.linspace(1, 5, 1)
    ow.linspace(1, 5, 0)
    ow.linspace(1, 5, 2)
    ow.linspace(0, 10, 3, dtype=ow.int64)
    ow.linspace(0, 10, 4, dtype=ow.int32)
    ow.linspace(0.1, 0.7, 7, dtype=ow.float64)
    ow.linspace(0, 1, 101)
    ow.linspace(0, 1, 5, dtype=ow.float16)
    ow.linspace(start=0, end=1, steps=3)
    ow.eye(3)
    ow.eye(2, 3)
    ow.eye(3, 2)
    ow.eye(0)
    ow.eye(2, 0)
    ow.eye(1)
    ow.eye(n=2, m=2, dtype=ow.int64)
    ow.eye(2, dtype=ow.bool)
    ow.eye(2, dtype=ow.bfloat16)""",
)
table.many(
    "random",
    """ow.rand(2, 3)
    ow.rand((4,))
    ow.rand(())
    ow.rand(0, 2)
    ow.rand(2, dtype=ow.float64)
    ow.rand(2, dtype=ow.float16)
    ow.rand(3, generator=ow.Generator())
    ow.randn(2, 3)
    ow.randn([])
    ow.randn(3, dtype=ow.bfloat16)
    ow.randint(10, (2, 3))
    ow.randint(-5, 5, (2,))
    ow.randint(0, 2, (3,), dtype=ow.bool)
    ow.randint(3, (2,), dtype=ow.float32)
    ow.randint(low=1, high=3, size=(2, 2))
    ow.randint(5, ())
    ow.randperm(5)
    ow.randperm(0)
    ow.randperm(4, dtype=ow.int32)
    ow.rand_like(ow.zeros(2, 3))
    ow.randn_like(ow.zeros(2, 3, dtype=ow.float64))
    ow.randn_like(ow.zeros(2, 3, dtype=ow.int64), dtype=ow.float32)
    ow.zeros(3).normal_()
    ow.zeros(3, dtype=ow.float64).normal_(1, 2)
    ow.zeros(3).uniform_(2, 3)
    ow.zeros(3).bernoulli_(0.3)
    ow.zeros(3, dtype=ow.int64).bernoulli_()
    ow.zeros(3).bernoulli_(ow.full((3,), 0.5))
    ow.bernoulli(ow.full((2, 2), 0.5))
    ow.bernoulli(ow.zeros(2), 0.7)""",
    values=False,
)
table.many(
    "random",
    """ow.bernoulli(ow.tensor([0.0, 1.0, 1.0]))
    ow.zeros(4).bernoulli_(1.0)
    ow.randint(3, 4, (3,))
    ow.rand(100).min() >= 0
    ow.rand(100).max() < 1
    ow.randperm(50).sort().values.equal(ow.arange(50))
    ow.manual_seed(3); a = ow.rand(4); ow.manual_seed(3); a.equal(ow.rand(4))
    g = ow.Generator(); a, b = (ow.randn(5, generator=g.manual_seed(1)) for _ in 'ab'); a.equal(b)
    s = ow.get_rng_state(); a = ow.rand(3); ow.set_rng_state(s); a.equal(ow.rand(3))
    ow.manual_seed(5); ow.initial_seed()
    ow.manual_seed(0); abs(ow.randn(20000).mean().item()) < 0.05
    ow.manual_seed(0); abs(ow.randn(20000).std().item() - 1) < 0.05
    ow.manual_seed(0); abs(ow.rand(20000).mean().item() - 0.5) < 0.02
    ow.manual_seed(0); abs(ow.zeros(20000).bernoulli_(0.3).mean().item() - 0.3) < 0.02
    ow.manual_seed(0); ow.randint(0, 6, (1000,)).unique()
    ow.manual_seed(0); ow.zeros(1000).uniform_(2, 3).sub(2.5).abs().max() <= 0.5
    ow.manual_seed(0); ow.rand(3).equal(ow.rand(3))""",
)

# Dtypes and how they convert
table.case("to", "a.to(dt)", a=lit([0.0, 1.5, -2.7, 100.3], "float64", grad=False), dtypes=ALL[:-1])
for source in ALL:
    table.case("to", f"a.to(ow.{source}).dtype", a=real(3), dtypes=("float32", "int64"))
    table.case("to", "a.to(dt)", a=real(5, dtype=source), dtypes=ALL)
table.many(
    "to",
    """a.float()
    a.double()
    a.half()
    a.bfloat16()
    a.int()
    a.long()
    a.short()
    a.char()
    a.bool()
    a.to(ow.float32, copy=True)
    a.to(a.dtype) is a
    a.to('cpu') is a
    a.to(a.dtype, copy=True) is a
    a.to(ow.zeros(1, dtype=ow.float16)).dtype
    a.to(device='cpu', dtype=ow.int32)
    a.to('cpu', ow.int32)
    a.type(ow.int32)
    a.type()
    a.type_as(ow.zeros(1, dtype=ow.int8)).dtype
    a.cpu() is a
    a.to(ow.int64).to(ow.float64)""",
    a=real(2, 3),
)
table.case("to", "a.byte()", a=lit([1.0, 2.5, 255.0]), dtypes=REAL)
table.case(
    "to", "a.to(ow.float16)", a=lit([65504.0, 65519.0, 65520.0, 1e-8, 6e-8, 0.1, -1e9]), dtypes=REAL
)
table.case(
    "to", "a.to(ow.bfloat16)", a=lit([3.4e38, 1.00390625, 1.01171875, 0.1, -1e-40]), dtypes=REAL
)
table.case("to", "a.to(ow.float32)", a=lit([1e39, 16777217.0, 1e-46, 0.1]))
table.case("to", "a.to(ow.int32)", a=lit([2**31, 2**32 + 5, -1], "int64"))
table.case("to", "a.to(ow.uint8)", a=lit([256, 300, -1], "int64"))
table.case(
    "to", "a.to(ow.bool)", a=lit([0.0, -0.0, 1e-30, float("nan"), 2.0], grad=False), dtypes=FLOATS
)
table.case("to", "a.to(ow.float32)", a=lit([2**24 + 1, 2**53 + 1], "int64"))
DTYPE_FACTS = ["itemsize", "is_floating_point", "is_signed", "is_complex"]
for fact in DTYPE_FACTS:
    table.case("dtype", f"dt.{fact}", dtypes=ALL)
for fact in ["eps", "max", "min", "tiny", "bits", "smallest_normal", "resolution"]:
    table.case("dtype", f"ow.finfo(dt).{fact}", dtypes=FLOATS)
for fact in ["max", "min", "bits"]:
    table.case("dtype", f"ow.iinfo(dt).{fact}", dtypes=INTS)
table.many(
    "dtype",
    """(ow.half, ow.float, ow.double, ow.short, ow.int, ow.long)
    repr(ow.float32)
    str(ow.bool)
    ow.get_default_dtype()
    ow.set_default_dtype(ow.float64); ow.zeros(1).dtype
    ow.set_default_dtype(ow.float64); ow.tensor(1.5).dtype
    ow.set_default_dtype(ow.float16); ow.arange(2.5).dtype
    ow.set_default_dtype(ow.float64); (ow.tensor(1) / 2).dtype
    ow.promote_types(ow.int32, ow.float16)
    ow.can_cast(ow.float32, ow.int32)
    ow.can_cast(ow.int32, ow.float16)
    ow.is_tensor(ow.ones(1)), ow.is_tensor(1)
    ow.is_floating_point(ow.ones(1))
    ow.numel(ow.ones(2, 3))
    repr(ow.device('cpu'))
    str(ow.device('cpu'))
    ow.device('cpu') == ow.device('cpu')
    (ow.device('cpu').type, ow.device('cpu').index)
    ow.zeros(1).device == ow.device('cpu')
    repr(ow.Size([2, 3]))
    ow.Size([2, 3]).numel()
    ow.Size((2, 3)) == (2, 3)
    isinstance(ow.zeros(2, 3).shape, ow.Size)
    type(ow.zeros(2, 3).shape[:1]).__name__
    type(ow.Size([1]) + (2,)).__name__
    repr(ow.strided)
    ow.zeros(2).layout is ow.strided""",
)

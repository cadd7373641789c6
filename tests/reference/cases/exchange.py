"""Tensors of other libraries' objects, of buffers and files: what is shared, and what is refused."""

from reference.samples import index, real
from reference.table import Table, error_cases

table = Table(grad=False)

table.many(
    "asarray",
    """ow.asarray([1, 2, 3])
    ow.asarray([1, 2.5], dtype=ow.int32)
    ow.asarray(3)
    ow.asarray(True)
    ow.asarray([])
    ow.asarray(range(4))
    ow.asarray(np.float32(3))
    ow.asarray([np.float32(1), np.float32(2)])
    ow.asarray([ow.tensor(1.0), ow.tensor(2)])
    ow.asarray([1.0, 2], requires_grad=True).requires_grad
    ow.asarray([1, 2], device='meta').device.type
    ow.asarray(bytearray(b'abc'))
    ow.asarray(bytearray(8), dtype=ow.int16)
    ow.asarray(memoryview(np.arange(6).reshape(2, 3)))
    ow.asarray(memoryview(np.zeros(2, dtype='e'))).dtype
    ow.asarray(memoryview(np.zeros(2, dtype='?'))).dtype
    ow.asarray(memoryview(np.zeros(2, dtype='H'))).dtype
    n = np.arange(3.0); r = ow.asarray(n); n[0] = 9; r
    n = np.arange(3.0); r = ow.asarray(n, copy=True); n[0] = 9; r
    n = np.arange(3.0); r = ow.asarray(n, dtype=ow.int8); n[0] = 9; r
    n = np.arange(6.0)[::2]; ow.asarray(n).stride()
    b = bytearray(b'abcd'); r = ow.asarray(b, dtype=ow.uint8); b[0] = 1; r
    b = bytearray(b'abcd'); r = ow.asarray(b, dtype=ow.uint8, copy=True); b[0] = 1; r""",
)
table.many(
    "asarray",
    """r = ow.asarray(a); (r is a, r.data_ptr() == a.data_ptr())
    r = ow.asarray(a, copy=True); (r is a, r.data_ptr() == a.data_ptr())
    r = ow.asarray(a, copy=False); r is a
    ow.asarray(a, dtype=ow.float64)
    ow.asarray(a, device='cpu') is a
    c = a.clone().requires_grad_(); r = ow.asarray(c, requires_grad=True); (r is c, r.is_leaf)
    c = a.clone().requires_grad_(); ow.asarray(c, requires_grad=False).requires_grad
    c = a.clone().requires_grad_(); ow.asarray(c, copy=True, requires_grad=True).is_leaf
    c = a.clone(); r = ow.asarray(c, requires_grad=True); (r is c, c.requires_grad)""",
    a=real(2, 3), dtypes=("float32",),
)  # fmt: skip
error_cases(
    table,
    "asarray",
    """ow.asarray(None)  # NoneType
    ow.asarray('x')  # str
    ow.asarray({1, 2})  # set
    ow.asarray([[1, 2], [3]])  # length 2 at dim 1
    ow.asarray(a, copy=False, dtype=ow.int32)  # alias Double Int
    ow.asarray(a, copy=False, device='meta')  # alias cpu meta
    ow.asarray([1, 2], copy=False)  # alias sequence
    ow.asarray(np.float32(3), copy=False)  # alias NumPy scalars
    ow.asarray(np.arange(3.0), dtype=ow.int8, copy=False)  # alias Double Char
    ow.asarray(np.arange(6.0)[::-1])  # negative
    ow.asarray(np.array(['a']))  # numpy.str_
    ow.asarray(np.array([1, 2], dtype=object))  # numpy.object_
    ow.asarray(np.arange(3).astype('>i4'))  # byte order
    ow.asarray(memoryview(np.arange(6)[::2]))  # contiguous
    ow.asarray(memoryview(np.arange(6, dtype='>i4')))  # byte order '>i'
    ow.asarray(bytearray())  # buffer length (0)
    ow.asarray(bytearray(3), dtype=ow.int16)  # multiple of element size (2)
    ow.asarray([1, 2], dtype='float32')  # dtype str
    ow.asarray([1, 2], ow.int8)  # asarray
    ow.asarray()  # obj
    ow.asarray(a, copy=1)  # copy bool int
    ow.asarray([1, 2], requires_grad=True)  # require gradients""",
    a=real(2, 3), raises=True,
)  # fmt: skip

BYTES = "b = bytearray([1, 2, 3, 4]); "
table.many(
    "frombuffer",
    f"""{BYTES}ow.frombuffer(b, dtype=ow.uint8)
    {BYTES}ow.frombuffer(b, dtype=ow.int16)
    {BYTES}ow.frombuffer(b, dtype=ow.int16, count=1)
    {BYTES}ow.frombuffer(b, dtype=ow.uint8, offset=1)
    {BYTES}ow.frombuffer(b, dtype=ow.uint8, offset=1, count=2)
    {BYTES}ow.frombuffer(b, dtype=ow.uint8, count=-2)
    {BYTES}ow.frombuffer(buffer=b, dtype=ow.bool)
    {BYTES}r = ow.frombuffer(b, dtype=ow.uint8); b[0] = 9; r
    {BYTES}r = ow.frombuffer(b, dtype=ow.uint8); r[3] = 9; b[3]
    ow.frombuffer(np.arange(4.0), dtype=ow.float64)
    ow.frombuffer(bytearray(4), dtype=ow.float32, requires_grad=True).requires_grad""",
)
error_cases(
    table,
    "frombuffer",
    """ow.frombuffer(bytearray(4), dtype=ow.uint8, offset=4)  # offset (4 bytes) buffer length (4 bytes)
    ow.frombuffer(bytearray(4), dtype=ow.uint8, offset=-1)  # offset (-1 bytes)
    ow.frombuffer(bytearray(4), dtype=ow.int16, offset=3)  # buffer length (1 bytes) offset (3 bytes)
    ow.frombuffer(bytearray(5), dtype=ow.int16)  # multiple of element size (2)
    ow.frombuffer(bytearray(4), dtype=ow.uint8, count=5)  # (5 * 1 bytes) (4 bytes)
    ow.frombuffer(bytearray(4), dtype=ow.uint8, count=0)  # count (0)
    ow.frombuffer(bytearray(), dtype=ow.uint8)  # buffer length (0)
    ow.frombuffer(bytearray(8), dtype=ow.uint8, count=2**70)  # Overflow
    ow.frombuffer(bytearray(4))  # dtype
    ow.frombuffer(3, dtype=ow.uint8)  # buffer protocol
    ow.frombuffer('abc', dtype=ow.uint8)  # buffer protocol
    ow.frombuffer(np.arange(8.0)[::2], dtype=ow.float64)  # contiguous
    ow.frombuffer(np.arange(8.0).reshape(2, 4).T, dtype=ow.float64)  # contiguous
    ow.frombuffer(bytearray(4), ow.uint8)  # frombuffer
    ow.frombuffer(bytearray(4), dtype=None)  # dtype NoneType
    ow.frombuffer(bytearray(4), dtype=ow.int32, requires_grad=True)  # require gradients
    ow.frombuffer(bytearray(8), dtype=ow.int64, count=1.5)  # count int float""",
    raises=True,
)

table.many(
    "from_numpy",
    """ow.from_numpy(np.arange(3).view(type('Sub', (np.ndarray,), {})))
    ow.from_numpy(np.ma.array([1, 2, 3], mask=[0, 1, 0]))
    ow.from_numpy(np.array(5))
    ow.from_numpy(np.zeros((0, 3))).shape
    ow.from_numpy(np.arange(6).reshape(2, 3).T).stride()
    ow.from_numpy(np.zeros(3, dtype=[('a', 'i4'), ('b', 'i4')])['b']).stride()
    ow.from_numpy(np.arange(3, dtype='uint16')).dtype
    ow.from_numpy(np.arange(3, dtype='uint32')).dtype
    ow.from_numpy(np.arange(3, dtype='uint64')).dtype
    n = np.arange(3).view(type('Sub', (np.ndarray,), {})); r = ow.as_tensor(n); r[0] = 9; n.tolist()
    ow.tensor(np.arange(3).view(type('Sub', (np.ndarray,), {})))""",
)
error_cases(
    table,
    "from_numpy",
    """ow.from_numpy(np.float32(2))  # np.ndarray numpy.float32
    ow.from_numpy([1, 2])  # np.ndarray list
    ow.from_numpy(np.arange(3, dtype='timedelta64[s]'))  # numpy.timedelta64
    ow.from_numpy(np.zeros(3, dtype=[('a', 'i1'), ('b', 'i4')])['b'])  # multiple of the element byte size
    ow.tensor(['a'])  # too many dimensions 'str'
    ow.tensor([['a', 'b']])  # too many dimensions 'str'""",
    raises=True,
)

table.many(
    "range",
    """ow.range(1, 4)
    ow.range(1, 4, 0.5)
    ow.range(0, 1, 0.1, dtype=ow.float64)
    ow.range(0, 4, dtype=ow.int32)
    ow.range(0, 5, 2.7, dtype=ow.int32)
    ow.range(4, 1, -1)
    ow.range(1, 2.9)
    ow.range(0, 0)
    ow.range(0, 5, 2, dtype=ow.bfloat16)
    ow.range(0, 3, device='meta').shape
    o = ow.empty(0); (ow.range(0, 3, out=o) is o, o)
    ow.range(0, 3, requires_grad=True).requires_grad""",
)
error_cases(
    table,
    "range",
    """ow.range(4)  # range end
    ow.range(1, 4, -1)  # bound step
    ow.range(1, 4, 0)  # step nonzero
    ow.range(0, float('inf'))  # 0 -> inf
    ow.range(float('-inf'), 0)  # -inf -> 0""",
    raises=True,
)
table.many(
    "triangle",
    """ow.tril_indices(5, 3, 1, device='meta').shape
    ow.tril_indices(5, 3, -2, device='meta').shape
    ow.tril_indices(3, 3, 5, device='meta').shape
    ow.tril_indices(3, 3, -5, device='meta').shape
    ow.triu_indices(5, 3, -2, device='meta').shape
    ow.triu_indices(3, 5, 1, device='meta').shape
    ow.triu_indices(3, 5, 9, device='meta').shape""",
)
error_cases(
    table,
    "triangle",
    """ow.tril_indices(-1, 2)  # row -1
    ow.triu_indices(2, -1)  # col -1""",
    raises=True,
)

table.many(
    "dlpack",
    """ow.from_dlpack(a.to(dt))
    ow.from_dlpack(a.to(dt).t()).stride()
    c = ow.from_dlpack(a); c.data_ptr() == a.data_ptr()
    c = ow.from_dlpack(a, copy=True); c.data_ptr() == a.data_ptr()
    ow.from_dlpack(a.__dlpack__())
    ow.from_dlpack(a.__dlpack__(max_version=(1, 0)))
    ow.from_dlpack(a, device='cpu', copy=False)
    str(a.__dlpack__(max_version=(1, 3))).split()[2]
    str(a.__dlpack__(max_version=(0, 8))).split()[2]
    str(a.__dlpack__(read_only=True, max_version=(1, 0))).split()[2]
    [int(n) for n in a.__dlpack_device__()]
    ow.utils.dlpack.DLDeviceType(1).name""",
    a=real(2, 3), dtypes=("float32", "bfloat16", "int8", "bool"),
)  # fmt: skip
table.many(
    "dlpack",
    """ow.from_dlpack(np.arange(6)[::2]).stride()
    ow.from_dlpack(np.zeros((0, 3))).shape
    np.from_dlpack(ow.arange(6)[::2]).tolist()
    ow.from_dlpack(np.array(3.0))""",
)
error_cases(
    table,
    "dlpack",
    """ow.from_dlpack(3)  # invalid capsule
    ow.from_dlpack(None)  # invalid capsule
    ow.from_dlpack(a.clone().requires_grad_())  # require gradient
    c = a.__dlpack__(); ow.from_dlpack(c); ow.from_dlpack(c)  # only once
    ow.from_dlpack(a.__dlpack__(), copy=True)  # capsule
    ow.from_dlpack(np.arange(6)[::-1])  # strides
    a.__dlpack__(stream='x')  # stream
    a.__dlpack__(stream=1)  # stream
    a.__dlpack__(read_only=True)  # read_only versioned
    ow.ones(2, device='meta').__dlpack__()  # meta
    ow.ones(2, device='meta').__dlpack_device__()  # meta""",
    a=real(2, 3), raises=True,
)  # fmt: skip

# Without itself the input's gradient is constant here, and depends on it in PyTorch, by terms of zero.
for options, grad in (("", True), (", include_self=False", False)):
    code = f"a.index_reduce(0, i[0, :2], b[:2], 'prod'{options})"
    table.case(
        "index_reduce", code, a=real(4, 3, grad=grad), b=real(3, 3), i=index(4, 3, 3), grad=True
    )
for reduce in ("prod", "sum", "mean", "amax"):
    for options, grad in (("", True), (", include_self=False", False)):
        table.many(
            "scatter_reduce",
            f"""a.scatter_reduce(0, i, b, '{reduce}'{options})
            a.scatter_reduce(1, i % 3, b, '{reduce}'{options})
            a[0].scatter_reduce(0, i[0] % 3, b[0] * 0, '{reduce}'{options})
            a[0].scatter_reduce(0, i[0, :0], b[0, :0], '{reduce}'{options})""",
            a=real(4, 3, grad=grad), b=real(3, 3), i=index(4, 3, 3), grad=True, dtypes=("float64", "int64"),
        )  # fmt: skip

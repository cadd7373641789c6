"""Tensors of complex numbers: made, copied, viewed, printed, converted. Nothing is computed with them yet."""

from reference.dtypes import COMMON, COMPLEX, DTYPES
from reference.table import Table

table = Table(grad=False)
table.many(
    "complex_dtype",
    """(dt.is_floating_point, dt.is_signed, dt.is_complex, dt.itemsize, str(dt))
    dt.to_real(), dt.to_complex()
    (lambda f: (f.bits, f.max, f.min, f.eps, f.tiny))(ow.finfo(dt))
    ow.zeros(2, dtype=dt).type().rpartition('.')[2]
    (ow.zeros(2, dtype=dt).element_size(), ow.zeros(2, dtype=dt).nbytes)
    ow.zeros(2, dtype=dt).is_complex(), ow.is_complex(ow.zeros(2, dtype=dt)), ow.zeros(2).is_complex()
    ow.is_floating_point(ow.zeros(2, dtype=dt))
    [ow.promote_types(dt, getattr(ow, name)) for name in {promoting}]
    [ow.can_cast(dt, getattr(ow, name)) for name in {names}]
    [ow.can_cast(getattr(ow, name), dt) for name in {names}]
    ow.result_type(ow.zeros(2, dtype=dt), 1), ow.result_type(ow.zeros(2), 1j)
    ow.result_type(ow.zeros(2).long(), 1j)
    ow.result_type(ow.zeros(2, dtype=dt), ow.zeros((), dtype=ow.int64))
    ow.cfloat is ow.complex64, ow.float32.to_complex()""".replace(
        "{promoting}", repr(tuple(d for d in COMMON if d != "float64"))
    ).replace("{names}", repr(tuple(d for d in DTYPES if "float8" not in d))),
    dtypes=COMPLEX,
)
table.many(
    "complex_made",
    """ow.tensor([1 + 2j, -3.5j, 4]).dtype
    ow.tensor([[1 + 2j, 2], [True, 0.5]]).tolist()
    ow.tensor(1 - 2j).item()
    ow.tensor([1 + 2j], dtype=dt).tolist()
    ow.tensor([1, 2.5, True], dtype=dt).tolist()
    ow.tensor([float('nan') + 1j * float('inf')], dtype=dt).tolist()
    ow.tensor(ow.tensor([1 + 2j])).tolist()
    ow.zeros(2, 2, dtype=dt).tolist()
    ow.ones(3, dtype=dt).tolist()
    ow.full((2,), 3 - 4j).tolist()
    ow.full((2,), 3, dtype=dt).tolist()
    ow.full_like(ow.zeros(2), 1j, dtype=dt).tolist()
    ow.eye(2, dtype=dt).tolist()
    ow.empty(2, 3, dtype=dt).shape
    ow.zeros(2, dtype=dt).new_tensor([1, 2j]).tolist()
    ow.zeros(2, dtype=dt).new_ones(2).tolist()
    ow.zeros(2, dtype=dt).fill_(2 - 1j).tolist()
    ow.zeros(2, dtype=dt).fill_(ow.tensor(2 - 1j)).tolist()
    ow.scalar_tensor(1j, dtype=dt).tolist()
    ow.asarray([1 + 2j]).tolist()
    ow.as_tensor([1 + 2j, 3]).dtype
    ow.from_numpy(np.array([1 + 2j, 3], dtype=np.complex64)).tolist()
    ow.tensor(np.array([1 + 2j, 3], dtype=np.complex64)).tolist()
    ow.tensor([np.complex64(1 + 2j)]).tolist()
    ow.tensor([1 + 2j]).numpy().tolist(), ow.tensor([1 + 2j]).numpy().dtype.str
    np.asarray(ow.tensor([[1 + 2j, 3j]]).t()).tolist()
    ow.from_dlpack(ow.tensor([1 + 2j])).tolist()
    np.from_dlpack(ow.tensor([1 + 2j])).tolist()""",
    dtypes=COMPLEX,
)
table.many(
    "complex_converted",
    """[ow.tensor([0, 1, 2, 6], dtype=getattr(ow, name)).to(dt).tolist() for name in {names}]
    [ow.tensor([0, 1 + 2j, 2, 6.5 - 1j]).to(dt).to(getattr(ow, name)).float().tolist() for name in {names}]
    ow.tensor([0, 2j, 1]).bool().tolist()
    ow.tensor([1.5, -2.25]).cfloat().tolist()
    ow.zeros(2, dtype=dt).copy_(ow.tensor([1.5, 2])).tolist()
    ow.zeros(2).copy_(ow.tensor([1.5 + 2j, 2], dtype=dt)).tolist()
    complex(ow.tensor(1 + 2j)), bool(ow.tensor(2j)), bool(ow.tensor(0j)), float(ow.tensor(2 + 0j))
    ow.tensor([1 + 2j]).view(ow.float32).tolist()
    ow.tensor([[1.0, 2.0, 3.0, 4.0]]).view(dt).tolist()
    ow.tensor([1 + 2j]).view(ow.int64).tolist()""".replace("{names}", repr(DTYPES)),
    dtypes=COMPLEX,
)
MOVED = "x = ow.tensor([[1 + 2j, 3 - 4j, 0], [5j, -6, 7 + 0.5j]]); "
table.many(
    "complex_moved",
    "\n".join(
        MOVED + line.strip()
        for line in """x.clone().tolist()
        x.t().contiguous().tolist(), x.t().stride()
        x[1].tolist(), x[:, 1].tolist(), x[0, 1].item(), x[..., ::2].tolist()
        x[[1, 0]].tolist(), x[ow.tensor([[True, False, True], [False, True, True]])].tolist()
        x.reshape(3, 2).tolist(), x.flatten().tolist(), x.unsqueeze(0).squeeze().shape
        x.expand(2, 2, 3).clone().tolist()
        ow.cat([x, x[:1]]).tolist(), ow.stack([x, x]).shape, ow.cat([x[0], ow.ones(1)]).tolist()
        x.flip(0).tolist(), x.roll(1, 1).tolist(), x.repeat(1, 2).tolist(), ow.rot90(x).tolist()
        x.index_select(1, ow.tensor([2, 0])).tolist(), x.gather(1, ow.tensor([[2], [0]])).tolist()
        x.tril().tolist(), ow.diag(x[0]).tolist(), x.diagonal().tolist()
        [t.tolist() for t in x.chunk(3, 1)], [t.tolist() for t in x.unbind()]
        x.masked_fill(ow.tensor([True, False, True]), 9j).tolist()
        x.scatter(1, ow.tensor([[0], [1]]), x[:, 2:]).tolist()
        F.pad(x, (1, 0), value=1.5).tolist()
        x[0, 0] = 8 - 8j; x.tolist()
        x[1] = ow.tensor([1.0, 2.0, 3.0]); x.tolist()
        x[ow.tensor([1])] = ow.tensor([1j, 2j, 3j]); x.tolist()
        y = x.view(-1); y[0] = 1j; x[0, 0].item(), y.data_ptr() == x.data_ptr()
        x.to(ow.complex64) is x, x.untyped_storage().nbytes()
        ow.take(x, ow.tensor([0, 5])).tolist(), x.narrow(1, 1, 2).tolist()
        x.unfold(1, 2, 1).shape""".splitlines()
    ),
    dtypes=COMPLEX,
)
table.many(
    "complex_printed",
    """repr(ow.tensor([1 + 2j, -3.5j, 4]))
    repr(ow.tensor(1 - 2j))
    repr(ow.tensor([[1 + 2j, 100000 - 0.25j], [1e-3j, 7]]))
    repr(ow.tensor([1e10 + 1j, 1]))
    repr(ow.tensor([float('nan') + 1j, complex(float('inf'), -float('inf')), complex(0.0, -0.0)]))
    repr(ow.zeros(0, dtype=dt)), repr(ow.zeros(2, 0, dtype=dt))
    repr(ow.zeros(3, dtype=dt)), repr(ow.ones(30, 40, dtype=dt) )
    repr(ow.tensor([complex(i, -i) for i in range(1200)]))
    repr(ow.zeros(2, dtype=dt, device='meta'))
    repr(ow.tensor([1j], requires_grad=True)), repr(ow.tensor([1j], requires_grad=True).clone())
    str(ow.tensor([1 + 2j]).dtype), f'{ow.tensor(1 + 2j)}', f'{ow.tensor(0.5 - 2j):.2f}'""",
    dtypes=COMPLEX,
)
table.many(
    "complex_gradients",
    """x = ow.tensor([1 + 2j, 3j], requires_grad=True); \
x.clone().backward(ow.tensor([1j, 2])); x.grad.tolist()
    x = ow.tensor([1 + 2j, 3j], requires_grad=True); \
x.flip(0).backward(ow.tensor([1j, 2])); x.grad.tolist()
    x = ow.tensor([1 + 2j, 3j], requires_grad=True); \
x.t().clone().backward(ow.tensor([1j, 2])); x.grad.tolist()
    x = ow.tensor([1 + 2j, 3j], requires_grad=True); \
x.reshape(1, 2)[:, 1].backward(ow.tensor([1j])); x.grad.tolist()
    x = ow.tensor([1 + 2j, 3j], requires_grad=True); \
ow.cat([x, ow.ones(1)]).backward(ow.tensor([1j, 2, 3])); x.grad.tolist()
    x = ow.tensor([1.5, 2], requires_grad=True); x.to(dt).backward(ow.tensor([1 + 1j, 2j])); x.grad
    ow.zeros(2, dtype=dt).requires_grad_().requires_grad""",
    dtypes=COMPLEX,
)

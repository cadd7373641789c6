"""Functions that write in place, under transforms: through views, over tangents, example by example."""

import signal

import opweave as ow
import pytest
from opweave.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap


def close(got, want):
    assert got.shape == want.shape
    assert ow.allclose(got, want, 1e-12, 1e-12)


@pytest.fixture
def x():
    return ow.cos(ow.arange(9.0, dtype=ow.float64)).reshape(3, 3)


def _rows(first, x):
    return ow.cat([first[None], x[1:]])


def _write(act):
    def f(x):
        y = x.clone()
        act(y, x)
        return y

    return f


def _into(y, x):
    y[0] = x[1]
    return y


def _set_row(y, x):
    y[0] = x[1] * x[2]


def _read_through_a_view(x):
    y = (x * 1.0)[None]
    y[0, 0].mul_(x[1])
    return (y * 1)[0]


def _below_a_view(x):
    base = x * 1.0
    view = base.view(9)
    base.mul_(x)
    return (view * 1).view(3, 3)


WRITES = {
    "read through a view": (_read_through_a_view, lambda x: _rows(x[0] * x[1], x)),
    "below a view": (_below_a_view, lambda x: x * x),
    "sin": (_write(lambda y, x: y[0].sin_()), lambda x: _rows(x[0].sin(), x)),
    "mul": (_write(lambda y, x: y[0].mul_(2.0)), lambda x: _rows(x[0] * 2, x)),
    "set": (_write(_set_row), lambda x: _rows(x[1] * x[2], x)),
    "transposed": (
        _write(lambda y, x: y.t()[1:].exp_()),
        lambda x: ow.cat([x[:, :1], x[:, 1:].exp()], 1),
    ),
    "view of view": (
        _write(lambda y, x: y[1:][0][1:].mul_(x[0, 1:])),
        lambda x: ow.cat([x.view(9)[:4], x[1, 1:] * x[0, 1:], x.view(9)[6:]]).view(3, 3),
    ),
    "strides": (
        _write(lambda y, x: y.as_strided((3,), (4,)).mul_(x[1])),
        lambda x: x - ow.diag(x.diagonal()) + ow.diag(x.diagonal() * x[1]),
    ),
    "twice": (
        _write(lambda y, x: (y[0].mul_(x[1]), y[:, 0].sin_())),
        lambda x: (lambda r: ow.cat([r[:, :1].sin(), r[:, 1:]], 1))(_rows(x[0] * x[1], x)),
    ),
    "copy, then whole": (_write(lambda y, x: y.mul_(x).exp_()), lambda x: (x * x).exp()),
    "whole view": (_write(lambda y, x: y[...].exp_()), lambda x: x.exp()),
    "new zeros": (
        lambda x: _into(x.new_zeros(3, 3), x),
        lambda x: ow.cat([x[1:2], x.new_zeros(2, 3)]),
    ),
}
FUNCTIONS = pytest.mark.parametrize(("f", "plain"), WRITES.values(), ids=WRITES)


def _square(f):
    return lambda x: (f(x) ** 2).sum()


def _pulled(f):
    def pull(x):
        _, back = vjp(f, x)
        seeds = ow.eye(9, dtype=x.dtype).reshape(9, 3, 3)
        return vmap(back)(seeds)[0]

    return pull


def _rev_of_fwd(f):
    def along(x):
        return (jvp(f, (x,), (x.flip(0),))[1] ** 2).sum()

    return grad(along)


def _rev_of_fwd_of_fwd(f):
    def inner(x):
        return jvp(f, (x,), (x.flip(0),))[1]

    return grad(lambda x: (jvp(inner, (x,), (x.flip(1),))[1] ** 2).sum())


def _along(f, direction):
    return lambda x: jvp(f, (x,), (direction,))[1]


def _fwd_of_fwd(f):
    """Along directions that are no tangents themselves: tangents are constants for the outer level."""
    direction = ow.arange(1.0, 10.0, dtype=ow.float64).reshape(3, 3)
    return _along(_along(f, direction), direction)


WAYS = {
    "jvp of jvp": _fwd_of_fwd,
    "jvp of jvp of jvp": lambda f: _along(_fwd_of_fwd(f), ow.ones(3, 3, dtype=ow.float64)),
    "jacfwd of jacfwd": lambda f: jacfwd(jacfwd(f)),
    "jacfwd of jacrev": lambda f: jacfwd(jacrev(f)),
    "jvp of vmap of jvp": lambda f: _along(
        lambda x: vmap(lambda v: jvp(f, (x,), (v,))[1])(ow.ones(2, 3, 3, dtype=ow.float64)),
        ow.ones(3, 3, dtype=ow.float64),
    ),
    "jacrev": jacrev,
    "vmap of vjp": _pulled,
    "jacrev of jacrev": lambda f: jacrev(jacrev(f)),
    "hessian": lambda f: hessian(_square(f)),
    # The gradient that comes to the write is constant, what it makes of it is not.
    "hessian of a sum": lambda f: hessian(lambda x: f(x).sum()),
    "jvp of jvp of a sum's gradient": lambda f: _fwd_of_fwd(grad(lambda x: f(x).sum())),
    "jacfwd of jacfwd of a sum's gradient": lambda f: jacfwd(jacfwd(grad(lambda x: f(x).sum()))),
    "jacrev of grad": lambda f: jacrev(grad(_square(f))),
    "jacfwd": jacfwd,
    "grad of jvp": _rev_of_fwd,
    "grad of jvp of jvp": _rev_of_fwd_of_fwd,
    "vmap of grad of jvp": lambda f: lambda x: vmap(_rev_of_fwd(f))(ow.stack([x, x.sin()])),
    "vmap of jacrev": lambda f: lambda x: vmap(jacrev(f))(ow.stack([x, x.sin()])),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@FUNCTIONS
def test_derivatives_are_those_without_a_write(x, f, plain, way):
    close(way(f)(x), way(plain)(x))


@pytest.mark.parametrize("way", ["jacrev", "vmap of vjp", "jacrev of jacrev", "jacrev of grad"])
def test_rows_of_what_was_made_without_derivatives(x, way):
    plain = WRITES["new zeros"][1]
    close(WAYS[way](lambda x: _into(ow.zeros(3, 3, dtype=x.dtype), x))(x), WAYS[way](plain)(x))


def test_views_made_before_a_write_get_tangents_under_vmap(x):
    def f(x):
        y = x.new_zeros(3, 3)
        flat, turned = y.view(9), y.t()
        y[0].copy_(x[1])
        return flat * 2, turned + 1

    flat, turned = vmap(lambda t: jvp(f, (x,), (t,))[1])(ow.stack([x, x.sin()]))
    want = ow.stack([_into(x.new_zeros(3, 3), t) for t in (x, x.sin())])
    close(flat, want.view(2, 9) * 2)
    close(turned, want.mT)


def test_gradients_of_examples_accumulate():
    """One path gives a gradient that is the same for all examples, the other one for each."""
    x = ow.ones(3, dtype=ow.float64, requires_grad=True)
    y = x * 2 + x.clone().view(3, 1).view(-1)
    rows = vmap(lambda v: ow.autograd.grad(y, x, v, retain_graph=True)[0])
    seeds = ow.eye(3, dtype=ow.float64)
    close(rows(seeds), 3 * seeds)
    close(seeds, ow.eye(3, dtype=ow.float64))


def test_strides_of_examples(x):
    batch = ow.stack([x, x.sin(), x.exp()])
    for dim in range(3):
        got = vmap(lambda e: e.as_strided((2, 2), (1, 3)), in_dims=dim)(batch.movedim(0, dim))
        close(got, batch[:, :2, :2].mT)
    close(vmap(vmap(lambda r: r.as_strided((2,), (2,))))(batch), batch[..., ::2])
    inner = vmap(lambda e: e[1].as_strided((2,), (1,), e[1].storage_offset() + 1))
    close(inner(batch), batch[:, 1, 1:])


def test_loops_over_examples_end_with_a_signal():
    class StopError(Exception):
        pass

    def stop(*_):
        raise StopError

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(StopError):
            vmap(lambda e: e.nonzero())(ow.ones(0).expand(2**24, 0))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert ow._C._vmap_depth() == 0


def test_one_primal_for_tangents_of_several_examples(x):
    """as_strided() reads primal and tangents by the same strides."""

    def f(a):
        return a.reshape(9).as_strided((3, 3), (1, 3))

    batch = ow.stack([x, x.sin()])
    close(jacfwd(f)(x), jacrev(f)(x))
    close(vmap(lambda t: jvp(f, (x,), (t,))[1])(batch), batch.mT)


@pytest.mark.parametrize("name", ["add_", "mul_", "div_", "pow_", "copy_", "atan2_", "fmod_"])
@pytest.mark.parametrize("wide", [ow.float32, ow.float64])
@pytest.mark.parametrize("in_dims", [(0, 0), (0, None)])
@pytest.mark.parametrize("shape", [(4,), (4, 3)])
def test_numbers_are_written_beside_wider_ones(name, wide, in_dims, shape):
    """A cast of what is written would be a copy of it."""
    narrow = ow.float16 if wide == ow.float32 else ow.float32
    first = (ow.arange(12.0).reshape(4, 3)[(..., 0) if len(shape) == 1 else ...] + 2.0).to(narrow)
    second = (first + 1.25).to(wide)
    second = second if in_dims == (0, 0) else second[0]
    rows = second if in_dims == (0, 0) else [second] * 4
    expected = ow.stack([getattr(a.clone(), name)(b) for a, b in zip(first, rows, strict=True)])
    got = vmap(lambda a, b: getattr(a.clone(), name)(b), in_dims=in_dims)(first, second)
    assert got.dtype == narrow
    ow.testing.assert_close(got, expected)
    written = first.clone()
    vmap(lambda a, b: getattr(a, name)(b), in_dims=in_dims)(written, second)
    ow.testing.assert_close(written, expected)


def test_parts_of_numbers_are_written_beside_wider_ones():
    def assigned(a, b):
        a = a.clone()
        a[()] = b
        return a

    halves = ow.tensor([1.0, 2.0], dtype=ow.bfloat16)
    got = vmap(assigned)(halves, ow.tensor([0.5, 0.25]))
    assert got.tolist() == [0.5, 0.25]


@pytest.mark.parametrize("strides", [(2,), (3,), (1,)])
def test_tangents_of_memory_with_gaps(strides):
    """What is written in parts, into a tensor between whose elements memory lies."""
    x = ow.tensor([1.0, 2.0, 3.0], dtype=ow.float64)
    t = ow.tensor([1.0, 10.0, 100.0], dtype=ow.float64)

    def written(v):
        made = ow.empty_strided((3,), strides, dtype=ow.float64)
        made.copy_(v)
        made[1] = 5.0
        return (made**2).sum()

    def scattered(v):
        apart = ow.stack([v] * strides[0], -1)[:, 0]
        return (ow.select_scatter(apart, ow.tensor(5.0, dtype=ow.float64), 0, 1) ** 2).sum()

    for f in (written, scattered):
        close(jvp(grad(f), (x,), (t,))[1], ow.tensor([2.0, 0.0, 200.0], dtype=ow.float64))
        close(jvp(f, (x,), (t,))[1], ow.tensor(602.0, dtype=ow.float64))
    close(hessian(scattered)(x), ow.diag(ow.tensor([2.0, 0.0, 2.0], dtype=ow.float64)))

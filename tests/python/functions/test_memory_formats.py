"""Results lie in memory as their inputs do: memory formats go through networks, also to `out`."""

import opweave as ow
import opweave.nn.functional as F
import pytest

CHANNELS_LAST = {4: ow.channels_last, 5: ow.channels_last_3d}


def _input(sizes):
    ow.manual_seed(3)
    return ow.randn(sizes)


def _vector(x):
    return ow.arange(x.shape[1], dtype=x.dtype) + 0.5


def _native_dropout(x):
    ow.manual_seed(5)
    kept, mask = ow.native_dropout(x, 0.5, True)
    assert ((kept != 0) == mask).all()
    assert (kept[mask] == 2 * x[mask]).all()
    return ow.ones_like(kept), ow.ones_like(mask)  # what is drawn follows the order in memory


NORMALIZATIONS = {
    "batch_norm": lambda x: F.batch_norm(x, None, None, _vector(x), -_vector(x), training=True),
    "batch_norm, weight alone": lambda x: F.batch_norm(x, None, None, _vector(x), training=True),
    "batch_norm, running": lambda x: F.batch_norm(x, _vector(x), _vector(x) + 1),
    "group_norm": lambda x: F.group_norm(x, 1, _vector(x)),
}
OF_ANY = {
    **NORMALIZATIONS,
    "pad": lambda x: F.pad(x, (1, 2, 0, -1), value=3.5),
    "dropout": _native_dropout,
    "flip": lambda x: x.flip((1, -1)),
    "sort": lambda x: x.sort(1),
    "argsort": lambda x: x.argsort(-1, descending=True),
    "exp": lambda x: x.exp(),
}
OF_PLANES = {
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2, 1),
    "max_pool2d": lambda x: F.max_pool2d(x, (2, 3), 1, return_indices=True),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, 2),
    "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, 2, return_indices=True),
    "pad by reflection": lambda x: F.pad(x, (1, 2, 1, 0), mode="reflect"),
    "pad by replication": lambda x: F.pad(x, (1, 2, 1, 0), mode="replicate"),
}
CALLS = [
    (name, f, sizes) for name, f in OF_ANY.items() for sizes in ((2, 3, 4, 5), (2, 3, 4, 5, 2))
]
CALLS += [(name, f, (2, 3, 4, 5)) for name, f in OF_PLANES.items()]


def _results(found):
    return found if isinstance(found, (list, tuple)) else [found]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize(
    ("function", "sizes"), [pytest.param(f, s, id=f"{n}-{len(s)}") for n, f, s in CALLS]
)
def test_channels_last_is_kept(function, sizes, dtype):
    x = _input(sizes).to(getattr(ow, dtype))
    for found, wanted in zip(
        _results(function(x.contiguous(memory_format=CHANNELS_LAST[len(sizes)]))),
        _results(function(x)),
        strict=True,
    ):
        assert wanted.is_contiguous()
        assert not found.is_contiguous()
        assert found.is_contiguous(memory_format=CHANNELS_LAST[len(sizes)])
        tolerance = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-12}[dtype]
        assert ow.allclose(found.double(), wanted.double(), tolerance, tolerance)


@pytest.mark.parametrize("function", [lambda x: x.flip((0, 2)), lambda x: x.sort(1).values])
@pytest.mark.parametrize("order", [(2, 0, 1), (1, 0, 2), (0, 2, 1), (2, 1, 0)])
def test_any_order_in_memory_is_kept(function, order):
    x = _input((2, 3, 4)).permute(order)
    found = function(x)
    assert found.stride() == x.stride()
    assert (found == function(x.contiguous())).all()
    half = _input((2, 3, 8)).permute(order)[..., ::2]
    assert (function(half) == function(half.contiguous())).all()
    one = _input((1, 3, 4)).expand(2, 3, 4).permute(order)
    assert (function(one) == function(one.contiguous())).all()


@pytest.mark.parametrize(
    "function",
    [
        lambda x, **out: ow.add(x, x, **out),
        lambda x, **out: ow.add(x, x[:1], **out),
        lambda x, **out: ow.gt(x, 0, **out),
        lambda x, **out: ow.clamp(x, 0.5, **out),
        lambda x, **out: ow.msort(x, **out),
    ],
)
def test_out_of_another_size_gets_the_layout_of_the_result(function):
    x = _input((3, 4)).t()
    wanted = function(x)
    out = function(x, out=ow.empty(0, dtype=wanted.dtype))
    assert out.stride() == wanted.stride() == (1, 4)
    assert (out == wanted).all()
    kept = function(x, out=ow.empty(4, 3, dtype=wanted.dtype))  # of its size: its own
    assert kept.stride() == (3, 1)
    assert (kept == wanted).all()

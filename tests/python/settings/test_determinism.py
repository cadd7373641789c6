"""use_deterministic_algorithms(): what has not been set is known, and what is computed is the same again."""

import math
import re

import pytest

FILLED = {
    "float64": math.nan,
    "float16": math.nan,
    "bfloat16": math.nan,
    "int8": 127,
    "int64": 2**63 - 1,
    "uint8": 255,
    "uint16": 65535,
    "uint64": 2**64 - 1,
    "bool": True,
}
MADE = {
    "empty": lambda ow, dt: ow.empty(3, dtype=dt),
    "empty of a format": lambda ow, dt: ow.empty(
        1, 2, 2, 2, dtype=dt, memory_format=ow.channels_last
    ),
    "empty_like": lambda ow, dt: ow.empty_like(ow.zeros(2, 3, dtype=dt).t()),
    "empty_strided": lambda ow, dt: ow.empty_strided((2, 2), (3, 1), dtype=dt),
    "new_empty": lambda ow, dt: ow.zeros(1, dtype=dt).new_empty(4),
    "new_empty_strided": lambda ow, dt: ow.zeros(1, dtype=dt).new_empty_strided((2,), (2,)),
    "resize_": lambda ow, dt: ow.zeros(2, dtype=dt).resize_(5)[2:],
    "out=": lambda ow, dt: ow.zeros(0, dtype=dt).resize_(2, 2),
}


@pytest.fixture(autouse=True)
def as_before(ow):
    yield
    ow.use_deterministic_algorithms(False)
    ow.utils.deterministic.fill_uninitialized_memory = True


def is_same(value, expected):
    return math.isnan(value) if expected != expected else value == expected


@pytest.mark.parametrize("dtype", FILLED)
@pytest.mark.parametrize("how", MADE)
def test_what_has_not_been_set(ow, how, dtype):
    ow.use_deterministic_algorithms(True)
    made = MADE[how](ow, getattr(ow, dtype))
    assert made.numel() > 0
    assert all(is_same(value, FILLED[dtype]) for value in made.flatten().tolist())


def test_the_old_constructor(ow):
    ow.use_deterministic_algorithms(True)
    assert all(math.isnan(v) for v in [*ow.Tensor(3).tolist(), *ow.Tensor(ow.Size([2])).tolist()])
    assert ow.Tensor([1, 2]).tolist() == [1, 2]


def test_resize_keeps_what_there_was(ow):
    ow.use_deterministic_algorithms(True)
    assert ow.ones(6).resize_(2).resize_(5).tolist() == [1, 1, 1, 1, 1]
    grown = ow.ones(2, 2).resize_(3, 3).flatten().tolist()
    assert grown[:4] == [1] * 4
    assert all(map(math.isnan, grown[4:]))


def test_results_of_operators_are_not_touched(ow):
    ow.use_deterministic_algorithms(True)
    assert ow.zeros(2).tolist() == [0, 0]
    assert (ow.ones(3) + 1).tolist() == [2, 2, 2]
    assert ow.add(ow.ones(2), 1, out=ow.empty(0)).tolist() == [2, 2]
    assert ow.empty(2, device="meta").is_meta
    assert ow.empty(0).shape == (0,)


def test_who_decides(ow):
    settings = ow.utils.deterministic
    assert settings.fill_uninitialized_memory is True
    ow.use_deterministic_algorithms(True)
    settings.fill_uninitialized_memory = False
    probe = ow.zeros(2, dtype=ow.int32)
    assert 2**31 - 1 not in probe.resize_(0).resize_(2).tolist()
    settings.fill_uninitialized_memory = True
    for mode in ("warn", "error", 1, 2):
        ow.set_deterministic_debug_mode("default")
        assert not ow.are_deterministic_algorithms_enabled()
        ow.set_deterministic_debug_mode(mode)
        assert math.isnan(ow.empty(1).item())
    with pytest.raises(RuntimeError, match="expected a bool, but got int"):
        settings.fill_uninitialized_memory = 1


def test_what_is_no_bool(ow):
    with pytest.raises(TypeError, match=r"argument 'mode' \(position 1\) must be bool, not int"):
        ow.use_deterministic_algorithms(1)
    with pytest.raises(TypeError, match="argument 'warn_only' must be bool, not int"):
        ow.use_deterministic_algorithms(True, warn_only=3)
    assert not ow.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize(
    ("mode", "kind", "says"),
    [
        (5, RuntimeError, "expected 0, 1, or 2, but got 5"),
        ("x", RuntimeError, "expected one of `default`, `warn`, `error`, but got x"),
        (1.5, TypeError, "debug_mode must be str or int, but got <class 'float'>"),
    ],
)
def test_modes_that_there_are_not(ow, mode, kind, says):
    with pytest.raises(kind, match=re.escape(says)):
        ow.set_deterministic_debug_mode(mode)


# Operators whose kernels add what several threads or places come together in: sums of many orders.
TOGETHER = {
    "sum": lambda ow, x, i: x.sum(0),
    "mean of all": lambda ow, x, i: x.mean(),
    "cumsum": lambda ow, x, i: x.cumsum(0),
    "matmul": lambda ow, x, i: x.t() @ x,
    "scatter_add": lambda ow, x, i: ow.zeros(50, 16).scatter_add(0, i[:, None].expand_as(x), x),
    "index_add": lambda ow, x, i: ow.zeros(50, 16).index_add(0, i, x),
    "index_put": lambda ow, x, i: ow.zeros(50, 16).index_put((i,), x, accumulate=True),
    "rows of a table": lambda ow, x, i: ow.nn.functional.embedding(i, x),
    "bags": lambda ow, x, i: ow.nn.functional.embedding_bag(i.view(-1, 10), x, mode="sum"),
    "gather": lambda ow, x, i: x.gather(0, i[:, None].expand_as(x)),
    "convolution": lambda ow, x, i: ow.nn.functional.conv1d(x.t()[None], x[:48].view(3, 16, 16)),
    "interpolation": lambda ow, x, i: ow.nn.functional.interpolate(
        x[None, None], size=(3000, 40), mode="bilinear"
    ),
    "variance": lambda ow, x, i: x.var(0),
    "softmax": lambda ow, x, i: x.softmax(0),
    "weights": lambda ow, x, i: ow.bincount(i, x[:, 0].double().abs()),
}


@pytest.mark.parametrize("name", TOGETHER)
def test_the_same_again_with_several_threads(ow, name):
    threads = ow.get_num_threads()
    ow.set_num_threads(4)
    try:
        ow.manual_seed(0)
        x = ow.randn(20_000, 16, requires_grad=True)
        i = ow.randint(50, (20_000,))
        seen = []
        for _ in range(4):
            value = TOGETHER[name](ow, x, i)
            grads = ()
            if value.requires_grad:
                grads = ow.autograd.grad(value.sin().sum(), x)
            seen.append([value.detach(), *grads])
        for again in seen[1:]:
            assert all(ow.equal(a, b) for a, b in zip(again, seen[0], strict=True))
    finally:
        ow.set_num_threads(threads)

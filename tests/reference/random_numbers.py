"""Calls that draw random numbers, for any module with PyTorch's interface: what they give for a seed.

An answer holds the first numbers, to be read, and a hash of all of them with every bit.
"""

import hashlib
import itertools
import struct

SEEDS = (0, 5, 2**32 + 7, -3)
SIZES = (1, 2, 15, 16, 17, 31, 32, 100, 1000, 4099)
FLOATING = ("float32", "float64", "float16", "bfloat16")
WHOLE = ("uint8", "int8", "int16", "int32", "int64")


def answer(ow, draw):
    """What `draw(ow)` gives, a tensor or several."""
    drawn = draw(ow)
    tensors = drawn if isinstance(drawn, (list, tuple)) else [drawn]
    numbers = [float(x) for t in tensors for x in t.detach().to(ow.float64).reshape(-1).tolist()]
    packed = struct.pack(f"<{len(numbers)}d", *numbers)
    return {
        "first": numbers[:3],
        "count": len(numbers),
        "hash": hashlib.sha256(packed).hexdigest()[:32],
    }


def _fills():
    """In-place operators, of every size and dtype."""
    fills = {
        "uniform_()": lambda t: t.uniform_(),
        "uniform_(-1.3, 2.7)": lambda t: t.uniform_(-1.3, 2.7),
        "normal_()": lambda t: t.normal_(),
        "normal_(0.3, 1.7)": lambda t: t.normal_(0.3, 1.7),
        "exponential_(1.5)": lambda t: t.exponential_(1.5),
        "bernoulli_(0.3)": lambda t: t.bernoulli_(0.3),
        "random_()": lambda t: t.random_(),
        "random_(2, 11)": lambda t: t.random_(2, 11),
    }
    for (text, fill), dtype, n in itertools.product(fills.items(), FLOATING, SIZES):
        yield f"empty({n}, {dtype}).{text}", _fill(fill, n, dtype)
    for (text, fill), dtype in itertools.product(list(fills.items())[-3:], WHOLE):
        yield f"empty(100, {dtype}).{text}", _fill(fill, 100, dtype)


def _fill(fill, n, dtype):
    return lambda ow: fill(ow.empty(n, dtype=getattr(ow, dtype)))


def _functions():
    for n in SIZES:
        yield f"rand({n})", lambda ow, n=n: ow.rand(n)
        yield f"randn({n})", lambda ow, n=n: ow.randn(n)
        yield f"randperm({n})", lambda ow, n=n: ow.randperm(n)
        yield f"dropout of {n}", lambda ow, n=n: ow.nn.functional.dropout(ow.ones(n), 0.3)
        yield f"bernoulli of {n}", lambda ow, n=n: ow.bernoulli(ow.linspace(0, 1, n))
        yield (
            f"bernoulli of {n}, float64",
            lambda ow, n=n: ow.bernoulli(ow.linspace(0, 1, n, dtype=ow.float64)),
        )
    for high in (2, 10, 1000, 2**24, 2**28 - 1, 2**28, 2**31, 2**32 + 1, 2**40, 2**62):
        yield f"randint({high})", lambda ow, high=high: ow.randint(high, (50,)) % 2**31
    # Floating dtypes round some of the last numbers up: the bounds move.
    bounds = (
        (0, 2**12),
        (0, 2**15),
        (-(2**14), 5),
        (0, 2**20),
        (0, 2**28),
        (-(2**30), -5),
        (7, 2**40),
    )
    for dtype, (low, high) in itertools.product(FLOATING, bounds):
        if dtype != "float16" or (high <= 2**15 and low > -(2**15)):
            yield (
                f"empty(50, {dtype}).random_({low}, {high})",
                _fill(lambda t, low=low, high=high: t.random_(low, high), 50, dtype),
            )
    for dtype, n in itertools.product(("float32", "bfloat16", "uint8"), (5, 40)):
        yield f"empty({n}, {dtype}).geometric_(0.02)", _fill(lambda t: t.geometric_(0.02), n, dtype)
    for dtype, n in itertools.product(("float32", "bfloat16", "float16"), (5, 40)):
        yield f"empty({n}, {dtype}).cauchy_(1, 2)", _fill(lambda t: t.cauchy_(1, 2), n, dtype)
        yield (
            f"empty({n}, {dtype}).log_normal_(1, 0.5)",
            _fill(lambda t: t.log_normal_(1, 0.5), n, dtype),
        )
    for dtype in ("float32", "float64", "bfloat16", "int64"):
        yield (
            f"empty(50, {dtype}).random_(-(2**63), None)",
            _fill(lambda t: t.random_(-(2**63), None), 50, dtype),
        )
    yield (
        "dropout of nothing, with a mask",
        lambda ow: [ow.native_dropout(ow.ones(5), 0.0, True)[0], ow.rand(3)],
    )
    yield "randint(-5, 20), float32", lambda ow: ow.randint(-5, 20, (50,), dtype=ow.float32)
    yield "randperm(100), int32", lambda ow: ow.randperm(100, dtype=ow.int32)
    yield "rand_like", lambda ow: ow.rand_like(ow.empty(4, 5, dtype=ow.float64))
    yield "randn_like", lambda ow: ow.randn_like(ow.empty(4, 5))
    yield "normal of tensors", lambda ow: ow.normal(ow.arange(20.0), ow.arange(20.0) + 1)
    yield "normal of a tensor and a number", lambda ow: ow.normal(ow.arange(20.0), 2.5)
    yield "normal of a number and a tensor", lambda ow: ow.normal(1.5, ow.arange(20.0) + 1)
    yield "normal of numbers", lambda ow: ow.normal(1.5, 2.5, (20,))
    yield (
        "bernoulli_ of probabilities",
        lambda ow: ow.empty(30, dtype=ow.int32).bernoulli_(ow.linspace(0, 1, 30)),
    )


def _places():
    """Tensors that do not lie in a row."""
    places = {
        "transposed": lambda ow: ow.zeros(6, 8).t(),
        "sliced": lambda ow: ow.zeros(10, 10)[::2, ::3],
        "transposed and sliced": lambda ow: ow.zeros(10, 10).t()[::2, ::3],
        "permuted": lambda ow: ow.zeros(4, 3, 5, 2).permute(2, 0, 3, 1)[1:],
        "channels last": lambda ow: ow.zeros(2, 3, 4, 5).contiguous(memory_format=ow.channels_last),
    }
    fills = {
        "uniform_": lambda t: t.uniform_(),
        "normal_": lambda t: t.normal_(),
        "bernoulli_": lambda t: t.bernoulli_(0.4),
        "random_": lambda t: t.random_(0, 100),
        "exponential_": lambda t: t.exponential_(),
        "cauchy_": lambda t: t.cauchy_(),
        "log_normal_": lambda t: t.log_normal_(0, 0.5),
        "geometric_": lambda t: t.geometric_(0.02),
    }
    for (place, make), (name, fill) in itertools.product(places.items(), fills.items()):
        yield f"{name} of what is {place}", lambda ow, make=make, fill=fill: fill(make(ow))


def _drawn_from():
    """What is made after tensors that do not lie in a row."""
    functions = {
        "bernoulli": lambda ow, t: ow.bernoulli(t),
        "bernoulli(0.4)": lambda ow, t: ow.bernoulli(t, 0.4),
        "normal of means": lambda ow, t: ow.normal(t, 2.0),
        "normal of deviations": lambda ow, t: ow.normal(1.0, t),
        "normal of both": lambda ow, t: ow.normal(t, t),
        "randn_like": lambda ow, t: ow.randn_like(t),
        "dropout": lambda ow, t: ow.nn.functional.dropout(t, 0.4),
        "dropout in place": lambda ow, t: ow.nn.functional.dropout(t, 0.4, inplace=True),
        "dropout of everything": lambda ow, t: [ow.nn.functional.dropout(t, 1.0), ow.rand(2)],
        "dropout2d of everything": lambda ow, t: [
            ow.nn.functional.dropout2d(t.view_as(t)[None, None], 1.0),
            ow.rand(2),
        ],
        "alpha_dropout": lambda ow, t: ow.nn.functional.alpha_dropout(t, 0.4, True),
        "gumbel_softmax": lambda ow, t: ow.nn.functional.gumbel_softmax(t, dim=-1).argmax(-1),
    }
    for name, function in functions.items():
        yield (
            f"{name} of what is transposed",
            lambda ow, f=function: f(ow, (ow.arange(48.0).view(6, 8) / 50).t()),
        )


def _sequences():
    """Calls one after the other: what one leaves for the next."""
    yield "odd normals", lambda ow: [ow.randn(3), ow.rand(2), ow.randn(2), ow.randn(1), ow.randn(5)]
    yield (
        "normals of several dtypes",
        lambda ow: [ow.randn(3, dtype=ow.float64), ow.randn(20), ow.randn(2), ow.randint(9, (3,))],
    )
    yield "many words", lambda ow: [ow.rand(623), ow.rand(3), ow.randn(4000), ow.randperm(700)]


def _rrelu(ow, x):
    return ow.nn.functional.rrelu(x, 0.1, 0.4, training=True)


def _counts():
    """Numbers of which each takes as many uniform ones as it needs."""
    for dtype in ("float32", "float64"):
        yield (
            f"poisson, {dtype}",
            lambda ow, d=dtype: [ow.poisson(ow.arange(60, dtype=getattr(ow, d)) / 3), ow.rand(3)],
        )
        yield (
            f"binomial, {dtype}",
            lambda ow, d=dtype: [
                ow.binomial(
                    ow.arange(0, 240, 4, dtype=getattr(ow, d)),
                    ow.linspace(0, 1, 60, dtype=getattr(ow, d)),
                ),
                ow.rand(3),
            ],
        )
    yield "rrelu", lambda ow: [_rrelu(ow, ow.arange(40.0) % 7 - 3), ow.rand(3)]
    yield (
        "rrelu, float64",
        lambda ow: _rrelu(ow, ow.arange(40, dtype=ow.float64).view(5, 8).t() - 20),
    )
    yield (
        "fractional_max_pool2d",
        lambda ow: ow.nn.functional.fractional_max_pool2d(
            ow.arange(2 * 3 * 9 * 8.0).reshape(2, 3, 9, 8) * 37 % 101, 2, (4, 5)
        ),
    )
    yield (
        "fractional_max_pool3d",
        lambda ow: ow.nn.functional.fractional_max_pool3d(
            ow.arange(3 * 6 * 7 * 8.0).reshape(3, 6, 7, 8) * 37 % 101, (2, 1, 2), (3, 4, 5)
        ),
    )


def _layers():
    layers = {
        "Linear": lambda nn: nn.Linear(20, 30),
        "Conv2d": lambda nn: nn.Conv2d(3, 8, 3),
        "ConvTranspose2d": lambda nn: nn.ConvTranspose2d(3, 8, 3),
        "Embedding": lambda nn: nn.Embedding(10, 7),
        "Sequential": lambda nn: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3)),
    }
    for name, make in layers.items():
        yield name, lambda ow, make=make: list(make(ow.nn).parameters())
    for name, options in {
        "uniform_": {"a": -0.5, "b": 2},
        "normal_": {"mean": 1, "std": 0.5},
        "xavier_uniform_": {"gain": 1.5},
        "xavier_normal_": {},
        "kaiming_uniform_": {"nonlinearity": "relu"},
        "kaiming_normal_": {"mode": "fan_out"},
    }.items():
        yield (
            f"init.{name}",
            lambda ow, name=name, options=options: getattr(ow.nn.init, name)(
                ow.empty(9, 11), **options
            ),
        )


def cases():
    """{name: function of a module}."""
    groups = (_fills(), _functions(), _places(), _drawn_from(), _sequences(), _counts(), _layers())
    return dict(itertools.chain(*groups))


def seeds_of(name):
    """Which seeds a case is drawn with."""
    return SEEDS if name in ("rand(17)", "randn(17)", "odd normals", "many words") else SEEDS[1:2]


def record(torch):
    """{seed and case: answer}, and states of the generator after calls."""
    answers = {}
    for name, draw in cases().items():
        for seed in seeds_of(name):
            torch.manual_seed(seed)
            answers[f"{seed}: {name}"] = answer(torch, draw)
    for name in ("odd normals", "many words"):
        torch.manual_seed(5)
        cases()[name](torch)
        answers[f"state after {name}"] = answer(torch, lambda t: t.get_rng_state())
    return answers

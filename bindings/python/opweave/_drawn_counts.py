"""Counts that are drawn: poisson() and binomial().

The ways to draw are those of Hörmann (1993), and each number takes as many uniform ones as it needs, so that
the engine mt19937 gives the numbers of PyTorch's CPU.
"""

import math

import opweave
from opweave._arguments import takes as _takes
from opweave._overridable import make_overridable as _make_overridable

__all__ = ["binomial", "poisson"]
_BLOCK = 1024


class _Uniform:
    """Numbers from 0 to 1, one after the other; drawn in blocks. close() gives back what was not used, of an
    engine whose numbers are counted."""

    def __init__(self, generator):
        self._generator = generator or opweave.default_generator
        self._counted = self._generator.engine == "mt19937"
        self._drawn = iter(())
        self._before = None

    def _draw(self, count):
        return opweave.rand(count, dtype=opweave.float64, generator=self._generator)

    def __call__(self):
        for value in self._drawn:
            return value
        if self._counted:
            self._before = self._generator.get_state()
        self._drawn = iter(self._draw(_BLOCK).tolist())
        return next(self._drawn)

    def close(self):
        if self._before is not None:
            used = _BLOCK - sum(1 for _ in self._drawn)
            self._generator.set_state(self._before)
            self._draw(used)


# --- Poisson ------------------------------------------------------------------------------------------------
def _poisson(rate, uniform):
    if not 0 <= rate < math.inf:
        raise RuntimeError(
            f"invalid Poisson rate, expected rate to be non-negative and finite, got {rate}"
        )
    if rate >= 10:
        return _poisson_of_many(rate, uniform)
    count, product, end = 0, 1.0, math.exp(-rate)
    while rate > 0:
        product *= uniform()
        if product <= end:
            break
        count += 1
    return count


def _poisson_of_many(rate, uniform):
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    scale = math.log(1.1239 + 1.1328 / (b - 3.4))
    box = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = uniform() - 0.5
        v = uniform()
        edge = 0.5 - abs(u)
        k = math.floor((2 * a / edge + b) * u + rate + 0.43)
        if edge >= 0.07 and v <= box:
            return k
        if k < 0 or (edge < 0.013 and v > edge):
            continue
        density = -rate + k * math.log(rate) - math.lgamma(k + 1)
        if math.log(v) + scale - math.log(a / (edge * edge) + b) <= density:
            return k


# --- binomial -----------------------------------------------------------------------------------------------
def _binomial(count, share, uniform):
    if math.isnan(count) or math.isnan(share):
        return math.nan
    if count <= 0 or share <= 0:
        return 0
    if math.isinf(count):
        raise RuntimeError(f"binomial(): expected finite counts, got {count}")
    if share >= 1:
        return count
    less = min(share, 1 - share)
    way = _binomial_of_many if count * less >= 10 else _binomial_of_few
    found = way(count, less, uniform)
    return found if share <= 0.5 else count - found


def _binomial_of_few(count, share, uniform):
    """By the lengths of runs without success."""
    passed, found = 0.0, 0
    log_of_failure = math.log1p(-share)
    while True:
        u = uniform()
        passed += math.inf if u == 0 else math.ceil(math.log(u) / log_of_failure)
        if passed > count:
            return found
        found += 1


# What Stirling's formula leaves of log(k!), for small k.
_TAILS = tuple(
    math.lgamma(k + 1) - ((k + 0.5) * math.log(k + 1) - (k + 1) + 0.5 * math.log(2 * math.pi))
    for k in range(10)
)


def _tail(k):
    if k <= 9 and k == int(k):
        return _TAILS[int(k)]
    square = (k + 1) * (k + 1)
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)


def _binomial_of_many(count, share, uniform):
    deviation = math.sqrt(count * share * (1 - share))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * share
    middle = count * share + 0.5
    box = 0.92 - 4.2 / b
    scale = (2.83 + 5.1 / b) * deviation
    bound = _bound(count, share)
    while True:
        u = uniform() - 0.5
        v = uniform()
        edge = 0.5 - abs(u)
        k = math.floor((2 * a / edge + b) * u + middle)
        if k < 0 or k > count:
            continue
        if edge >= 0.07 and v <= box:
            return k
        if v == 0 or math.log(v * scale / (a / (edge * edge) + b)) <= bound(k):
            return k


def _bound(count, share):
    """The logarithm of how likely k is, by how likely the likeliest number is."""
    ratio = share / (1 - share)
    mode = math.floor((count + 1) * share)
    rest = count - mode + 1
    fixed = (mode + 0.5) * math.log((mode + 1) / (ratio * rest)) + _tail(mode) + _tail(count - mode)

    def bound(k):
        left = count - k + 1
        return (
            fixed
            + (count + 1) * math.log(rest / left)
            + (k + 0.5) * math.log(ratio * left / (k + 1))
            - _tail(k)
            - _tail(count - k)
        )

    return bound


# --- tensors ------------------------------------------------------------------------------------------------
class _Drawn(opweave.autograd.Function):
    """Drawn numbers, with gradients of zero."""

    @staticmethod
    def forward(ctx, function, generator, *inputs):
        uniform = _Uniform(generator)
        inputs = opweave.broadcast_tensors(*inputs)
        columns = [t.reshape(-1).tolist() for t in inputs]
        try:
            found = [function(*values, uniform) for values in zip(*columns, strict=True)]
        finally:
            uniform.close()
        like = inputs[0]
        return opweave.tensor(found, dtype=like.dtype, device=like.device).reshape(like.shape)

    @staticmethod
    def backward(ctx, grad):
        needed = ctx.needs_input_grad[2:]
        return None, None, *(opweave.zeros_like(grad) if n else None for n in needed)


@_takes(input="Tensor")
def poisson(input, generator=None):
    """How many events come, for each rate, as numbers of the input's dtype. The gradient is zero.

    Raises:
        RuntimeError: a negative rate.
        NotImplementedError: integers.
    """
    if not input.is_floating_point():
        raise NotImplementedError(f"poisson(): expected floating-point rates, got {input.dtype}")
    return _Drawn.apply(_poisson, generator, input)


@_takes(count="Tensor", prob="Tensor")
def binomial(count, prob, generator=None):
    """How many of `count` trials succeed that do so with probability `prob`, as numbers of the dtype of
    `count`. The gradient is zero.

    Raises:
        ValueError: a count that is no floating-point number.
        RuntimeError: a probability of another dtype.
    """
    if not count.is_floating_point():
        raise ValueError(
            f"binomial only supports floating-point dtypes for count, got: {count.dtype}"
        )
    if prob.dtype != count.dtype:
        raise RuntimeError(f"binomial(): found dtype {prob.dtype} but expected {count.dtype}")
    counts, probs = opweave.broadcast_tensors(count, prob)
    return _Drawn.apply(_binomial, generator, counts, probs)


_make_overridable(globals())

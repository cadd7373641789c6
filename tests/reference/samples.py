"""Sample inputs of the reference cases: small, reproducible, and exact in every dtype."""

import functools
import itertools
import re
import zlib
from dataclasses import dataclass

FLOATS = ("float64", "float32", "float16", "bfloat16")
INTS = ("uint8", "int8", "int16", "int32", "int64")
ALL = FLOATS + INTS + ("bool",)
F64 = ("float64",)
F32 = ("float32",)
REAL = ("float64", "float32")

# Floats are odd multiples of a power of two: exact in bfloat16, and never on a kink (0, 1, …).
# domain: (smallest odd numerator, largest, denominator, smallest integer, largest integer)
_DOMAINS = {
    "real": (-63, 63, 16, -9, 9),
    "positive": (1, 63, 16, 1, 9),
    "nonzero": (9, 63, 16, 1, 9),
    "unit": (-63, 63, 64, -1, 1),
    "prob": (1, 63, 64, 0, 1),
    "ge1": (33, 127, 32, 1, 9),
    "wide": (-95, 95, 8, -12, 12),
    "small": (-7, 7, 16, -3, 3),
}


def whole_numbers(domain):
    """Those of a domain; none of one that is no range of numbers."""
    _, _, _, smallest, largest = _DOMAINS.get(domain, (0, 0, 1, 0, -1))
    return range(smallest, largest + 1)


@dataclass(frozen=True)
class Sample:
    """One input: a domain and a shape, or literal values; a memory layout; maybe a fixed dtype."""

    domain: str
    shape: tuple = ()
    layout: str = (
        ""  # t: last two dims swapped; s: every second element; e: first dim expanded; o: offset
    )
    dtype: str = ""  # fixed dtype; otherwise the dtype that the case is run with
    values: tuple = None  # nested lists, for domain "literal"
    limit: int = 0  # exclusive upper bound, for domain "index"
    grad: bool = True  # takes part in gradient checks

    def label(self):
        """Tells the sample apart in a test's name."""
        fixed = f":{self.dtype}" if self.dtype and self.domain not in ("index", "mask") else ""
        if self.domain == "literal":
            text = str(self.values).replace(" ", "")
            if len(text) > 24:
                text = f"{text[:14]}~{zlib.crc32(text.encode()) % 0xFFFF:x}"
            return text + fixed
        shape = "x".join(map(str, self.shape)) or "()"
        prefix = "" if self.domain in ("real", "index", "mask") else self.domain + " "
        return prefix + shape + self.layout + fixed


def _domain(domain):
    def make(*shape, layout="", dtype="", grad=True):
        return Sample(domain, tuple(shape), layout, dtype, grad=grad)

    make.__doc__ = f"A sample tensor of the domain {domain!r}."
    return make


real, positive, nonzero, unit, prob, ge1, wide, small, distinct = map(
    _domain, ("real", "positive", "nonzero", "unit", "prob", "ge1", "wide", "small", "distinct")
)


def lit(values, dtype="", layout="", grad=True):
    """A sample of literal values: a number or nested lists."""
    return Sample("literal", (), layout, dtype, values, grad=grad)


def index(limit, *shape, dtype="int64"):
    """Indices in [0, limit)."""
    return Sample("index", tuple(shape), "", dtype, limit=limit, grad=False)


def mask(*shape):
    return Sample("mask", tuple(shape), "", "bool", grad=False)


def _random(seed):
    state = zlib.crc32(seed.encode()) + 1
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield state >> 33


def _count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def _distinct(n, stream, is_float):
    values = list(range(n))
    for i in range(n - 1, 0, -1):
        j = next(stream) % (i + 1)
        values[i], values[j] = values[j], values[i]
    return [(2 * v + 1 - n) / 16 for v in values] if is_float else [v - n // 2 for v in values]


@functools.lru_cache(maxsize=1024)
def draw(sample, shape, name, dtype):
    """Values of a sample as a flat list of Python numbers, the same on every machine; nobody changes it."""
    n = _count(shape)
    stream = _random(f"{sample.domain} {shape} {name}")
    if sample.domain == "index":
        return [next(stream) % sample.limit for _ in range(n)]
    if dtype == "bool":
        return [next(stream) % 2 == 1 for _ in range(n)]
    is_float = "float" in dtype
    if sample.domain == "distinct":
        values = _distinct(n, stream, is_float)
    else:
        low, high, denominator, int_low, int_high = _DOMAINS[sample.domain]
        if is_float:
            steps = (high - low) // 2 + 1
            values = [(low + 2 * (next(stream) % steps)) / denominator for _ in range(n)]
        else:
            values = [int_low + next(stream) % (int_high - int_low + 1) for _ in range(n)]
    return [abs(v) for v in values] if dtype.startswith("uint") else values


def nest(flat, shape):
    """A flat list as nested lists of the given shape."""
    items = list(flat)
    for size in reversed(shape[1:]):
        items = [items[i : i + size] for i in range(0, len(items), size)]
    return items if shape else items[0]


def _plain(ow, sample, shape, name, dtype):
    if 0 in shape:
        return ow.empty(shape, dtype=getattr(ow, dtype))
    flat = draw(sample, shape, name, dtype)
    return ow.tensor(nest(flat, shape), dtype=getattr(ow, dtype))


def build(ow, sample, name, dtype):
    """The tensor of a sample in module `ow`."""
    dtype = sample.dtype or dtype
    shape, layout = sample.shape, sample.layout
    if sample.domain == "literal":
        return ow.tensor(sample.values, dtype=getattr(ow, dtype))
    if layout == "t":
        swapped = (*shape[:-2], shape[-1], shape[-2])
        return _plain(ow, sample, swapped, name, dtype).transpose(-1, -2)
    if layout == "s":
        return _plain(ow, sample, (*shape[:-1], 2 * shape[-1]), name, dtype)[..., ::2]
    if layout == "e":
        return _plain(ow, sample, (1, *shape[1:]), name, dtype).expand(shape)
    if layout == "o":
        return _plain(ow, sample, (shape[0] + 1, *shape[1:]), name, dtype)[1:]
    return _plain(ow, sample, shape, name, dtype)


def weights(shape, salt):
    """Fixed, uneven weights of an output: the gradient that a backward pass starts from."""
    n = _count(shape)
    stream = _random(f"weights {salt}")
    return nest([(2 * (next(stream) % 32) - 31) / 16 for _ in range(n)], shape) if n else []


# Special values of floating dtypes, and pairs of them.
SPECIAL = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-30, -1e30]
_SMALL_SPECIAL = [float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.5, -2.0]
_PAIRS = list(itertools.product(_SMALL_SPECIAL, repeat=2))
SPECIAL_LEFT = [a for a, _ in _PAIRS]
SPECIAL_RIGHT = [b for _, b in _PAIRS]


def listed(values, operator):
    """The values with one number for `int[2]` repeated, as only PyTorch's Python functions do it."""
    sizes = {a.name: re.search(r"int\[(\d+)\]", a.type, re.IGNORECASE) for a in operator.arguments}
    return {
        n: [v] * int(sizes[n][1]) if sizes[n] and isinstance(v, int) else v
        for n, v in values.items()
    }

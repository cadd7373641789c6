"""Numbers beside tensors of 16 bits: whether a number is rounded to the dtype before it computes, or not, is
PyTorch's choice of each operator. Its answers where that makes a difference are recorded
(record_narrow.py), and compared by tests/python/generated/test_narrow.py."""

import itertools

DTYPES = ("bfloat16", "float16")
_KINDS = ("Scalar", "Scalar?", "float", "float?")
# What is no multiple of anything that 16 bits hold.
_FACTOR, _BESIDE = 1 + 1 / 300, 1 / 7000
_ORDINARY = (0.5, -1.25, 3.0, 0.0, 17.0)
_MOST = 3  # tensors


class Narrow:
    """One call in a module `ow` that has PyTorch's interface. `run(values)` makes it."""

    def __init__(self, ow, calls, operator, sample, run):
        self.ow, self.calls, self.sample, self.run = ow, calls, sample, run
        self.tensors = [n for n, value in sample.items() if calls.takes_dtype(value)]
        given = calls.arguments(ow, sample)
        kinds = [a for a in operator.arguments if a.type in _KINDS]
        values = {a.name: given.get(a.name, a.default) for a in kinds}
        self.numbers = {
            n: v * _FACTOR + _BESIDE
            for n, v in values.items()
            if isinstance(v, (int, float)) and not isinstance(v, bool)
        }

    @property
    def is_possible(self):
        whole = all(not isinstance(self.sample[n], list) for n in self.tensors)
        return bool(self.numbers) and 0 < len(self.tensors) <= _MOST and whole

    @property
    def key(self):
        others = {
            n: v for n, v in self.sample.items() if n not in self.tensors and n not in self.numbers
        }
        numbers = [f"{n}={v:.5g}" for n, v in self.numbers.items()]
        return ",".join([*self.tensors, *numbers, *([self.calls.label(others)] if others else [])])

    def elements(self, dtype):
        """Those next to each number, and some others."""
        found = list(_ORDINARY)
        for number in self.numbers.values():
            near = self.ow.tensor(number, dtype=getattr(self.ow, dtype)).item()
            step = abs(near) * (2**-7 if dtype == "bfloat16" else 2**-10)
            found += [s * (near + k * step) for k in (-1, 0, 1) for s in (1, -1)]
        return found

    def points(self, dtype):
        """For one tensor its elements, for several all pairs with those of the first."""
        elements = self.elements(dtype)
        if len(self.tensors) == 1:
            return [(x,) for x in elements]
        pairs = itertools.product(elements, elements[:: max(1, len(elements) // 6)])
        return [(a, *[b] * (len(self.tensors) - 1)) for a, b in pairs]

    def answers(self, points, dtype):
        """The elements of the result, in its order."""
        columns = zip(*points, strict=True)
        given = [self.ow.tensor(list(c), dtype=getattr(self.ow, dtype)) for c in columns]
        values = self.calls.arguments(self.ow, self.sample)
        found = self.run({**values, **self.numbers, **dict(zip(self.tensors, given, strict=True))})
        return found.reshape(-1).tolist()


def same(a, b):
    return a == b or (a != a and b != b)

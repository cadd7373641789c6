"""Pointwise operators at special points: where a number is NaN, infinite, zero or on a kink. What PyTorch
gives there, and its derivatives, is recorded (record_specials.py), and compared by
tests/python/generated/test_specials.py."""

import itertools
import math

INF, NAN = math.inf, math.nan
# The points of an argument, by how many tensors the call has: their product is taken.
POINTS = {
    1: (
        NAN,
        INF,
        -INF,
        0.0,
        -0.0,
        *(s * x for x in (0.5, 1.0, 1.5, 2.0, 3.0, 1000.0) for s in (1, -1)),
        6.0,
        20.0,
    ),
    2: (NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.0),
    3: (NAN, INF, -INF, 0.0, 1.0, -2.0),
}
RECORDED = ("value", "gradient", "second")


class Specials:
    """One call in a module `ow` that has PyTorch's interface. `run(values)` makes it."""

    def __init__(self, ow, calls, sample, run):
        self.ow, self.calls, self.sample, self.run = ow, calls, sample, run
        self.names = [name for name, value in sample.items() if calls.takes_dtype(value)]

    @property
    def is_possible(self):
        """Whether every tensor takes floats, and there are few enough."""
        lists = [n for n in self.names if isinstance(self.sample[n], list)]
        built = self.calls.tensors(self.ow, self.calls.arguments(self.ow, self.sample))
        return not lists and len(built) == len(self.names) and len(built) in POINTS

    @property
    def key(self):
        """Calls that differ in the elements of their tensors alone have the same."""
        others = {n: v for n, v in self.sample.items() if n not in self.names}
        return ",".join([*self.names, *([self.calls.label(others)] if others else [])])

    def points(self):
        return list(itertools.product(POINTS[len(self.names)], repeat=len(self.names)))

    def answers(self, points, kinds=RECORDED):
        """{kind: {argument: elements}}; a value is that of no argument. What cannot be asked is left out."""
        found = {}
        for kind in kinds:
            try:
                found[kind] = getattr(self, f"_{kind}")(points)
            except (RuntimeError, NotImplementedError):
                if kind == "value":
                    raise
        return found

    def _tensors(self, points):
        columns = zip(*points, strict=True)
        return [self.ow.tensor(list(c), dtype=self.ow.float64) for c in columns]

    def _call(self, tensors):
        values = self.calls.arguments(self.ow, self.sample)
        return self.run({**values, **dict(zip(self.names, tensors, strict=True))})

    def _value(self, points):
        return {"": self._call(self._tensors(points)).reshape(-1).tolist()}

    def _gradients(self, points, **options):
        leaves = [t.requires_grad_() for t in self._tensors(points)]
        total = self._call(leaves).sum()
        return leaves, self.ow.autograd.grad(total, leaves, allow_unused=True, **options)

    def _gradient(self, points):
        return self._named(*self._gradients(points))

    def _second(self, points):
        """The derivatives of the sum of the first ones."""
        leaves, first = self._gradients(points, create_graph=True)
        first = [g.sum() for g in first if g is not None and g.requires_grad]
        none = [None] * len(leaves)
        found = self.ow.autograd.grad(sum(first), leaves, allow_unused=True) if first else none
        return self._named(leaves, found)

    def _forward(self, points):
        """The tangent of the result, by each argument alone."""
        found = []
        tensors = self._tensors(points)
        for i, tensor in enumerate(tensors):

            def of_one(t, i=i):
                return self._call([*tensors[:i], t, *tensors[i + 1 :]])

            found.append(self.ow.func.jvp(of_one, (tensor,), (self.ow.ones_like(tensor),))[1])
        return self._named(tensors, found)

    def _named(self, leaves, found):
        given = zip(self.names, leaves, found, strict=True)
        return {n: [0.0] * x.numel() if g is None else g.reshape(-1).tolist() for n, x, g in given}


def close(a, b):
    """To the digits that different kernels for one function share: PyTorch has constants in float32."""
    return a == b or (a != a and b != b) or abs(a - b) <= 1e-12 + 1e-7 * abs(a)

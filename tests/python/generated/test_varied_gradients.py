"""Derivatives beside the samples: of other arguments, sizes and ranks, where hands have written the kernel or
its formulas. Each call is differentiated along one direction, which is cheap; what differs there is told by
gradcheck."""

import gradient_blame
import opweave as ow
import pytest
from cases import cases
from opweave.autograd import forward_ad, gradcheck, gradgradcheck
from variations import REFUSALS, is_varied, variations_of_derivatives

STEP = 1e-6


def _differentiable(case):
    return case.is_differentiable and case.is_finite


def _directions(tensors, salt):
    generator = ow.Generator().manual_seed(salt)
    return tuple(ow.randn(t.shape, dtype=t.dtype, generator=generator) for t in tensors)


def _as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def _inner(a, b):
    return sum(((x * y).sum() for x, y in zip(a, b, strict=True)), ow.zeros((), dtype=ow.float64))


def _moved(tensors, along, step):
    return [x.detach() + step * v for x, v in zip(tensors, along, strict=True)]


class _Line:
    """The function of a call along a line through its arguments, its results weighted."""

    def __init__(self, case):
        self.function, self.inputs = case.as_function()
        self.along = _directions(self.inputs, 3)
        self.results = _as_tuple(self.function(*self.inputs))
        self.weights = _directions(self.results, 5)

    def slope(self):
        """(the derivative by differences, the sum of the sizes of its terms); None where there is none, as
        at kinks and at the edge of what the operator takes."""
        try:
            ahead, behind = (
                _as_tuple(self.function(*_moved(self.inputs, self.along, step)))
                for step in (STEP, -STEP)
            )
        except REFUSALS:
            return None
        terms = [
            [w * (a - b) / STEP for a, b, w in zip(later, earlier, self.weights)]
            for later, earlier in ((ahead, self.results), (self.results, behind))
        ]
        right, left = (sum(float(t.sum()) for t in side) for side in terms)
        size = sum(float(t.abs().sum()) for t in terms[0])
        return ((right + left) / 2, size) if _is_near(right, left, size, 1e-4) else None

    def gradients(self, inputs, weights, **options):
        """Of the weighted results, by the inputs."""
        pairs = zip(_as_tuple(self.function(*inputs)), weights)
        pairs = [(r, w) for r, w in pairs if r.requires_grad]
        if not pairs:
            return [ow.zeros_like(x) for x in inputs]
        return ow.autograd.grad(
            *([r for r, _ in pairs], inputs, [w for _, w in pairs]),
            allow_unused=True, materialize_grads=True, **options,
        )  # fmt: skip

    def backward(self):
        inputs = [x.detach().requires_grad_() for x in self.inputs]
        return float(_inner(self.gradients(inputs, self.weights), self.along))

    def forward(self):
        with forward_ad.dual_level():
            given = [forward_ad.make_dual(x, v) for x, v in zip(self.inputs, self.along)]
            found = [forward_ad.unpack_dual(r) for r in _as_tuple(self.function(*given))]
            pairs = [(d.tangent, w) for d, w in zip(found, self.weights) if d.tangent is not None]
        return float(_inner(*zip(*pairs))) if pairs else 0.0

    def second(self):
        """(the derivative of the backward pass along another line, that by differences); None where the
        gradient has a kink, or ends with what the operator takes."""
        both = [t.detach().requires_grad_() for t in (*self.inputs, *self.weights)]
        across = _directions(both, 7)
        here = self._along(both, create_graph=True)
        try:
            ahead, behind = (
                self._along([t.requires_grad_() for t in _moved(both, across, step)])
                for step in (STEP, -STEP)
            )
        except REFUSALS:
            return None
        right, left = (float(ahead - here) / STEP, float(here - behind) / STEP)
        if not _is_near(right, left, abs(right), 1e-4):
            return None
        of_both = [ow.zeros_like(t) for t in both]
        if here.requires_grad:
            of_both = ow.autograd.grad(here, both, allow_unused=True, materialize_grads=True)
        return float(_inner(of_both, across)), (right + left) / 2

    def _along(self, both, **options):
        inputs, weights = both[: len(self.inputs)], both[len(self.inputs) :]
        return _inner(self.gradients(inputs, weights, **options), self.along)


def _is_near(a, b, size, tolerance=1e-5):
    return abs(a - b) <= 1e-6 + tolerance * size


def _derivative(compute, case, what):
    """What a pass computes; whatever it refuses, the operator has taken."""
    found = []
    error = gradient_blame.error_of(lambda: found.append(compute()))
    if error:
        gradient_blame.fail(case, error, what)
    return found[0]


def _tell(case, check, line, what, *more):
    """Fails if the check finds a derivative wrong too."""
    inputs = [x.detach().requires_grad_() for x in line.inputs]
    if error := gradient_blame.error_of(lambda: check(line.function, inputs, *more)):
        gradient_blame.fail(case, error, what)


def _check(case):
    line = _Line(case)
    slope = line.slope()
    if slope is None:
        return
    real, size = slope
    backward = _derivative(line.backward, case, "gradient")
    if not _is_near(backward, real, size):
        _tell(case, gradcheck, line, "gradient")
    forward = _derivative(line.forward, case, "tangent")
    if not _is_near(forward, backward, size):
        gradient_blame.fail_forward(case, forward, backward)
    both = _derivative(line.second, case, "second derivative")
    if both and not _is_near(*both, abs(both[1])):
        seeds = [w.requires_grad_() for w in line.weights]
        _tell(case, gradgradcheck, line, "second derivative", seeds)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "case", cases("gradient_beside", lambda c: is_varied(c) and _differentiable(c))
)
def test_derivatives(case):
    for varied in variations_of_derivatives(case):
        if varied.is_taken and _differentiable(varied):
            _check(varied)

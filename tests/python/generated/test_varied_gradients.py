"""Derivatives beside the samples: of other arguments, sizes and ranks, where hands have written the kernel or
its formulas. Each call is differentiated along one direction, which is cheap; what differs there is told by
gradcheck."""

from math import inf, nan

import gradient_blame
import opweave as ow
import pytest
from calls import mapped
from cases import cases
from layouts import KINDS, drawn_layouts, told
from opweave.autograd import forward_ad, gradcheck, gradgradcheck
from variations import (
    REFUSALS,
    has_forward_rule,
    is_varied,
    variations_of_derivatives,
    variations_of_places,
)

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

    def __init__(self, case, values=None):
        self.function, self.inputs = case.as_function(values)
        self.along = _directions(self.inputs, 3)
        self.results = _as_tuple(self.function(*self.inputs))
        self.weights = _directions(self.results, 5)

    def slope(self, far=STEP):
        """(the derivative by differences, the sum of the sizes of its terms); None where there is none, as
        at kinks and at the edge of what the operator takes."""
        try:
            ahead, behind = (
                _as_tuple(self.function(*_moved(self.inputs, self.along, step)))
                for step in (far, -far)
            )
        except REFUSALS:
            return None
        terms = [
            [w * (a - b) / far for a, b, w in zip(later, earlier, self.weights)]
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


def _check_nan(case):
    """Where a gradient that is handed in has an influence, NaN shows."""
    inputs, found = _graph(case, case.values())
    if not found or not found[0].numel():
        return
    seeds = [ow.zeros_like(r) for r in found]
    by_number = []
    for number in (1.0, nan):
        seeds[0][(-1,) * seeds[0].dim()] = number
        try:
            by_number.append(_handed(inputs, found, seeds, retain_graph=True))
        except REFUSALS:  # of NaN
            return
    for name, reached, x in zip(gradient_blame.names(case), *by_number):
        if bool((reached.isfinite() & (reached != 0) & ~x.isnan()).any()):
            gradient_blame.fail_nan(case, name)


def _check_values(case):
    """The gradient, and a tangent that is said, where chance does not draw elements."""
    line = _Line(case)
    slope = line.slope()
    if slope is None:
        return
    backward = _derivative(line.backward, case, "gradient")
    if _is_near(backward, *slope):
        if has_forward_rule(case):
            forward = _derivative(line.forward, case, "tangent")
            if not _is_near(forward, backward, slope[1]):
                gradient_blame.fail_forward(case, forward, backward)
        return
    nearby = line.slope(STEP / 16)  # of a tangent that is vertical another one
    if nearby is None or not _is_near(nearby[0], *slope, 1e-3):
        return
    if sum(x.numel() for x in line.inputs) > 256:
        gradient_blame.fail_along(case, backward, slope[0])
    _tell(case, gradcheck, line, "gradient")


# A gradient is multiplied by what it is handed: also by numbers that no test draws.
_SCALE = 64


def _graph(case, values):
    """(the inputs, the results that have gradients)"""
    function, inputs = case.as_function(values)
    inputs = [x.detach().requires_grad_() for x in inputs]
    return inputs, [r for r in _as_tuple(function(*inputs)) if r.requires_grad]


def _handed(inputs, results, seeds, **options):
    options |= {"allow_unused": True, "materialize_grads": True}
    return ow.autograd.grad(results, inputs, seeds, **options)


def _plain(value):
    """In float64, one element behind the other."""
    wide = mapped(ow, lambda t: t.double() if t.is_floating_point() else t, value)
    return mapped(ow, lambda t: t.contiguous(), wide)


def _is_another(found, wanted):
    """Whether a gradient is not the one of float64, but for its scale."""
    largest = float(wanted.abs().max()) if wanted.numel() else 0.0
    room = (1e-3 if found.dtype is ow.float32 else 1e-7) * max(1.0, largest)
    found = found.double() / _SCALE
    return largest < inf and not ow.allclose(found, wanted, rtol=0.0, atol=room, equal_nan=True)


def _jumps(case, laid, seeds, wanted):
    """Whether the last digits decide what the gradient is, as of a decomposition of rows that are equal."""
    inputs, found = _graph(case, mapped(ow, lambda t: t.contiguous(), laid))
    found = _handed(inputs, found, [s.contiguous() for s in seeds])
    return any(map(_is_another, found, wanted))


def _rank(case):
    return max(len(t.shape) for t in case.as_function()[1])


_OTHERS = ("strided", "transposed", "expanded")


def _layouts_of(case):
    """Those of a tensor that is the only one are no plain one."""
    return _OTHERS if len(case.placed) == 1 else tuple(KINDS)


def _layouts_handed_in(results, is_plain):
    """Those of the gradients that come in: none, as what is saved may have one, or another; of vectors what a
    sum hands over."""
    if is_plain:
        return ("contiguous",)
    return _OTHERS if max(r.dim() for r in results) > 1 else ("expanded",)


def _check_layouts(case, turn, are_plain):
    """What is saved and what is handed in lie in memory as chance has it, and are of float32 where the
    operator takes it: the gradients are those of contiguous float64. What is handed in is contiguous or not,
    or both in turn, as `are_plain` says."""
    dtype = "float32" if "float32" in case.operator.dtypes and turn % 3 else "float64"
    values, writes = case.values(dtype), case.operator.writes
    laid, kinds = drawn_layouts(case.key, values, turn, writes, _layouts_of(case))
    try:
        both = _graph(case, laid), _graph(case, _plain(laid))
    except REFUSALS:
        return
    (_, found), (_, wide) = both
    if not found or len(found) != len(wide):
        return
    seeds = {f"gradient {i}": w * _SCALE for i, w in enumerate(_directions(found, 5))}
    for is_plain in are_plain:
        of = _layouts_handed_in(found, is_plain)
        given, handed = drawn_layouts(case.key, seeds, turn, of=of)
        how = f"{told({**kinds, **handed}) or 'contiguous tensors'}, {dtype}"
        rows = "expanded" in kinds.values()
        _compare_laid(case, both, list(given.values()), how, laid if rows else None)


def _compare_laid(case, both, given, how, repeated):
    """`repeated` are arguments with elements that share memory, if there are any."""
    (inputs, found), (wide_inputs, wide) = both
    keep = {"retain_graph": True}
    wanted = _handed(wide_inputs, wide, [s / _SCALE for s in _plain(given)], **keep)
    gradients = _derivative(lambda: _handed(inputs, found, given, **keep), case, "gradient")
    for name, x, right in zip(gradient_blame.names(case), gradients, wanted):
        if _is_another(x, right) and not (repeated and _jumps(case, repeated, given, wanted)):
            gradient_blame.fail_laid(case, name, how, x.double() / _SCALE, right)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "case", cases("gradient_beside", lambda c: is_varied(c) and _differentiable(c))
)
def test_derivatives(case):
    rank = _rank(case)
    for turn, varied in enumerate(variations_of_derivatives(case)):
        if varied.is_taken and _differentiable(varied):
            _check(varied)
            if not varied.has_values:
                continue  # numbers are drawn as elements lie
            if 0 < _rank(varied) != rank:
                _check_layouts(varied, turn, (True, False))
                _check_layouts(varied, turn + 1, (True,))
            else:
                _check_layouts(varied, turn, (turn % 2 == 0,))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "case", cases("gradient_at_values", lambda c: is_varied(c) and _differentiable(c))
)
def test_derivatives_elsewhere(case):
    """At zero and other whole numbers, at large ones, of tensors that are equal, and of many elements: where
    formulas divide by zero, or have kinks that the function has not."""
    _check_nan(case)
    for varied in variations_of_places(case):
        if varied.is_taken and varied.is_finite and varied.is_differentiable:
            _check_values(varied)

"""A line search for the strong Wolfe conditions, as PyTorch's LBFGS has it.

After Nocedal and Wright, "Numerical Optimization" (2006), algorithms 3.5 and 3.6, with cubic interpolation as
in Schmidt's minFunc (2005).
"""

from dataclasses import dataclass
from typing import Any

ENOUGH, FLAT = (
    1e-4,
    0.9,
)  # of the first slope: for a fall of the value, and for what the slope may be


@dataclass
class Point:
    """How far along the direction, and there the value, the gradient, and its slope along the direction."""

    t: float
    value: float
    gradient: Any
    slope: Any


def interpolated(a, b, bounds=None):
    """Where the cubic that has the values and slopes of two points is least, within bounds."""
    least, most = bounds or ((a.t, b.t) if a.t <= b.t else (b.t, a.t))
    try:
        d = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t)
    except ZeroDivisionError:  # as of PyTorch's, but for lr and lengths that are tensors
        raise ZeroDivisionError(
            "LBFGS: the line search cannot look between two places that are the same; expected a positive "
            "lr, since steps of lr=0 have no length"
        ) from None
    square = d**2 - a.slope * b.slope
    if not square >= 0:
        return (least + most) / 2.0
    root = square.sqrt()
    if a.t <= b.t:
        t = b.t - (b.t - a.t) * ((b.slope + root - d) / (b.slope - a.slope + 2 * root))
    else:
        t = a.t - (a.t - b.t) * ((a.slope + root - d) / (a.slope - b.slope + 2 * root))
    return min(max(t, least), most)


class Search:
    """Of a function along a direction: `at(t)` gives the Point there; at most `most` after the first.

    Attributes:
        turns: how many points have been tried after the first.
    """

    def __init__(self, at, start, largest, tolerance, most):
        self._at, self._start, self._largest, self._tolerance = at, start, largest, tolerance
        self._most = most
        self.turns = 0

    def run(self, t):
        """The point that is taken; `t` is tried first."""
        low, high = self._bracket(t)
        return low if high is None else self._zoom(low, high)

    def _is_flat(self, point):
        return abs(point.slope) <= -FLAT * self._start.slope

    def _is_above(self, point):
        return point.value > self._start.value + ENOUGH * point.t * self._start.slope

    def _bracket(self, t):
        """Two points between which one is to be taken; one that may be taken, and None."""
        before, point = self._start, self._at(t)
        while self.turns < self._most:
            if self._is_above(point) or (self.turns > 1 and point.value >= before.value):
                return before, point
            if self._is_flat(point):
                return point, None
            if point.slope >= 0:
                return before, point
            bounds = point.t + 0.01 * (point.t - before.t), point.t * 10
            t = interpolated(before, point, bounds)
            before, point = point, self._at(t)
            self.turns += 1
        return self._start, point

    def _zoom(self, a, b):
        """The point of the smaller value, once it may be taken or there is nothing between the two."""
        pair, was_near_end = [a, b], False
        low = 0 if a.value <= b.value else 1
        while self.turns < self._most:
            if abs(pair[1].t - pair[0].t) * self._largest < self._tolerance:
                break
            t, was_near_end = self._between(pair, was_near_end)
            point = self._at(t)
            self.turns += 1
            if self._is_above(point) or point.value >= pair[low].value:
                pair[1 - low] = point
                low = 0 if pair[0].value <= pair[1].value else 1
                continue
            is_done = self._is_flat(point)
            if not is_done and point.slope * (pair[1 - low].t - pair[low].t) >= 0:
                pair[1 - low] = pair[low]
            pair[low] = point
            if is_done:
                break
        return pair[low]

    @staticmethod
    def _between(pair, was_near_end):
        """Where to look next; not near an end of the interval twice in a row."""
        t = interpolated(*pair)
        least, most = min(p.t for p in pair), max(p.t for p in pair)
        margin = 0.1 * (most - least)
        if not min(most - t, t - least) < margin:  # nor where t is no number
            return t, False
        if not was_near_end and least < t < most:
            return t, True
        return (most - margin if abs(t - most) < abs(t - least) else least + margin), False

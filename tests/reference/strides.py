"""Calls with arguments in several memory layouts, and how their results lie. What PyTorch answers is
recorded (record_strides.py), and compared by tests/python/generated/test_strides.py."""

REFUSALS = (RuntimeError, TypeError, ValueError, OverflowError, IndexError, NotImplementedError)


def _transposed(ow, t):
    return t.transpose(0, -1).contiguous().transpose(0, -1)


def _channels_last(ow, t):
    return t.contiguous(memory_format=ow.channels_last)


def _expanded(ow, t):
    return t[:1].expand(t.shape)


# Layout -> (function, least and most dimensions of the tensors that it is for).
LAYOUTS = {
    "contiguous": (lambda ow, t: t, 1, 9),
    "transposed": (_transposed, 2, 9),
    "channels_last": (_channels_last, 4, 4),
    "expanded": (_expanded, 2, 9),
}
OUT = "out=empty(0)"


class Strides:
    """The calls of one sample in a module `ow`. `run(values, **extra)` makes a call."""

    def __init__(self, ow, calls, operator, sample, run):
        self.ow, self.calls, self.operator, self.sample, self.run = ow, calls, operator, sample, run

    def answers(self):
        """{layout: the strides of the results}; none where the call is refused, or nothing of it lies so."""
        found = {}
        for name, (layout, least, most) in LAYOUTS.items():
            if self._lies(least, most):
                found[name] = self._strides(layout, least, most)
        if self.operator.out and self.operator.function:
            for name, (layout, least, most) in LAYOUTS.items():
                if self._lies(least, most) and found[name]:
                    found[f"{name}, {OUT}"] = self._strides(layout, least, most, out=True)
        return {name: strides for name, strides in found.items() if strides}

    def _values(self):
        return self.calls.arguments(self.ow, self.sample)

    def _lies(self, least, most):
        return any(least <= t.dim() <= most for t in self.calls.tensors(self.ow, self._values()))

    def _strides(self, layout, least, most, out=False):
        values = self.calls.mapped(
            self.ow,
            lambda t: layout(self.ow, t) if least <= t.dim() <= most and t.numel() else t,
            self._values(),
        )
        self.ow.manual_seed(7)
        try:
            found = self.calls.results(self.ow, self.run(values))
            if out:
                empty = [self.ow.empty(0, dtype=r.dtype) for r in found]
                self.ow.manual_seed(7)
                found = self.run(values, out=empty[0] if len(empty) == 1 else tuple(empty))
                found = self.calls.results(self.ow, found)
        except REFUSALS:
            return None
        return "; ".join(self._described(r) for r in found if isinstance(r, self.ow.Tensor))

    @staticmethod
    def _described(result):
        """The strides of the dimensions that have any; none where nothing has."""
        sizes = result.shape
        if 0 in sizes:
            return "empty"
        return " ".join(str(s) if n > 1 else "-" for s, n in zip(result.stride(), sizes))

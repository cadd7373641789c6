"""Calls with an `out` of each dtype, of each operator that has one. Which PyTorch takes is recorded
(record_outs.py), and compared by tests/python/generated/test_outs.py."""

from reference.dtypes import COMMON

# The dtypes of the arguments that take any.
GIVEN = ("float64", "float32", "int64", "bool")
REFUSALS = (RuntimeError, ValueError, OverflowError, IndexError, NotImplementedError)


class Outs:
    """The calls of one sample in a module `ow`. `run(values, **extra)` makes a call."""

    def __init__(self, ow, calls, operator, sample, run):
        self.ow, self.calls, self.operator, self.sample, self.run = ow, calls, operator, sample, run

    def answers(self):
        """{dtype of the arguments, and which of several results: the dtypes of `out` that are taken}.

        A call that is refused without `out` has no answer."""
        found = {}
        for dtype in GIVEN if self.calls.has_dtype(self.sample) else GIVEN[:1]:
            for i, result in enumerate(results := self._results(dtype)):
                key = dtype if len(results) == 1 else f"{dtype}, result {i}"
                try:
                    taken = [d for d in COMMON if self._takes(dtype, results, i, d)]
                except TypeError:  # the function has no `out`
                    return {}
                found[key] = " ".join([f"-> {self._name(result.dtype)}:", *taken])
        return found

    def _values(self, dtype):
        return self.calls.arguments(self.ow, self.sample, dtype)

    def _results(self, dtype):
        self.ow.manual_seed(7)
        try:
            found = self.calls.results(self.ow, self.run(self._values(dtype)))
        except (TypeError, *REFUSALS):
            return []
        return found if all(isinstance(r, self.ow.Tensor) for r in found) else []

    def _takes(self, dtype, results, i, other):
        """Whether an `out` of the dtype `other` is taken for result `i`; the others have their own."""
        out = [self.ow.empty(r.shape, dtype=r.dtype) for r in results]
        out[i] = self.ow.empty(results[i].shape, dtype=getattr(self.ow, other))
        self.ow.manual_seed(7)
        try:
            self.run(self._values(dtype), out=out[0] if len(out) == 1 else tuple(out))
        except REFUSALS:
            return False
        return True

    def _name(self, dtype):
        return str(dtype).rpartition(".")[2]

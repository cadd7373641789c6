"""Calls at the edge of what operators take: each sample call in ways that are easily wrong. Whether PyTorch
takes or refuses them is recorded (record_edges.py), and compared by tests/python/generated/test_edges.py."""

import math

# Numbers that some dtypes cannot hold, and the dtypes of the tensors beside them.
NUMBERS = (300, -1, -300, 2**40, 2**63, 1e300)
BESIDE = ("uint8", "int32", "int64", "float16", "float32", "float64")
TAKEN, REFUSED = "taken", "refused"


class Edges:
    """The calls of one sample in a module `ow`. `run(values, **extra)` makes a call."""

    def __init__(self, ow, calls, operator, sample, run):
        self.ow, self.calls, self.operator, self.sample, self.run = ow, calls, operator, sample, run

    def calls_of(self):
        """(name, function) of each: the function is called once."""
        yield from self._lists()
        if not {"random", "nondeterministic"} & set(self.operator.tags):
            yield from self._numbers()
            if self.operator.out and self.operator.function:
                yield from self._outs()

    def outcomes(self, seed):
        """{name: whether the call is taken}."""
        found = {}
        for name, function in self.calls_of():
            seed()
            try:
                function()
            except SkipCallError:
                continue
            except TypeError:
                if not name.startswith("out="):  # else it has none
                    found[name] = REFUSED
            except (RuntimeError, ValueError, OverflowError, IndexError):
                found[name] = REFUSED
            else:
                found[name] = TAKEN
        return found

    def _values(self, dtype):
        try:
            return self.calls.arguments(self.ow, self.sample, dtype)
        except (RuntimeError, TypeError, ValueError, OverflowError) as e:
            raise SkipCallError from e

    def _lists(self):
        for argument in self.operator.arguments:
            if argument.type.startswith("Tensor[]") and argument.name in self.sample:
                yield f"{argument.name}=[…,None]", lambda a=argument: self._with_none(a.name)

    def _with_none(self, name):
        values = self._values("float64")
        self.run({**values, name: [*values[name], None]})

    def _numbers(self):
        for argument in self.operator.arguments:
            if argument.type not in ("Scalar", "Scalar?"):
                continue
            for dtype in BESIDE if self.calls.has_dtype(self.sample) else ("float64",):
                for number in NUMBERS:
                    yield (
                        f"{argument.name}={number:g},{dtype}",
                        lambda n=argument.name, v=number, d=dtype: self._with_number(n, v, d),
                    )

    def _with_number(self, name, number, dtype):
        values = self._values(dtype)
        try:
            self.run(values)
        except Exception as e:
            raise SkipCallError from e
        self.run({**self._values(dtype), name: number})

    def _outs(self):
        yield "out=expanded", lambda: self._with_out("float64", self._expanded)
        yield "out=overlapping", self._overlapping

    def _results(self, values):
        try:
            found = self.calls.results(self.ow, self.run(values))
        except Exception as e:
            raise SkipCallError from e
        if not all(isinstance(r, self.ow.Tensor) for r in found):
            raise SkipCallError
        return found

    def _with_out(self, dtype, make):
        values = self._values(dtype)
        found = self._results(values)
        out = [make(found[0]), *(self._empty(r) for r in found[1:])]
        self.run(values, out=out[0] if len(out) == 1 else tuple(out))

    def _empty(self, result):
        return self.ow.empty(result.shape, dtype=result.dtype)

    def _expanded(self, result):
        if result.dim() == 0 or result.shape[0] < 2 or result.numel() == 0:
            raise SkipCallError
        return self.ow.empty((1, *result.shape[1:]), dtype=result.dtype).expand(result.shape)

    def _overlapping(self):
        """`out` begins one element after the first tensor argument of the same dtype, in its memory."""
        values = self._values("float64")
        found = self._results(values)
        for name, given in values.items():
            if not isinstance(given, self.ow.Tensor) or given.dtype != found[0].dtype:
                continue
            least = 2 if found[0].numel() == 1 else 1
            if given.numel() <= least or found[0].numel() < 1:
                continue
            size = max(given.numel(), found[0].numel() + 1)
            memory = self.ow.zeros(size, dtype=given.dtype)
            inside = memory[: given.numel()].view(given.shape).copy_(given)
            shape = found[0].shape
            out = [memory[1 : 1 + math.prod(shape)].view(shape), *map(self._empty, found[1:])]
            self.run({**values, name: inside}, out=out[0] if len(out) == 1 else tuple(out))
            return
        raise SkipCallError


class SkipCallError(Exception):
    """The call cannot be made in this way."""

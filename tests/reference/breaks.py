"""Sample calls of operators, broken in one argument each, a size, a dimension, a dtype or a number more or
less, or in the dtypes of all. What PyTorch says of them is recorded (record_breaks.py) and compared by
tests/python/generated/test_breaks.py."""

import itertools
import math

from reference.samples import listed

INT64 = "int64"
# What tensors are cast to; their own dtype is left out.
OTHER_DTYPES = ("float64", "float32", INT64, "int32", "uint8", "bool", "uint16")
# What all of them are cast to at once.
TOGETHER = ("float32", INT64, "bool")
# As a size more than there is of anything: nobody gets to work.
HUGE = 2**62
REFUSED = "refused"


class Breaks:
    """The broken calls of one sample in a module `ow` that has PyTorch's interface."""

    def __init__(self, ow, calls, operator, sample):
        self.ow, self.calls, self.operator = ow, calls, operator
        self.sample = listed({**self._defaults(), **sample}, operator)

    def _defaults(self):
        """Arguments that the sample leaves out, if there is another value for them."""
        return {
            a.name: a.default
            for a in self.operator.arguments
            if isinstance(a.default, int | float | str | list) or a.default is None
        }

    def all(self):
        """(name, values) of each; the tensors are made anew for each call."""
        for argument in self.operator.arguments:
            if argument.name not in self.sample:
                continue
            for name, broken in self._of(argument):
                yield f"{argument.name}{name}", broken
        yield from self._together()

    def values(self):
        return self.calls.arguments(self.ow, self.sample)

    def _of(self, argument):
        built = self.values()[argument.name]
        if not argument.type.startswith("Tensor"):
            alternatives = self._plain(argument.type, built)
        elif argument.type.rstrip("?").endswith("]"):
            alternatives = self._tensors(built) if built else []
        else:
            alternatives = self._tensor(argument, built)
        for name, alternative in alternatives:
            yield name, {**self.values(), argument.name: alternative}

    # --- tensors

    def _tensor(self, argument, tensor):
        if tensor is None:
            for shape in ((1,), (2,), (3,), (2, 2)):
                yield f"=ones{shape}", self.ow.ones(shape, dtype=self.ow.float64)
            return
        if argument.type.endswith("?"):
            yield "=None", None
        yield from self._resized(tensor)
        yield from self._cast(tensor)

    def _resized(self, tensor):
        yield ": one dimension more", tensor.unsqueeze(0)
        if tensor.dim():
            if tensor.shape[0]:
                yield ": one dimension less", tensor.select(0, 0)
            yield ": strided", self._strided(tensor)
        if tensor.dim() > 1 and tensor.numel():
            yield ": one dimension", tensor.reshape(-1)
            yield ": no dimension", tensor.reshape(-1)[0]
        for dim in range(tensor.dim()):
            yield f": size({dim}) 0", tensor.narrow(dim, 0, 0)
            if tensor.shape[dim]:
                longer = [tensor, tensor.narrow(dim, 0, 1)]
                yield f": size({dim}) one more", self.ow.cat(longer, dim)
            if tensor.shape[dim] > 1:
                yield f": size({dim}) one less", tensor.narrow(dim, 0, tensor.shape[dim] - 1)

    def _strided(self, tensor):
        return self.ow.stack([tensor, tensor], -1).select(-1, 0)

    def _cast(self, tensor):
        for name in OTHER_DTYPES:
            dtype = getattr(self.ow, name)
            if dtype != tensor.dtype:
                yield f": {name}", tensor.to(dtype)

    def _tensors(self, tensors):
        """A list of tensors: other lengths, and its last element broken."""
        yield "=[]", []
        yield ": one less", tensors[:-1]
        yield ": one more", [*tensors, tensors[-1]]
        last = tensors[-1]
        if isinstance(last, self.ow.Tensor):
            for name, broken in itertools.chain(self._resized(last), self._cast(last)):
                yield f"[-1]{name}", [*tensors[:-1], broken]

    # --- several arguments at once

    def _together(self):
        """All tensors of another dtype, or all but one, and numbers of each kind beside them."""
        tensors = [n for n, v in self.values().items() if isinstance(v, self.ow.Tensor)]
        numbers = [a.name for a in self.operator.arguments if a.type in ("Scalar", "Scalar?")]
        for dtype in TOGETHER if len(tensors) + len(numbers) > 1 else ():
            whole = {**self._cast_all(tensors, dtype), **dict.fromkeys(numbers, 2)}
            yield f"all: {dtype}", whole
            for name in numbers:
                for number in (True, -1, 1.5):
                    changed = {**self._cast_all(tensors, dtype), **dict.fromkeys(numbers, 2)}
                    yield f"all: {dtype}, {name}={number}", {**changed, name: number}
        for kept in tensors if len(tensors) > 2 else ():
            others = [n for n in tensors if n != kept]
            yield f"all but {kept}: {INT64}", self._cast_all(others, INT64)

    def _cast_all(self, names, dtype):
        values = self.values()
        return {**values, **{n: values[n].to(getattr(self.ow, dtype)) for n in names}}

    # --- everything else

    def _plain(self, kind, built):
        base, _, length = kind.rstrip("?").partition("[")
        optional = kind.endswith("?")
        if optional and built is not None:
            yield "=None", None
        if length and base in ("int", "SymInt", "bool", "float"):
            yield from self._lists(base, built)
        elif base == "ScalarType":
            for name in ("float32", INT64, "bool", "uint16"):
                yield f"={name}", getattr(self.ow, name)
        elif not length:
            for other in self._numbers(base, built):
                yield f"={other}", other

    def _lists(self, base, built):
        built = built or []
        if built:
            yield "=[]", []
            yield f"={built[:-1]}", built[:-1]
        more = [*built, built[-1] if built else 1]
        yield f"={more}", more
        for i in range(len(built)):
            for other in self._numbers(base, built[i]):
                changed = [*built[:i], other, *built[i + 1 :]]
                yield f"={changed}", changed

    def _numbers(self, base, value):
        if base == "bool":
            return [not value]
        if base in ("int", "SymInt"):
            value = 0 if value is None else value
            return [v for v in (-9, -1, 0, 1, 2, value + 1, value + 7, HUGE) if v != value]
        if base in ("float", "Scalar"):
            return [v for v in (-1.0, 0.0, 1.5, 300, math.inf, math.nan) if v != value]
        if base == "str":
            return ["nonsense"]
        return []


def described(ow, calls, operator, found):
    """What is compared of results: `2x3 float64`, of views also their strides and where they begin."""
    viewed = {result for result, _ in operator.views}
    return ", ".join(
        _described(ow, result, i in viewed) for i, result in enumerate(calls.results(ow, found))
    )


def _described(ow, result, is_view):
    if not isinstance(result, ow.Tensor):
        return type(result).__name__
    text = f"{'x'.join(map(str, result.shape))} {str(result.dtype).rpartition('.')[2]}"
    place = f" {tuple(result.stride())}+{result.storage_offset()}"
    return text + (place if is_view and result.numel() else "")

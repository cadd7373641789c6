"""Functions of lists of tensors, after torch.foreach; `opweave._foreach_add` and its kin are the same.

Each calls the operator of its name for one tensor after the other, so that a gradient is that of those
calls. Functions give a tuple, those that write (`add_`) the list that they wrote.

Raises:
    TypeError: something else than a list of tensors.
    RuntimeError: no tensors, or lists of different lengths.
"""

from opweave import _C, linalg
from opweave._C import Tensor

_ELEMENTWISE = [
    *("abs", "acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1"),
    *("floor", "frac", "lgamma", "log", "log10", "log1p", "log2", "neg", "reciprocal", "round"),
    *("rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
]
# What takes a number, a number for each tensor, or a tensor for each; whether it has `alpha`.
_OF_TWO = {
    "add": True,
    "sub": True,
    "mul": False,
    "div": False,
    "pow": False,
    "maximum": False,
    "minimum": False,
    "clamp_max": False,
    "clamp_min": False,
}
# These methods take tensors where those of two names take numbers.
_OF_NUMBERS = {"maximum": "clamp_min", "minimum": "clamp_max"}
_OF_TENSORS = {"clamp_min": "maximum", "clamp_max": "minimum"}


def _tensors(name, tensors, argument="self"):
    known = isinstance(tensors, (tuple, list)) and all(isinstance(t, Tensor) for t in tensors)
    if not known:
        raise TypeError(
            f"_foreach_{name}(): argument '{argument}': expected a tuple or list of Tensors, got "
            f"{_said(tensors)}"
        )
    return tensors


def _said(value):
    if not isinstance(value, (tuple, list)):
        return type(value).__name__
    others = {type(v).__name__ for v in value if not isinstance(v, Tensor)}
    return f"a {type(value).__name__} with {', '.join(sorted(others))}"


def _all(name, tensors):
    if len(_tensors(name, tensors)) == 0:
        raise RuntimeError(f"_foreach_{name}(): Tensor list must have at least one tensor.")
    return tensors


def _numbers(name, tensors, values):
    """A number for each tensor."""
    if isinstance(values, Tensor) and values.dim() == 1:
        values = values.tolist()
    if not isinstance(values, (tuple, list)):
        return [values] * len(tensors)
    if len(values) != len(tensors):
        raise RuntimeError(
            f"_foreach_{name}(): Tensor list must have same number of elements as scalar list, "
            f"got {len(tensors)} and {len(values)}."
        )
    return values


def _beside(name, tensors, *lists):
    for other in lists:
        if len(_tensors(name, other, "tensors")) != len(tensors):
            raise RuntimeError(
                f"_foreach_{name}(): Tensor lists must have the same number of tensors, got "
                f"{len(tensors)} and {len(other)}"
            )
    return zip(tensors, *lists, strict=True)


def _given(name, tensors, made):
    return tensors if name.endswith("_") else tuple(made)


def _elementwise(name):
    def function(self):
        tensors = _all(name, self)
        return _given(name, tensors, [getattr(t, name)() for t in tensors])

    function.__doc__ = f"`{name}()` of each tensor."
    return function


def _are_tensors(other):
    return isinstance(other, (tuple, list)) and len(other) > 0 and isinstance(other[0], Tensor)


def _of_two(name, has_alpha):
    base, underscore = name.removesuffix("_"), "_" * name.endswith("_")

    def function(self, other, **options):
        if base == "pow" and not isinstance(self, (tuple, list)):
            return tuple(_C.pow(self, t) for t in _all(name, other))
        if set(options) - ({"alpha"} if has_alpha else set()):
            raise TypeError(
                f"_foreach_{name}(): unexpected keyword arguments: {', '.join(sorted(options))}"
            )
        tensors = _all(name, self)
        if _are_tensors(other):
            method, others = (
                _OF_TENSORS.get(base, base),
                [o for _, o in _beside(name, tensors, other)],
            )
        else:
            method, others = _OF_NUMBERS.get(base, base), _numbers(name, tensors, other)
        pairs = zip(tensors, others, strict=True)
        made = [_written(t, method, underscore, o, options) for t, o in pairs]
        return _given(name, tensors, made)

    alpha = ", `alpha` times" if has_alpha else ""
    function.__doc__ = (
        f"`{name}()` of each tensor and a number, its own number, or its own tensor{alpha}."
    )
    return function


def _written(tensor, method, underscore, other, options):
    if hasattr(tensor, method + underscore):
        return getattr(tensor, method + underscore)(other, **options)
    return tensor.copy_(getattr(tensor, method)(other, **options))  # maximum() has no form in place


def _of_three(name):
    def function(self, tensor1, tensor2, value=1, scalars=None):
        tensors = _all(name, self)
        values = _numbers(name, tensors, value if scalars is None else scalars)
        rows = _beside(name, tensors, tensor1, tensor2)
        made = [getattr(t, name)(a, b, value=v) for (t, a, b), v in zip(rows, values, strict=True)]
        return _given(name, tensors, made)

    function.__doc__ = (
        f"`{name}()` of each tensor and its two others; `value` is a number, or one for each."
    )
    return function


def _lerp(name):
    def function(self, tensors1, weight):
        tensors = _all(name, self)
        rows = _beside(name, tensors, tensors1)
        weights = weight if _are_tensors(weight) else _numbers(name, tensors, weight)
        made = [getattr(t, name)(o, w) for (t, o), w in zip(rows, weights, strict=True)]
        return _given(name, tensors, made)

    weights = "`weight` is a number, or a list of numbers or of tensors"
    function.__doc__ = f"`{name}()` of each tensor and its other; {weights}."
    return function


def norm(self, ord=2, dtype=None):
    """The norm of each tensor."""
    return tuple(linalg.vector_norm(t, ord, dtype=dtype) for t in _all("norm", self))


def max(self):
    """The largest element of each tensor."""
    return tuple(t.max() for t in _all("max", self))


def clone(self, *, memory_format=_C.preserve_format):
    """A copy of each tensor."""
    return tuple(t.clone(memory_format=memory_format) for t in _all("clone", self))


def mm(self, mat2):
    """The product of each matrix with its other."""
    return tuple(a.mm(b) for a, b in _beside("mm", _all("mm", self), mat2))


def copy_(self, src, non_blocking=False):
    """Copies to each tensor what its source has."""
    for tensor, source in _beside("copy_", _all("copy_", self), src):
        tensor.copy_(source, non_blocking)
    return self


def zero_(self):
    """Sets all elements to 0."""
    for tensor in _all("zero_", self):
        tensor.zero_()
    return self


def _make():
    made = {}
    for name in [*_ELEMENTWISE, *(f"{n}_" for n in _ELEMENTWISE)]:
        made[name] = _elementwise(name)
    for name, has_alpha in _OF_TWO.items():
        made[name], made[f"{name}_"] = _of_two(name, has_alpha), _of_two(f"{name}_", has_alpha)
    for name in ("addcmul", "addcmul_", "addcdiv", "addcdiv_"):
        made[name] = _of_three(name)
    for name in ("lerp", "lerp_"):
        made[name] = _lerp(name)
    for name, function in made.items():
        function.__name__ = function.__qualname__ = name
    return made


_made = _make()
globals().update(_made)
__all__ = sorted([*_made, "clone", "copy_", "max", "mm", "norm", "zero_"])

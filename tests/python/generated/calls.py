"""The sample calls of operators, with their arguments made in any module that has PyTorch's interface.

The elements come from the deterministic generator of the reference cases (tests/reference/samples.py),
so that a call means the same here and where PyTorch's answers are recorded. They are multiples of
1/64 at most: exact in every floating dtype.
"""

from dataclasses import replace
from math import prod

from operator_table import Drawn, Elements, Symbol
from reference import samples

# Domains whose tensors have a dtype of their own, whatever the call is run with.
_FIXED = {"int": "int64", "bool": "bool", "below": "int64"}


def _label(value):
    if isinstance(value, Drawn):
        limit = f"_{value.limit}" if value.domain == "below" else ""
        shape = "number" if value.shape is None else "x".join(map(str, value.shape))
        return f"{value.domain}{limit}({shape})" + (f":{value.dtype}" if value.dtype else "")
    if isinstance(value, Elements):
        return _label(value.values)
    if isinstance(value, list):
        return f"[{','.join(map(_label, value))}]"
    return value.name if isinstance(value, Symbol) else str(value)


def label(sample):
    """Tells the call apart from the other calls of its operator."""
    return ",".join(f"{name}={_label(value)}" for name, value in sample.items()) or "()"


def _flat(values):
    return [x for v in values for x in _flat(v)] if isinstance(values, list) else [values]


def takes_dtype(value):
    """Whether the value is a tensor that takes the dtype that a call is run with."""
    if isinstance(value, Drawn):
        return value.shape is not None and value.domain not in _FIXED and not value.dtype
    if isinstance(value, Elements):
        return any(isinstance(v, float) for v in _flat(value.values))
    return isinstance(value, list) and any(map(takes_dtype, value))


def has_dtype(sample):
    return any(map(takes_dtype, sample.values()))


# A prime, so that rows of what is repeated differ.
_MOST_DRAWN = 1021


def _repeated(drawn, value):
    """As many elements as a large tensor has: to draw each takes long."""
    count = prod(value.shape)
    return drawn.repeat(-(-count // _MOST_DRAWN))[:count].reshape(value.shape).clone()


def _drawn(ow, value, name, dtype):
    dtype = value.dtype or _FIXED.get(value.domain, dtype)
    domain = {"int": "real", "bool": "real", "below": "index"}.get(value.domain, value.domain)
    sample = samples.Sample(domain, value.shape or (), dtype=dtype, limit=value.limit)
    if value.shape is None:
        kind = dtype if value.domain in _FIXED else "float64"
        return samples.draw(sample, (), name, kind)[0]
    if prod(value.shape) > _MOST_DRAWN and domain != "distinct":
        return _repeated(
            samples.build(ow, replace(sample, shape=(_MOST_DRAWN,)), name, dtype), value
        )
    return samples.build(ow, sample, name, dtype)


def _elements(ow, values, dtype):
    flat = _flat(values)
    if any(isinstance(v, float) for v in flat):
        return ow.tensor(values, dtype=getattr(ow, dtype))
    whole = ow.bool if flat and isinstance(flat[0], bool) else ow.int64
    return ow.tensor(values, dtype=whole)


def build(ow, value, name, dtype="float64"):
    """An argument; `name` salts what is drawn."""
    if isinstance(value, Drawn):
        return _drawn(ow, value, name, dtype)
    if isinstance(value, Elements):
        return _elements(ow, value.values, dtype)
    if isinstance(value, Symbol):
        return getattr(ow, value.name)
    if isinstance(value, list):
        return [build(ow, v, f"{name}{i}", dtype) for i, v in enumerate(value)]
    return value


def arguments(ow, sample, dtype="float64", salt=""):
    """Argument name -> value."""
    return {name: build(ow, value, name + salt, dtype) for name, value in sample.items()}


def split(operator, values):
    """The positional and the keyword arguments of a call. From the first argument that is left to
    its default on, all are given by keyword."""
    positional, keywords, in_order = [], {}, True
    for argument in operator.arguments:
        in_order = in_order and not argument.keyword_only and argument.name in values
        if in_order:
            positional.append(values[argument.name])
        elif argument.name in values:
            keywords[argument.name] = values[argument.name]
    return positional, keywords


def call(ow, operator, values, name=None, as_method=None, **extra):
    """Calls the operator in Python: as a function where it is one, else as a method."""
    positional, keywords = split(operator, values)
    keywords.update(extra)
    as_method = not operator.function if as_method is None else as_method
    if as_method:
        at = [a.name for a in operator.arguments].index("self")
        owner = positional.pop(at)
        return getattr(owner, name or operator.name)(*positional, **keywords)
    return getattr(home_of(ow, operator), name or operator.name)(*positional, **keywords)


def home_of(ow, operator):
    """Where the operator's function is: of a library outside of Opweave in the package itself."""
    if operator.module:
        return getattr(ow._C, "_" + operator.module)
    return ow._C if hasattr(ow._C, operator.name) else ow


def results(ow, value):
    """The results of a call as a flat list: tensors, numbers, truth values."""
    if isinstance(value, (list, tuple)):
        return [r for v in value for r in results(ow, v)]
    return [] if value is None else [value]


def tensors(ow, values):
    """The tensors among arguments, in order; those in lists too."""
    if isinstance(values, dict):
        values = list(values.values())
    if isinstance(values, list):
        return [t for v in values for t in tensors(ow, v)]
    return [values] if isinstance(values, ow.Tensor) else []


def mapped(ow, function, value):
    """A copy of arguments with `function` applied to each tensor."""
    if isinstance(value, dict):
        return {name: mapped(ow, function, v) for name, v in value.items()}
    if isinstance(value, list):
        return [mapped(ow, function, v) for v in value]
    return function(value) if isinstance(value, ow.Tensor) else value

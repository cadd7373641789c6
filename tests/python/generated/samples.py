"""Sample inputs, drawn from the domains that operators declare."""

import numpy as np
import opweave as ow
from operator_table import REQUIRED

_DOMAINS = {
    "real": lambda g, s: g.uniform(-3, 3, s),
    "positive": lambda g, s: g.uniform(0.2, 3, s),
    "unit": lambda g, s: g.uniform(-0.9, 0.9, s),
    "nonzero": lambda g, s: g.uniform(0.3, 3, s) * g.choice([-1, 1], s),
    "ge1": lambda g, s: g.uniform(1.1, 4, s),
    "prob": lambda g, s: g.uniform(0.05, 0.95, s),
    "small": lambda g, s: g.uniform(-0.45, 0.45, s),
    "wide": lambda g, s: g.uniform(-12, 12, s),
    "integer": lambda g, s: g.integers(-5, 6, s),
    "boolean": lambda g, s: g.integers(0, 2, s).astype(bool),
}


def domain_of(argument, operator):
    """The declared domain, or what the argument's type and the operator's dtypes admit."""
    if argument.sample is not None:
        return argument.sample
    if argument.type == "bool":
        return "boolean"
    return "integer" if argument.type == "int" or "float64" not in operator.dtypes else "real"


def draw(argument, operator, generator, shape=(3, 4)):
    """An array for a tensor argument, a number for another."""
    is_tensor = argument.type.startswith("Tensor")
    if argument.sample is None and argument.default is not REQUIRED:
        return argument.default
    if argument.sample is None and argument.type.endswith("?"):
        return None
    domain = domain_of(argument, operator)
    if isinstance(domain, list):
        return (
            generator.choice(domain, shape)
            if is_tensor
            else domain[generator.integers(len(domain))]
        )
    value = np.asarray(_DOMAINS[domain](generator, shape if is_tensor else ()))
    return value if is_tensor else value.item()


def draw_all(operator, seed=0, shape=(3, 4)):
    """Argument name -> value. Tensors are float64, int64 or bool arrays."""
    generator = np.random.default_rng(seed)
    return {a.name: draw(a, operator, generator, shape) for a in operator.arguments}


def to_tensor(array, dtype=None, layout="contiguous"):
    """A tensor of the array; with layout "strided", over every other element of a larger one."""
    array = np.asarray(array, order="C")  # ascontiguousarray would add a dimension to a scalar
    if layout == "strided":
        wide = np.repeat(array, 2, axis=-1) if array.ndim else array
        tensor = ow.from_numpy(wide.copy())
        tensor = tensor[..., ::2] if array.ndim else tensor
    else:
        tensor = ow.from_numpy(array.copy())
    return tensor if dtype is None or tensor.dtype in (ow.bool, dtype) else tensor.to(dtype)


def call(operator, values, name=None, method=False, **extra):
    """Calls the operator in Python with these arguments, as function or as method."""
    positional = [values[a.name] for a in operator.arguments if not a.keyword_only]
    keywords = {a.name: values[a.name] for a in operator.arguments if a.keyword_only}
    keywords.update(extra)
    if method:
        return getattr(positional[0], name or operator.name)(*positional[1:], **keywords)
    home = ow if not operator.module else getattr(ow._C, "_" + operator.module)
    return getattr(home, name or operator.name)(*positional, **keywords)

"""The two forms of a call of a recurrent network: of sequences that are equally long, and of packed ones."""

import numbers

from opweave import _C

_TENSOR, _TENSORS, _BOOL, _INT, _FLOAT = "Tensor", "tuple of Tensors", "bool", "int", "float"
_SHARED = (
    ("params", _TENSORS),
    ("has_biases", _BOOL),
    ("num_layers", _INT),
    ("dropout", _FLOAT),
    ("train", _BOOL),
    ("bidirectional", _BOOL),
)


def _forms(states):
    """(argument, type) of each argument of each form. `states`: the type of the states."""
    return (
        (("data", _TENSOR), ("batch_sizes", _TENSOR), ("hx", states), *_SHARED),
        (("input", _TENSOR), ("hx", states), *_SHARED, ("batch_first", _BOOL)),
    )


def _is_of(value, wanted):
    if wanted == _TENSOR:
        return isinstance(value, _C.Tensor)
    if wanted == _TENSORS:
        return isinstance(value, (list, tuple)) and all(isinstance(v, _C.Tensor) for v in value)
    if wanted == _BOOL:
        return isinstance(value, bool)
    if wanted == _INT:
        return isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _bound(form, positional, keywords):
    """The arguments by name, or None where the form is another one."""
    names = [name for name, _ in form]
    given = dict(zip(names, positional, strict=False))
    if len(positional) > len(names) or given.keys() & keywords.keys():
        return None
    given |= keywords
    if given.keys() != set(names) or not all(_is_of(given[name], kind) for name, kind in form):
        return None
    return given


def _type_of(value):
    if isinstance(value, (list, tuple)):
        few = ", ".join([*map(_type_of, value[:4]), *(["..."] if len(value) > 4 else [])])
        return f"{type(value).__name__} of ({few})"
    return "Tensor" if isinstance(value, _C.Tensor) else type(value).__name__


def _refusal(name, forms, positional, keywords):
    given = [_type_of(v) for v in positional] + [f"{k}={_type_of(v)}" for k, v in keywords.items()]
    expected = "".join(f"\n * ({', '.join(f'{t} {n}' for n, t in form)})" for form in forms)
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({', '.join(given)}), but expected one "
        f"of:{expected}"
    )


def bound(name, positional, keywords, *, pair=False):
    """The arguments of a call by PyTorch's names; `data` and `batch_sizes` are None where it is not packed,
    `input` and `batch_first` where it is.

    Args:
        name: of the function.
        pair: its states are two tensors.

    Raises:
        TypeError: the arguments are those of neither form.
    """
    forms = _forms(_TENSORS if pair else _TENSOR)
    for form in forms:
        given = _bound(form, positional, keywords)
        if given is not None:
            return dict.fromkeys(("data", "batch_sizes", "input", "batch_first")) | given
    raise _refusal(name, forms, positional, keywords)

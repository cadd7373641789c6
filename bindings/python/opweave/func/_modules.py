"""Modules as functions of their parameters."""

import contextlib

from opweave._C import Tensor

_ABSENT = object()


def functional_call(
    module, parameter_and_buffer_dicts, args=None, kwargs=None, *, tie_weights=True, strict=False
):
    """Calls `module` with other tensors in place of its parameters and buffers.

    Args:
        module: an nn.Module; it is the same afterwards.
        parameter_and_buffer_dicts: tensors by their names in named_parameters() and
            named_buffers(), or several such dicts. What they leave out stays the module's own; a name that
            the module lacks is an attribute for the time of the call.
        args: the positional argument, or a tuple of them.
        kwargs: keyword arguments.
        tie_weights: a tensor for one of several names of one parameter stands for all of them.
        strict: every parameter and buffer must be given, and nothing else.

    Raises:
        ValueError: no dicts; a name in several of them; several tensors for the names of one parameter.
        RuntimeError: with `strict`, names that are missing or too many.
        AttributeError: a name leads through a module that is not there.
        TypeError: a value is no tensor, or a name leads to what is none.
        KeyError: a name is empty.
    """
    tensors = _one_dict(parameter_and_buffer_dicts)
    if tie_weights:
        tensors = _tied(module, tensors)
    if strict:
        _check_names(module, tensors)
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    with _replaced(module, tensors):
        return module(*args, **(kwargs or {}))


def _one_dict(given):
    if isinstance(given, dict):
        return given
    if not isinstance(given, (list, tuple)):
        raise ValueError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{type(given)}"
        )
    if not all(isinstance(one, dict) for one in given):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    names = [name for one in given for name in one]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(
            f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous"
        )
    return {name: value for one in given for name, value in one.items()}


def _named_tensors(module):
    """(name, tensor) of all parameters and buffers, under all of their names."""
    yield from module.named_parameters(remove_duplicate=False)
    yield from module.named_buffers(remove_duplicate=False)


def _tied(module, tensors):
    """The dict with the other names of the parameters it names."""
    names = {}
    for name, tensor in _named_tensors(module):
        names.setdefault(id(tensor), []).append(name)
    result = dict(tensors)
    for group in names.values():
        given = [name for name in group if name in tensors]
        if len({id(tensors[name]) for name in given}) > 1:
            raise ValueError(
                f"functional_call got multiple values for keys {sorted(given)}, which are tied. Consider "
                "using tie_weights=False"
            )
        if given:
            result |= dict.fromkeys(group, tensors[given[0]])
    return result


def _check_names(module, tensors):
    own = {name for name, _ in _named_tensors(module)}
    differing = {"Unexpected": set(tensors) - own, "Missing": own - set(tensors)}
    lines = [
        f"\n\t{kind} key(s): {', '.join(map(repr, sorted(names, key=str)))}."
        for kind, names in differing.items()
        if names
    ]
    if lines:
        name = type(module).__name__
        raise RuntimeError(f"Error(s) in reparametrizing for {name}:{''.join(lines)}")


@contextlib.contextmanager
def _replaced(module, tensors):
    """The module with other tensors, within `with`."""
    places = [(*_place(module, name), _checked(value)) for name, value in tensors.items()]
    saved = [(slots, last, slots.get(last, _ABSENT)) for slots, last, _ in places]
    try:
        for slots, last, value in places:
            slots[last] = value
        yield
    finally:
        for slots, last, value in reversed(saved):
            if value is _ABSENT:
                slots.pop(last, None)
            else:
                slots[last] = value


def _checked(value):
    if value is not None and not isinstance(value, Tensor):
        raise TypeError(f"{value} is not an instance of opweave.Tensor")
    return value


def _place(module, name):
    """The dict that holds a parameter or buffer, and its key there."""
    if not isinstance(name, str):
        raise TypeError(
            f"functional_call(): expected names of tensors as str, got {type(name).__name__}"
        )
    owner = _owner(module, name)
    last = name.rpartition(".")[2]
    if last == "":
        raise KeyError(f"functional_call(): a tensor's name is empty: '{name}'")
    for slots in (owner._parameters, owner._buffers):
        if last in slots:
            return slots, last
    there = getattr(owner, last, None)
    if there is not None and not isinstance(there, Tensor):
        raise TypeError(f"attribute `{last}`: {there} is not an instance of opweave.Tensor")
    return vars(owner), last


def _owner(module, name):
    """The module below which a name's last part stands."""
    owner, path = module, name.split(".")[:-1]
    for count, part in enumerate(path, 1):
        if part in owner._modules:
            owner = owner._modules[part]
        elif hasattr(owner, part):
            raise TypeError(
                f"submodule `{'.'.join(path[:count])}`: {getattr(owner, part)} is not an instance of "
                "opweave.nn.Module"
            )
        else:
            raise AttributeError(f"{type(owner).__name__} has no attribute `{part}`")
    return owner

"""Modules as functions of their parameters."""

from opweave._C import Tensor


def functional_call(module, parameter_and_buffer_dicts, args=None, kwargs=None):
    """Calls `module` with other tensors in place of its parameters and buffers.

    Args:
        module: an nn.Module; it is the same afterwards.
        parameter_and_buffer_dicts: tensors by their names in named_parameters() and
            named_buffers(), or several such dicts. What they leave out stays the module's own.
        args: the positional argument, or a tuple of them.
        kwargs: keyword arguments.

    Raises:
        KeyError: the module has no parameter or buffer of a name.
    """
    given = parameter_and_buffer_dicts
    tensors = (
        dict(given) if isinstance(given, dict) else {k: v for d in given for k, v in d.items()}
    )
    args = () if args is None else args if isinstance(args, tuple) else (args,)
    places = {name: _place(module, name) for name in tensors}
    saved = {name: slots[last] for name, (slots, last) in places.items()}
    try:
        for name, (slots, last) in places.items():
            slots[last] = tensors[name]
        return module(*args, **(kwargs or {}))
    finally:
        for name, (slots, last) in places.items():
            slots[last] = saved[name]


def _place(module, name):
    """The dict that holds a parameter or buffer, and its key there."""
    *path, last = name.split(".")
    owner = module
    for part in path:
        owner = owner._modules.get(part)
        if owner is None:
            raise KeyError(f"{type(module).__name__} has no parameter or buffer '{name}'")
    for slots in (owner._parameters, owner._buffers):
        if isinstance(slots.get(last), Tensor):
            return slots, last
    raise KeyError(f"{type(module).__name__} has no parameter or buffer '{name}'")

"""Tensors within the arguments and results of a call: lists of them, None, and what is none."""

from opweave import _C


def is_tensor(value):
    return isinstance(value, _C.TensorBase)


def is_tensor_list(value):
    return (
        isinstance(value, list | tuple)
        and len(value) > 0
        and all(v is None or is_tensor(v) for v in value)
    )


def tensors(values):
    """All tensors, those in lists among them, in order."""
    found = []
    for value in values:
        if is_tensor(value):
            found.append(value)
        elif is_tensor_list(value):
            found.extend(v for v in value if v is not None)
    return found


def map_tensors(function, values):
    """The values, with `function` of every tensor in its place."""
    return [
        function(v)
        if is_tensor(v)
        else type(v)(None if e is None else function(e) for e in v)
        if is_tensor_list(v)
        else v
        for v in values
    ]


def as_tuple(results):
    if results is None:
        return ()
    return tuple(results) if isinstance(results, tuple) else (results,)

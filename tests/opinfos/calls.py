"""Makes calls that are written down (plain.py) in PyTorch or what has its interface; answers are plain.

A call is a dict: `path` of the function ("nn.functional.relu", "Tensor.add_"), `args` and `kwargs`,
`storages`, and `gradients`, whether those are asked for. An answer is ("value", results, written)
or ("error", names of the exception and its bases, its message).
"""

import math
import warnings

from plain import NoPlainFormError, Reader, contents, last_name


class LackingError(Exception):
    """The module has no function of that path."""


def function_of(module, path):
    found = module
    for part in path.split("."):
        found = getattr(found, part, None)
        if found is None:
            raise LackingError(path)
    return found


def _storage_of(tensor):
    return tensor.untyped_storage().data_ptr() if tensor.device.type == "cpu" else None


def _shared(tensor, inputs):
    """The input whose memory a result is part of."""
    place = _storage_of(tensor) if tensor.numel() else None
    return next((i for i, x in enumerate(inputs) if place and _storage_of(x) == place), None)


def described(module, value, inputs):
    """A result as plain data."""
    if isinstance(value, module.Tensor):
        if value.layout != module.strided or value.is_quantized:
            raise NoPlainFormError(f"a result of layout {value.layout}")
        return {
            "dtype": last_name(value.dtype),
            "device": value.device.type,
            "size": tuple(value.shape),
            "stride": value.stride(),
            "shares": _shared(value, inputs),
            "requires_grad": value.requires_grad,
            "values": contents(module, value) if value.device.type == "cpu" else None,
        }
    if isinstance(value, (list, tuple)):
        names = getattr(value, "__match_args__", None) or getattr(value, "_fields", None)
        kind = "list" if type(value) is list else "tuple"
        return (kind, names, [described(module, each, inputs) for each in value])
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return value
    return ("other", last_name(value))


def _tensors(module, value):
    if isinstance(value, module.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for each in value for tensor in _tensors(module, each)]
    return []


def _weights(module, output):
    numbers = [math.cos(1.0 + 0.7 * i) for i in range(output.numel())]
    return module.tensor(numbers, dtype=output.dtype).reshape(output.shape)


def _gradients(module, value, inputs):
    outputs = [t for t in _tensors(module, value) if t.requires_grad and t.dtype == module.float64]
    leaves = [x for x in inputs if x.requires_grad]
    if not outputs or not leaves:
        return None
    starts = [_weights(module, each) for each in outputs]
    found = module.autograd.grad(outputs, leaves, starts, allow_unused=True)
    return [None if each is None else described(module, each, []) for each in found]


def _read(module, call):
    """The function, its arguments and the tensors among them."""
    function = function_of(module, call["path"])
    reader = Reader(module, call["storages"])
    arguments = [reader.read(each) for each in call["args"]]
    named = {name: reader.read(each) for name, each in call["kwargs"].items()}
    if not call["gradients"]:
        for each in reader.tensors:
            each.requires_grad_(False)
    return function, arguments, named, reader.tensors


def _made(module, call, function, arguments, named, inputs):
    versions = [each._version for each in inputs]
    module.manual_seed(0)
    value = function(*arguments, **named)
    written = [i for i, (x, v) in enumerate(zip(inputs, versions, strict=True)) if x._version != v]
    result = described(module, value, inputs)
    after = [(i, described(module, inputs[i], inputs)) for i in written]
    gradients = _gradients(module, value, inputs) if call["gradients"] else None
    return ("value", result, after, gradients)


def answer(module, call):
    """What a call gives; raises LackingError and NoPlainFormError where it cannot be made at all."""
    read = _read(module, call)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return _made(module, call, *read)
        except NoPlainFormError:
            raise
        except Exception as error:
            names = [kind.__name__ for kind in type(error).__mro__]
            return ("error", names, str(error))

"""What functions that are written in Python take, in the words in which operators refuse other arguments."""

import functools
import inspect
import math
import numbers

from opweave import _C


def is_int(value):
    """Whether a value counts as an int: of NumPy too, and tensors of one; bools do not."""
    if isinstance(value, _C.TensorBase):
        return value.numel() == 1 and not value.is_floating_point() and value.dtype is not _C.bool
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_bool(value):
    """Whether a value is a bool, of Python or NumPy."""
    # NumPy's by its name: importing NumPy for the question would cost every program.
    kind = type(value)
    return kind is bool or (kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_"))


def _is_one_of_numpy(value):
    """Whether a value is an array of NumPy without dimensions, of numbers."""
    kind = type(value)
    is_array = kind.__module__ == "numpy" and kind.__name__ == "ndarray"
    return is_array and value.ndim == 0 and value.dtype.kind in "iufb"


def is_number(value):
    """Whether a value counts as a real number: of NumPy too, bools, and arrays and tensors of one."""
    if isinstance(value, _C.TensorBase):
        return value.numel() == 1
    return isinstance(value, numbers.Real) or is_bool(value) or _is_one_of_numpy(value)


def are_ints(value):
    """Whether a value is an int, or a tuple or list of them."""
    return is_int(value) or (isinstance(value, (tuple, list)) and all(map(is_int, value)))


_KINDS = {
    "Tensor": lambda value: isinstance(value, _C.TensorBase),
    "int": is_int,
    "Number": lambda value: (
        isinstance(value, _C.TensorBase) or is_number(value)
    ),  # tensors of any size
    "float": is_number,
    "bool": is_bool,
    "tuple of ints": are_ints,
    "dtype": lambda value: isinstance(value, _C.dtype),
    "str": lambda value: isinstance(value, str),
}


def takes(**kinds):
    """Decorates a function whose arguments of these names have to be of a kind: one of _KINDS.

    None is taken where it is the default. Subclasses that compute for themselves see a call before it is
    checked, as they replace the function as a whole.
    """

    def decorate(function):
        signature = inspect.signature(function)
        order = list(signature.parameters)
        optional = {n for n in kinds if signature.parameters[n].default is None}
        checks = [(n, order.index(n), _KINDS[kind], kind) for n, kind in kinds.items()]
        name = function.__name__

        @functools.wraps(function)
        def checked(*args, **kwargs):
            for argument, place, fits, kind in checks:
                if place < len(args):
                    value, where = args[place], f" (position {place + 1})"
                elif argument in kwargs:
                    value, where = kwargs[argument], ""
                else:
                    continue
                if not (fits(value) or (value is None and argument in optional)):
                    raise TypeError(
                        f"{name}(): argument '{argument}'{where} must be {kind}, not "
                        f"{type(value).__name__}"
                    )
            return function(*args, **kwargs)

        return checked

    return decorate


def expect_tensor(name, argument, value):
    """Refuses what is no tensor, in the words of operators.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(value, _C.TensorBase):
        raise TypeError(
            f"{name}(): argument '{argument}' must be Tensor, not {type(value).__name__}"
        )


def expect_int(name, argument, value):
    """Refuses what counts as no int, in the words of operators.

    Raises:
        TypeError: it is something else.
    """
    if not is_int(value):
        raise TypeError(f"{name}(): argument '{argument}' must be int, not {type(value).__name__}")


def expect_ints(name, argument, value):
    """Refuses what is neither an int nor a tuple or list of them, in the words of operators.

    Raises:
        TypeError: it is something else.
    """
    if are_ints(value):
        return
    got = f"not {type(value).__name__}"
    if isinstance(value, (tuple, list)):
        at, wrong = next((i, v) for i, v in enumerate(value) if not is_int(v))
        got = f"but found element of type {type(wrong).__name__} at pos {at}"
    raise TypeError(f"{name}(): argument '{argument}' must be tuple of ints, {got}")


def expect_number(name, argument, value, kind="float"):
    """Refuses what counts as no real number, in the words of operators.

    Raises:
        TypeError: it is something else.
    """
    if not is_number(value):
        raise TypeError(
            f"{name}(): argument '{argument}' must be {kind}, not {type(value).__name__}"
        )


def expect_sizes_of_table(name, num_embeddings, embedding_dim, padding_idx):
    """Refuses what is no number where a table of rows is asked for.

    Raises:
        TypeError: there is one.
    """
    expect_int(name, "num_embeddings", num_embeddings)
    expect_int(name, "embedding_dim", embedding_dim)
    if padding_idx is not None:
        expect_number(name, "padding_idx", padding_idx, "int")


def expect_probability(name, p):
    """Refuses what is no probability.

    Raises:
        TypeError: it is no number.
        ValueError: it is below 0 or above 1.
        RuntimeError: it is NaN, which in PyTorch the operator refuses.
    """
    expect_number(name, "p", p)
    if not 0.0 <= p <= 1.0:
        raised = ValueError if p < 0.0 or p > 1.0 else RuntimeError
        raise raised(f"dropout probability has to be between 0 and 1, but got {p}")


def expect_bool(name, argument, value):
    """Refuses what is no bool, in the words of operators; NumPy's are.

    Raises:
        TypeError: it is something else.
    """
    if not is_bool(value):
        raise TypeError(f"{name}(): argument '{argument}' must be bool, not {type(value).__name__}")


def expect_floating(name, tensor):
    """Refuses integers where a function would compute with what it rounds to them.

    Raises:
        NotImplementedError: the tensor is not of floating point.
    """
    expect_tensor(name, "input", tensor)
    if not tensor.is_floating_point():
        raise NotImplementedError(
            f"{name}(): not implemented for dtype {tensor.dtype}; expected floating point"
        )


def expect_tensors(name, tensors):
    """Refuses a sequence of which an element is no tensor.

    Raises:
        TypeError: there is one.
    """
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, _C.TensorBase):
            raise TypeError(
                f"{name}(): expected Tensor as element {i} in argument 0, but got "
                f"{type(tensor).__name__}"
            )


def to_size(name, value):
    """A size that was computed with floats, rounded down.

    Raises:
        RuntimeError: it is NaN, infinite, or more than int64 has a place for.
    """
    if not abs(value) < 2**63:
        raise RuntimeError(
            f"{name}(): a size of {value} cannot be converted to int64 without overflow"
        )
    return math.floor(value)

"""Arguments of calls: what schemas say that they are, and what programs give for them."""

import operator
import re

import jax
import jax.numpy as jnp
import numpy as np

_TYPE = re.compile(r"(\w+)(?:(\?)(?=\[))?(\[(0\|)?(\d*)\])?(\?)?")
_ONE = {"Tensor": "an array", "Scalar": "a number", "ScalarType": "a dtype"}
_MANY = {"Tensor": "arrays", "Scalar": "numbers", "ScalarType": "dtypes"}


def _is_array(value):
    return isinstance(value, np.ndarray | np.generic | jax.Array)


def _of_python(value):
    """An array without dimensions as the number that it is."""
    return value.item() if _is_array(value) and value.ndim == 0 else value


def _whole(value):
    """One of 64 bits, as in C++."""
    if not -(2**63) <= value < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return value


def _integer(value):
    value = _of_python(value)
    if isinstance(value, bool):
        raise TypeError
    return _whole(operator.index(value))


def _instance(*types):
    def check(value):
        value = _of_python(value)
        if not isinstance(value, types):
            raise TypeError
        return value

    return check


_number = _instance(bool, int, float)


def _scalar(value):
    value = _number(value)
    return _whole(value) if isinstance(value, int) else value


# By the names of schemas; of those that are not here only Opweave has values.
_ELEMENTS = {
    "int": _integer,
    "float": lambda value: float(_number(value)),
    "bool": _instance(bool),
    "str": _instance(str),
    "Scalar": _scalar,
    "ScalarType": jnp.dtype,
}


def _kind(value):
    """What was given, as errors have it."""
    if _is_array(value):
        return f"{value.dtype}[{','.join(map(str, value.shape))}]"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__} of {', '.join(map(_kind, value)) or 'nothing'}"
    return type(value).__name__


class Argument:
    """One argument of an operator.

    Args:
        operator: its name, as errors have it.
        name, position: the argument's.
        type: as the schema has it; `int[0|2]` is a list of two that may be empty as well. In a list of that
            length one number stands for all; `int[1]` is a list of any length, or one number.
    """

    def __init__(self, operator, name, position, type):
        self.operator, self.name, self.position = operator, name, position
        base, none_in_list, is_list, may_be_empty, length, optional = _TYPE.fullmatch(type).groups()
        self.base, self.is_list, self.length = base, bool(is_list), int(length or 0)
        self.may_be_empty, self.optional = bool(may_be_empty), bool(optional)
        self.none_in_list = bool(none_in_list)
        self.is_tensor = base == "Tensor"

    def constant(self, value):
        """What is known when a call is traced, as kernels and formulas take it, and such that it has a hash.

        Raises:
            TypeError: it is something else, or only known when what is traced runs.
            RuntimeError: a list of another length.
        """
        if value is None and self.optional:
            return None
        if isinstance(value, jax.core.Tracer):
            self._refuse_traced(value)
        if not self.is_list:
            return self._element(value, value)
        if _is_array(value) and value.ndim:
            value = list(value)
        one = self.length and not isinstance(value, list | tuple)
        if not one and not isinstance(value, list | tuple):
            self._refuse(value)
        items = tuple(self._element(v, value) for v in ([value] if one else value))
        return self._of_length(items)

    def arrays(self, value):
        """What JAX knows of: an array, a list of them, or None.

        Raises:
            TypeError: it is something else.
        """
        if value is None and self.optional:
            return None
        if not self.is_list:
            return self._array(value, value)
        if not isinstance(value, list | tuple):
            self._refuse(value)
        return [None if v is None and self.none_in_list else self._array(v, value) for v in value]

    def number(self, value):
        """A number of an expression, which may be traced.

        Raises:
            TypeError: it is something else.
        """
        is_number = isinstance(value, bool | int | float) or (_is_array(value) and value.ndim == 0)
        if not (is_number or (value is None and self.optional)):
            self._refuse(value)
        if isinstance(value, int):
            return _whole(value) if self.base != "float" or abs(value) < 2**63 else float(value)
        return value

    def _array(self, value, given):
        if not (_is_array(value) or isinstance(value, bool | int | float | complex)):
            self._refuse(given)
        return jnp.asarray(value)

    def _element(self, value, given):
        if isinstance(value, jax.core.Tracer):
            self._refuse_traced(value)
        convert = _ELEMENTS.get(self.base, lambda value: value)
        try:
            return convert(value)
        except TypeError:
            self._refuse(given)

    def _of_length(self, items):
        if self.length < 2 or len(items) == self.length or (not items and self.may_be_empty):
            return items
        if len(items) == 1:
            return items * self.length
        raise RuntimeError(
            f"{self.operator}(): argument '{self.name}' must {'be empty or ' if self.may_be_empty else ''}"
            f"have 1 or {self.length} elements, but got {list(items)}"
        )

    def _refuse_traced(self, value):
        raise TypeError(
            f"{self.operator}(): argument '{self.name}' has to be known when the call is traced, got "
            f"{value}: jax.jit has static_argnames for such arguments"
        )

    def _refuse(self, value):
        one, many = _ONE.get(self.base, self.base), _MANY.get(self.base, self.base)
        raise TypeError(
            f"{self.operator}(): argument '{self.name}' (position {self.position}) must be "
            f"{f'a list of {many}' if self.is_list else one}, not {_kind(value)}"
        )

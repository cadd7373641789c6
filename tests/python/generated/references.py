"""What entries say that values are: `reference`, a formula over other operators or an expression of NumPy; of
a library outside of Opweave also its `expr`, in NumPy."""

import keyword
import os

import numpy as np
import numpy_folds
import numpy_functions
import opweave as ow
from calls import mapped, results
from operator_table import REQUIRED

_LIBRARY = os.environ.get("OPWEAVE_TESTED_LIBRARY")


def _overload(operators, full_name):
    name, _, overload = full_name.partition(".")
    return getattr(getattr(operators, name), overload or "default")


def operators_of_library():
    """The namespace of the operators that are tested."""
    return getattr(ow.ops, _LIBRARY) if _LIBRARY else ow.ops


class Formulas:
    """What formulas call, as codegen/emit/tests/test_references.cc prints them."""

    def core(self, name, *given, **named):
        return _overload(ow.ops, name)(*given, **named)

    def own(self, name, *given, **named):
        return _overload(operators_of_library(), name)(*given, **named)

    def number(self, value):
        """A number where a tensor is wanted, as precise as the others."""
        return ow.tensor(value, dtype=ow.float64 if isinstance(value, float) else None)

    def value(self, name):
        return getattr(ow, {"long": "int64"}.get(name, name))

    def is_given(self, value):
        return value is not None

    def sizes(self, tensor):
        return list(tensor.shape)

    def strides(self, tensor):
        return list(tensor.stride())

    def dtype(self, tensor):
        return tensor.dtype


def has_reference(operator):
    """Whether there is something to compare with. Expressions of the core have tests of their own."""
    said = any(s is not None for s in (operator.formula, operator.numpy, operator.fold))
    return said or bool(_LIBRARY and operator.reference)


_elements_of = {}


def note(operator, found):
    """Counts the elements of results that are compared."""
    count = sum(r.numel() if isinstance(r, ow.Tensor) else 1 for r in found)
    _elements_of[operator.full_name] = _elements_of.get(operator.full_name, 0) + count


def has_no_elements(operator):
    """Whether it was compared with its reference in samples that are all empty."""
    return _elements_of.get(operator.full_name) == 0


def is_compared_with_nothing(operator):
    """Whether nobody knows what a kernel by hand has to give. Forms are compared with the functional one."""
    chance = {"random", "nondeterministic"} & set(operator.tags)
    alone = operator.functional is None and bool(operator.samples)
    return operator.by_hand and alone and not chance and not has_reference(operator)


def left_to_defaults(operator):
    """Arguments that are no truth values and that no sample gives: nobody knows what another one does."""
    if not operator.by_hand or operator.functional is not None or not has_reference(operator):
        return []
    given = {name for sample in operator.samples for name in sample}
    silent = {"bool", "Generator?", "ScalarType?", "Layout?", "Device?", "bool?", "MemoryFormat?"}
    return [a.name for a in operator.arguments if a.name not in given and a.type not in silent]


def of_one_value(operator):
    """{argument: value} of texts that all samples give alike: no test knows another one. One that none gives
    is among those left to their defaults."""
    if not operator.by_hand or operator.functional is not None or not has_reference(operator):
        return {}
    given = {
        a.name: {s.get(a.name, a.default) for s in operator.samples}
        for a in operator.arguments
        if a.type == "str" and any(a.name in s for s in operator.samples)
    }
    return {name: values.pop() for name, values in given.items() if len(values) == 1}


def _precise(tensor):
    tensor = tensor.detach()
    return tensor.to(ow.float64) if tensor.is_floating_point() else tensor


def _by_formula(operator, values):
    found = operator.formula(Formulas(), mapped(ow, _precise, values))
    return [r.numpy() if isinstance(r, ow.Tensor) else r for r in results(ow, found)]


def _by_numpy(operator, values):
    arrays = in_numpy(values)
    names = {f"{n}_" if keyword.iskeyword(n) else n: value for n, value in arrays.items()}
    code = compile(operator.numpy.strip(), operator.place, "eval")
    found = eval(code, {"np": np, **names})
    return results(ow, found)


def _by_fold(operator, values):
    return numpy_folds.values(operator.fold, in_numpy(values))


def _by_expr(operator, values):
    with np.errstate(all="ignore"):
        return [operator.reference(numpy_functions, in_numpy(values))]


def in_numpy(value):
    """Tensors as arrays, floats as float64."""
    if isinstance(value, dict):
        return {name: in_numpy(v) for name, v in value.items()}
    if isinstance(value, list):
        return [in_numpy(v) for v in value]
    return _precise(value).numpy().copy() if isinstance(value, ow.Tensor) else value


def wanted(operator, values):
    """What the entry says a call gives, as arrays or numbers: floats in float64. It gets every argument,
    those that the call leaves to their default as well."""
    defaults = {a.name: a.default for a in operator.arguments if a.default is not REQUIRED}
    by = (
        _by_formula
        if operator.formula
        else _by_numpy
        if operator.numpy
        else _by_fold
        if operator.fold
        else _by_expr
    )
    return by(operator, {**defaults, **values})

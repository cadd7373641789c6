"""The schema of an operator, from the signature of the Python function that implements it."""

import inspect
import types
import typing
from collections.abc import Iterable, Sequence

from opweave import _C
from opweave._custom_ops.tags import check_tags

_SCALAR = frozenset([int, float, bool])
_BASES = {
    _C.dtype: "ScalarType",
    _C.device: "Device",
    _C.memory_format: "MemoryFormat",
    _C.layout: "Layout",
    int: "int",
    float: "float",
    bool: "bool",
    str: "str",
}
_LISTED = ("Tensor", "int", "float", "bool", "Scalar")
_RETURNED = ("Tensor", "Tensor[]", "int", "float", "bool", "Scalar")
_WORDS = (
    "Tensor, int, float, bool, str, int | float | bool, dtype, device, layout, memory_format, a Sequence or "
    "list of the first four, and Optional of each"
)


def _is_tensor(annotation):
    return isinstance(annotation, type) and issubclass(annotation, _C.TensorBase)


def _is_union(origin):
    return origin is typing.Union or origin is types.UnionType


def _type_of(annotation):
    """`int[]?` of Optional[Sequence[int]]; None of what a schema cannot say."""
    if _is_tensor(annotation):
        return "Tensor"
    if isinstance(annotation, type) and annotation in _BASES:
        return _BASES[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if _is_union(origin):
        others = [a for a in arguments if a is not type(None)]
        if frozenset(others) == _SCALAR:
            inner = "Scalar"
        else:
            inner = _type_of(others[0]) if len(others) == 1 else None
        return inner and inner + ("?" if len(others) < len(arguments) else "")
    if origin in (list, Sequence) and len(arguments) == 1:
        inner = _type_of(arguments[0])
        return f"{inner}[]" if inner in _LISTED else None
    return None


def _default(parameter, refuse):
    value = parameter.default
    if value is inspect.Parameter.empty:
        return ""
    if value is None or isinstance(value, bool | int | float):
        return f"={value}"
    if isinstance(value, str):
        return f'="{value}"'
    if isinstance(value, _C.dtype | _C.device):
        return f"={str(value).rpartition('.')[2]}"
    refuse(
        f"Parameter {parameter.name} has a default of an unsupported type, {type(value).__name__}: expected "
        "None, a number, a string, a dtype or a device"
    )
    return None


def _written(mutates_args, signature, refuse):
    """The names of the arguments that are written; None if nobody knows."""
    if mutates_args == "unknown":
        return None
    if isinstance(mutates_args, str) or not isinstance(mutates_args, Iterable):
        raise ValueError(
            "mutates_args must either be a sequence of the names of the arguments that are mutated or the "
            f"string 'unknown', got {mutates_args!r}"
        )
    names = set(mutates_args)
    if unknown := names - set(signature.parameters):
        refuse(f"{unknown} in mutates_args were not found in the signature")
    return names


class _Inference:
    def __init__(self, function, mutates_args):
        self._signature = inspect.signature(function)
        try:
            self._hints = typing.get_type_hints(function)
        except Exception as error:
            self._refuse(f"the annotations cannot be read ({type(error).__name__}: {error})")
        self._mutated = _written(mutates_args, self._signature, self._refuse)

    def _refuse(self, why):
        raise ValueError(f"infer_schema(func): {why}. Got func with signature {self._signature}")

    def _alias(self, name, text, index):
        is_tensor = text.startswith("Tensor")
        if self._mutated is not None and name not in self._mutated:
            return text
        if not is_tensor:
            if self._mutated is not None:
                self._refuse(
                    f"Parameter {name} is in mutates_args, but only Tensors or collections of them can "
                    f"be mutated"
                )
            return text
        return f"Tensor(a{index}!)" + text.removeprefix("Tensor")

    def _argument(self, parameter, index):
        name = parameter.name
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            self._refuse("positional-only arguments, varargs and varkwargs are not supported")
        if parameter.annotation is inspect.Parameter.empty:
            self._refuse(f"Parameter {name} must have a type annotation")
        text = _type_of(self._hints[name])
        if text is None:
            self._refuse(
                f"Parameter {name} has unsupported type {parameter.annotation}. The valid types are: {_WORDS}"
            )
        return f"{self._alias(name, text, index)} {name}{_default(parameter, self._refuse)}"

    def arguments(self):
        parts, keyword_only = [], False
        for index, parameter in enumerate(self._signature.parameters.values()):
            if parameter.kind == parameter.KEYWORD_ONLY and not keyword_only:
                keyword_only = True
                parts.append("*")
            parts.append(self._argument(parameter, index))
        return ", ".join(parts)

    def returns(self):
        if self._signature.return_annotation is inspect.Signature.empty:
            self._refuse("No return type annotation was provided. Please add one")
        annotation = self._hints.get("return")
        if annotation is None or annotation is type(None):
            return "()"
        if typing.get_origin(annotation) is tuple:
            return "(" + ", ".join(self._result(a) for a in typing.get_args(annotation)) + ")"
        return self._result(annotation)

    def _result(self, annotation):
        text = _type_of(annotation)
        if text not in _RETURNED:
            valid = ", ".join(_RETURNED)
            self._refuse(
                f"Return has unsupported type {annotation}. The valid types are: {valid}, and a tuple of them"
            )
        return text


def infer_schema(prototype_function, /, *, mutates_args, op_name=None, tags=()):
    """The schema that a function's annotations say: "(Tensor x, float k) -> Tensor".

    Args:
        prototype_function: every parameter and the result have a type.
        mutates_args: the names of the arguments that it writes, or "unknown": any tensor.
        op_name: put in front of it.
        tags: members of opweave.Tag; `inplace`, `out`: see custom_op.

    Raises:
        ValueError: a type is missing, or is none that a schema can say; the text names the parameter.
        NotImplementedError: a tag says that it returns what it writes.
    """
    check_tags("infer_schema", getattr(prototype_function, "__name__", ""), tags)
    inference = _Inference(prototype_function, mutates_args)
    return f"{op_name or ''}({inference.arguments()}) -> {inference.returns()}"

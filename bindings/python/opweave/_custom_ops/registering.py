"""Operators by name: what programs define and register for them without a custom_op."""

import re
import warnings

from opweave import _C
from opweave._custom_ops.autocasting import check_device_type
from opweave._custom_ops.library import Library, fake_place
from opweave._custom_ops.operators import (
    CustomOpDef,
    OperatorRules,
    _definitions,
    check_mode,
    register_for,
    split_name,
)
from opweave._ops import operator_of

NAMELESS_SCHEMA = re.compile(r"\(.*\) -> .*")
_rules = {}  # of operators that were defined otherwise, by name
_kept = []  # libraries of operators that nobody holds


def named(op, function):
    """The CustomOpDef of an operator, or its name.

    Args:
        op: a CustomOpDef, an operator of `opweave.ops`, or the name of one.
        function: that asks, for the error.

    Raises:
        ValueError: it is none of them.
    """
    op = operator_of(op)
    if not isinstance(op, str | _C._Operator | CustomOpDef):
        raise ValueError(f"{function}({op}): got unexpected type for op: {type(op)}")
    if isinstance(op, CustomOpDef):
        return op
    name = op if isinstance(op, str) else op.name + (f".{op.overload}" if op.overload else "")
    return _definitions.get(name, name)


def _namespace(name):
    return name.partition("::")[0] if "::" in name else ""


def rules_of(op, function, lib=None, missing=RuntimeError):
    """What is registered for an operator, kept by `lib`, or as long as the process.

    `missing` is what PyTorch raises where there is no such operator.
    """
    op = named(op, function)
    if isinstance(op, CustomOpDef):
        return op._rules
    operator = _C._find_operator(op.removeprefix("aten::").removesuffix(".default"))
    if operator is None:
        raise missing(f"operator {op} does not exist")
    if lib is not None:
        return OperatorRules(operator, lib)
    known = _rules.get(op)
    if known is None or known._operator.schema != operator.schema:
        known = _rules[op] = OperatorRules(operator, Library(_namespace(op)))
    return known


def _decorated(register, fn):
    def decorator(function):
        register(function)
        return function

    return decorator if fn is None else decorator(fn)


def _check_positional_tensors(rules, function):
    """Tensors that are given by keyword have neither gradients nor examples here."""
    operator = rules._operator
    if any(a["keyword_only"] and a["type"].startswith("Tensor") for a in operator.arguments):
        raise NotImplementedError(
            f"{function} with kwarg-only Tensor args. In the original definition of the op, please make your "
            f"tensors not kwarg-only. Got: {operator.schema}"
        )


def _may_come(op):
    """Whether it is the name of an operator that its namespace has not got yet."""
    if not isinstance(op, str) or "::" not in op.removeprefix("aten::"):
        return False
    return _C._find_operator(op.removesuffix(".default")) is None


def _new_library(op):
    _kept.append(Library(_namespace(op)))
    return _kept[-1]


def register_kernel(op, device_types, func=None, /, *, lib=None):
    """The implementation of an operator for some targets, or with None for all; also as a decorator."""
    op = named(op, "register_kernel")
    if isinstance(op, CustomOpDef):
        return op.register_kernel(device_types, func)
    if not _may_come(op):
        rules = rules_of(op, "register_kernel", lib)
        return _decorated(lambda f: rules.register_kernel(device_types, f), func)
    return _decorated(lambda f: register_for(lib or _new_library(op), op, device_types, f), func)


def register_fake(op, func=None, /, *, lib=None, allow_override=True):
    """What the results of an operator look like, from tensors without data; also as a decorator.

    Raises:
        RuntimeError: there is no such operator, or with `allow_override=False` it has a fake.
    """
    rules = rules_of(op, "register_fake", lib)
    place = None if allow_override else fake_place(rules._operator)
    if place is not None:
        raise RuntimeError(
            f"register_fake(...): the operator {rules._name} already has a fake impl registered at {place}."
        )
    return _decorated(rules.register_fake, func)


def impl_abstract(qualname, func=None, *, lib=None):
    """The old name of register_fake."""
    warnings.warn(
        "`library.impl_abstract` was renamed to `library.register_fake`. Please use that instead",
        FutureWarning,
        stacklevel=2,
    )
    return register_fake(qualname, func, lib=lib)


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    """How gradients of an operator are computed: see CustomOpDef.register_autograd."""
    rules = rules_of(op, "register_autograd", lib, AttributeError)
    _check_positional_tensors(rules, "register_autograd")
    rules.register_autograd(backward, setup_context)


def register_vmap(op, func=None, /, *, lib=None):
    """The rule of an operator for vmap: see CustomOpDef.register_vmap; also as a decorator."""
    rules = rules_of(op, "register_vmap", lib, AttributeError)
    _check_positional_tensors(rules, "register_vmap")
    return _decorated(rules.register_vmap, func)


def register_autocast(op, device_type, cast_inputs, /, *, lib=None):
    """What an operator computes in inside of autocast: see CustomOpDef.register_autocast."""
    op = named(op, "register_autocast")
    check_device_type(device_type, cast_inputs)
    rules = rules_of(op, "register_autocast", lib, AttributeError)
    rules.register_autocast(device_type, cast_inputs)


def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None):
    """What an operator does under modes of a class, in the place of their method; also as a decorator.

    Args:
        op: the operator.
        torch_dispatch_class: a TorchDispatchMode; it holds for modes of this very class.
        func: `func(mode, op, types, args, kwargs)` gives the results.
        lib: a Library, which keeps it.

    Raises:
        NotImplementedError: the class is none of modes.
    """
    op = named(op, "register_torch_dispatch")
    check_mode(torch_dispatch_class)
    rules = rules_of(op, "register_torch_dispatch", lib, AttributeError)

    return _decorated(lambda f: rules.register_torch_dispatch(torch_dispatch_class, f), func)


def _defines_for(library, schema, alias_analysis=""):
    """`define(library, "f(Tensor x) -> Tensor")`: a decorator of the function that implements it."""

    def register(function):
        library.impl(library.define(schema, alias_analysis), function)

    return _decorated(register, None)


def define(qualname, schema, *more, lib=None, tags=()):
    """Adds an operator without implementations: define("mine::f", "(Tensor x) -> Tensor").

    With a Library as first argument it is the old form, a decorator of the implementation:
    `define(library, "f(Tensor x) -> Tensor")`.

    Raises:
        ValueError: the name or the schema looks otherwise.
        RuntimeError: the schema is none, or the name is taken.
    """
    if isinstance(qualname, Library):
        return _defines_for(qualname, schema, *more)
    if not isinstance(qualname, str):
        raise ValueError(
            f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}"
        )
    namespace, name = split_name(qualname)
    if not NAMELESS_SCHEMA.fullmatch(schema):
        raise ValueError(
            'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got '
            f'"{schema}"'
        )
    library = lib or Library(namespace)
    library.define(name + schema, tags=tags)
    if lib is None:
        _kept.append(library)
    return None


def impl(qualname, types, func=None, *, lib=None):
    """The implementation of an operator for device types, dispatch keys or "default", all; or a decorator.

    With a Library as first argument it is the old form, a decorator: `impl(library, "f", "CPU")`.
    """
    if isinstance(qualname, Library):
        return _decorated(lambda f: qualname.impl(types, f, func or ""), None)
    names = [types] if isinstance(types, str) else list(types)

    def register(function):
        op = named(qualname, "impl")
        library = lib or (_new_library(op) if _may_come(op) else rules_of(op, "impl")._library)
        for name in names:
            library.impl(qualname, function, "" if name == "default" else name)

    return _decorated(register, func)

"""Operators under the names that PyTorch has for them: `torch.ops.aten.add.Tensor`, as dispatch modes and
the policies of checkpoints are given them. `opweave.ops` holds the same operators without a namespace; both
are equal."""

import functools

from opweave import _C

__all__ = ["FunctionSchema", "OpOverload", "OpOverloadPacket", "overload_of"]

_ATEN = "aten"


class OpOverloadPacket:
    """All overloads of a name. Called, it takes the first that the arguments fit."""

    _namespace = None

    def __init__(self, name, overloads):
        self.__name__ = name
        self._overloads = overloads

    def overloads(self):
        """The names of the overloads; "default" is the one without a name."""
        return [name or "default" for name in self._overloads]

    def __getattr__(self, name):
        key = "" if name == "default" else name
        if name.startswith("__") or key not in self._overloads:
            # A library may be called like an operator.
            if overloads := _C._overload_names(f"{self.__name__}::{name}"):
                return OpOverloadPacket(f"{self.__name__}::{name}", overloads)
            raise AttributeError(f"the operator '{self.__name__}' has no overload '{name}'")
        return _C._find_operator(f"{self.__name__}.{key}" if key else self.__name__)

    def __call__(self, *args, **kwargs):
        errors = []
        for overload in self.overloads():
            operator = getattr(self, overload)
            try:
                return operator(*args, **kwargs)
            except TypeError as error:
                if len(self._overloads) == 1:
                    raise
                errors.append(f"  {_schema_text(operator)}: {error}")
        raise TypeError(f"no overload of '{self.__name__}' fits:\n" + "\n".join(errors))

    def __eq__(self, other):
        if not isinstance(other, OpOverloadPacket):
            return NotImplemented
        return self.__name__ == other.__name__

    def __hash__(self):
        return hash(self.__name__)

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self.__name__}')>"


def _schema_text(operator):
    return str(operator._schema) if isinstance(operator, OpOverload) else operator.schema


class AtenPacket(OpOverloadPacket):
    """The overloads of one of Opweave's own operators, as PyTorch shows them."""

    _namespace = _ATEN

    def __getattr__(self, name):
        """One overload.

        Raises:
            AttributeError: there is none of the name.
        """
        return overload_of(super().__getattr__(name))

    @property
    def _qualified_op_name(self):
        return f"{_ATEN}::{self.__name__}"

    def __str__(self):
        return f"{_ATEN}.{self.__name__}"

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"


class OpOverload:
    """One operator, as PyTorch shows it. Calls go to the operator."""

    def __init__(self, operator):
        namespace, _, name = operator.name.rpartition("::")
        self._operator = operator
        self.namespace = self._namespace = namespace or _ATEN
        self._opname = name
        self._overloadname = operator.overload or "default"
        self._name = f"{self.namespace}::{name}" + f".{operator.overload}" * bool(operator.overload)
        self.__name__ = f"{name}.{self._overloadname}"
        self.__module__ = f"opweave._ops.{self.namespace}"

    def __call__(self, /, *args, **kwargs):
        return self._operator(*args, **kwargs)

    def name(self):
        """`aten::add.Tensor`"""
        return self._name

    @property
    def _schema(self):
        return FunctionSchema(self._operator, self.namespace)

    @property
    def overloadpacket(self):
        """All overloads of the name."""
        kind = OpOverloadPacket if "::" in self._operator.name else AtenPacket
        return kind(self._operator.name, _C._overload_names(self._operator.name))

    _overloadpacket = overloadpacket

    @property
    def tags(self):
        """What its entry in ops.yaml is tagged with."""
        return list(self._operator.tags)

    @property
    def is_view(self):
        """Whether a result shares memory with an argument that is not written."""
        return any(r["alias"] and not r["written"] for r in self._operator.returns)

    def has_kernel_for_dispatch_key(self, key):
        """Whether there is a kernel for a dispatch key by name."""
        return self._operator.has_kernel(key)

    def decompose(self, *args, **kwargs):
        """NotImplemented: operators that are made of others are never given to a mode."""
        return NotImplemented

    def __eq__(self, other):
        if isinstance(other, OpOverload):
            return self._operator == other._operator
        return self._operator == other if isinstance(other, _C._Operator) else NotImplemented

    def __hash__(self):
        return hash(self._operator)

    def __reduce__(self):
        return _named, (self._operator.name, self._operator.overload)

    def __str__(self):
        return f"{self.namespace}.{self._opname}.{self._overloadname}"

    def __repr__(self):
        packet = f"{self.namespace}.{self._opname}"
        return f"<OpOverload(op='{packet}', overload='{self._overloadname}')>"


class HigherOrderOperator:
    """PyTorch's operators that take functions; Opweave has none, and nothing is an instance."""

    def __new__(cls, *args, **kwargs):
        """Refused.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "HigherOrderOperator: Opweave has no operators that take functions"
        )


# What each face has of its own.
_OF_FACES = ("namespace", "_namespace", "_opname", "_overloadname", "_name")


@functools.cache
def overload_of(operator):
    """The face of an operator of the registry, the same for the same operator."""
    return OpOverload(operator)


def face_attribute(operator, name):
    """What an operator of the registry does not have itself, and its face has.

    Raises:
        AttributeError: neither has it.
    """
    if name.startswith("__") or (not hasattr(OpOverload, name) and name not in _OF_FACES):
        raise AttributeError(f"the operator '{operator.name}' has no attribute '{name}'")
    return getattr(overload_of(operator), name)


def operator_of(op):
    """The operator of the registry behind its face; anything else as it is."""
    return op._operator if isinstance(op, OpOverload) else op


def _named(name, overload):
    return overload_of(_C._find_operator(f"{name}.{overload}" if overload else name))


class Argument:
    """One argument or result of a schema."""

    def __init__(self, facts):
        self.name = facts["name"]
        self.type = self.real_type = facts["type"]
        self.kwarg_only = facts.get("keyword_only", False)
        self.default_value = facts.get("default")
        self._has_default = facts.get("has_default", False)
        self.is_write = facts["written"]
        self.alias_info = _AliasInfo(facts) if facts["alias"] else None

    def has_default_value(self):
        """Whether the caller may leave it out."""
        return self._has_default


class _AliasInfo:
    def __init__(self, facts):
        self.is_write = facts["written"]
        self.before_set = self.after_set = {facts["alias"]}


class FunctionSchema:
    """What an operator takes and gives."""

    def __init__(self, operator, namespace):
        self.overload_name = operator.overload
        self.arguments = [Argument(a) for a in operator.arguments]
        self.returns = [Argument(r) for r in operator.returns]
        own = "" if "::" in operator.name else f"{namespace}::"
        self.name = own + operator.name
        self._text = own + operator.schema

    @property
    def is_mutable(self):
        """Whether it writes an argument."""
        return any(a.is_write for a in self.arguments)

    def __str__(self):
        return self._text

    __repr__ = __str__


class AtenNamespace:
    """`torch.ops.aten`: Opweave's own operators by the names that PyTorch has for them."""

    __name__ = "torch.ops.aten"

    def __getattr__(self, name):
        """The operators of a name.

        Raises:
            AttributeError: there is no such operator.
        """
        overloads = [] if name.startswith("__") else _C._overload_names(name)
        if not overloads:
            raise AttributeError(f"'_OpNamespace' '{_ATEN}' object has no attribute '{name}'")
        return _packet(name, tuple(overloads))

    def __dir__(self):
        """The names of operators that have no other namespace."""
        names = {n.split(".")[0] for n in _C._operator_names()}
        return sorted(n for n in names if "::" not in n)


@functools.cache
def _packet(name, overloads):
    return AtenPacket(name, list(overloads))


aten = AtenNamespace()

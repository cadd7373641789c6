"""What libraries tell PyTorch's compiler by names under torch._dynamo: nothing is compiled, so it holds."""

from opweave._dynamo import config
from opweave.compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    is_dynamo_compiling,
    list_backends,
    reset,
    substitute_in_graph,
)

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "disallow_in_graph",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "is_dynamo_compiling",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "reset",
    "substitute_in_graph",
]


def graph_break(msg=""):
    """Ends what is compiled as one: nothing is."""


def disallow_in_graph(fn):
    """What is not to be compiled; gives it back."""
    return fn


def forbid_in_graph(fn):
    """What must not be compiled; gives it back."""
    return fn


def mark_dynamic(t, index, **bounds):
    """Says that a size changes from call to call: every call looks at the sizes that it gets."""


def maybe_mark_dynamic(t, index):
    """Says that a size may change from call to call."""


def mark_static(t, index=None):
    """Says that sizes stay."""


def mark_static_address(t, guard=False):
    """Says that a tensor's memory stays where it is."""

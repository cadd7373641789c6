"""The nodes of trees: which types they are, and structures of them (see _pytree.py)."""

import collections
import collections.abc
import dataclasses
import functools
import typing

from opweave import _C


class NodeDef(typing.NamedTuple):
    """What takes nodes of a type apart into (children, context), and what makes them of these again."""

    flatten_fn: collections.abc.Callable
    unflatten_fn: collections.abc.Callable


SUPPORTED_NODES = {}


# By type of node: what gives ([(key, child), …], context), for _tree_paths.py.
WITH_KEYS = {}


def register_pytree_node(
    cls,
    flatten_fn,
    unflatten_fn,
    *,
    serialized_type_name=None,
    to_dumpable_context=None,
    from_dumpable_context=None,
    flatten_with_keys_fn=None,
):
    """Makes instances of a class nodes of trees.

    Args:
        flatten_fn: gives (children, context) of an instance.
        unflatten_fn: makes an instance of (children, context).
        flatten_with_keys_fn: gives ([(key, child), …], context), for functions that tell paths.
        serialized_type_name, to_dumpable_context, from_dumpable_context: for PyTorch's programs; trees
            are not written to files.

    Raises:
        ValueError: the class is registered already.
    """
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(flatten_fn, unflatten_fn)
    if flatten_with_keys_fn is not None:
        WITH_KEYS[cls] = flatten_with_keys_fn


def forget(cls):
    """Makes instances of a class leaves again."""
    SUPPORTED_NODES.pop(cls, None)
    WITH_KEYS.pop(cls, None)


def _dict_flatten(d):
    return list(d.values()), list(d)


def _dict_unflatten(values, context):
    return dict(zip(context, values, strict=True))


def _list_flatten(d):
    return list(d), None


def _list_unflatten(values, context):
    return list(values)


def _tuple_unflatten(values, context):
    return tuple(values)


SUPPORTED_NODES[tuple] = NodeDef(_list_flatten, _tuple_unflatten)
SUPPORTED_NODES[_C.Size] = SUPPORTED_NODES[
    tuple
]  # of sizes that a function was applied to, a tuple
SUPPORTED_NODES[list] = NodeDef(_list_flatten, _list_unflatten)
SUPPORTED_NODES[dict] = NodeDef(_dict_flatten, _dict_unflatten)
SUPPORTED_NODES[collections.OrderedDict] = NodeDef(
    _dict_flatten,
    lambda children, keys: collections.OrderedDict(zip(keys, children, strict=True)),
)
SUPPORTED_NODES[collections.defaultdict] = NodeDef(
    lambda t: (list(t.values()), [t.default_factory, list(t)]),
    lambda children, c: collections.defaultdict(c[0], zip(c[1], children, strict=True)),
)
SUPPORTED_NODES[collections.deque] = NodeDef(
    lambda t: (list(t), t.maxlen),
    lambda children, size: collections.deque(children, maxlen=size),
)
# All named tuples.
SUPPORTED_NODES[collections.namedtuple] = NodeDef(
    lambda t: (list(t), type(t)), lambda children, cls: cls(*children)
)
# Results of operators, which are made from one sequence.
_STRUCT = NodeDef(lambda t: (list(t), type(t)), lambda children, cls: cls(children))


def is_namedtuple_class(cls):
    """Whether a class is one that collections.namedtuple made, or a subclass."""
    fields = getattr(cls, "_fields", None)
    return (
        isinstance(cls, type)
        and issubclass(cls, tuple)
        and isinstance(fields, tuple)
        and callable(getattr(cls, "_make", None))
    )


def is_namedtuple_instance(obj):
    """Whether an object is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_namedtuple(obj):
    """Whether an object, or a class, is that of named tuples."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def _is_struct(cls):
    return issubclass(cls, tuple) and hasattr(cls, "n_sequence_fields")


def is_structseq_instance(obj):
    """Whether an object is one of C's named tuples, as results of operators are."""
    return _is_struct(type(obj))


def kind_of(tree):
    """The type that a node is registered under; None for a leaf."""
    cls = type(tree)
    if cls in SUPPORTED_NODES:
        return cls
    if is_namedtuple_class(cls):
        return collections.namedtuple
    return cls if _is_struct(cls) else None


def is_result(kind):
    """Whether nodes of a kind are results of operators, which nobody registers."""
    return kind not in SUPPORTED_NODES


def functions_of(kind):
    """What takes nodes of a kind apart, and what makes them."""
    return SUPPORTED_NODES.get(kind, _STRUCT)


@dataclasses.dataclass(init=False, repr=False)
class TreeSpec:
    """The structure of a tree: the type of its root, what the type needs beside the children, and theirs.

    A leaf's type is None.
    """

    type: object
    context: object
    children_specs: list

    def __init__(self, type, context, children_specs):
        self.type, self.context = type, context
        self.children_specs = list(children_specs)

    @functools.cached_property
    def num_nodes(self):
        """Nodes and leaves, this one included."""
        return 1 + sum(child.num_nodes for child in self.children_specs)

    @functools.cached_property
    def num_leaves(self):
        """Leaves of the tree."""
        return 1 if self.is_leaf() else sum(child.num_leaves for child in self.children_specs)

    @property
    def num_children(self):
        """Nodes right below the root."""
        return len(self.children_specs)

    def is_leaf(self):
        """Whether the tree is a leaf."""
        return self.type is None

    def children(self):
        """The structures below the root."""
        return list(self.children_specs)

    def child(self, index):
        """One of them."""
        return self.children_specs[index]

    def unflatten(self, leaves):
        """The tree with these leaves.

        Raises:
            ValueError: another number of leaves.
        """
        leaves = list(leaves)
        if len(leaves) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): expected {self.num_leaves} leaves, got {len(leaves)}, "
                f"for {self}"
            )
        return self._build(iter(leaves))

    def _build(self, leaves):
        if self.is_leaf():
            return next(leaves)
        children = [child._build(leaves) for child in self.children_specs]
        return functions_of(self.type)[1](children, self.context)

    def flatten_up_to(self, tree):
        """What a second tree has where this one has leaves.

        Raises:
            ValueError: it has another structure.
        """
        if self.is_leaf():
            return [tree]
        parts = self._matching_children(tree)
        pairs = zip(self.children_specs, parts, strict=True)
        return [leaf for spec, part in pairs for leaf in spec.flatten_up_to(part)]

    def _matching_children(self, tree):
        kind = kind_of(tree)
        if isinstance(tree, dict) and issubclass(self.type, dict) and kind is not None:
            keys = self.context[1] if self.type is collections.defaultdict else self.context
            if set(tree) != set(keys):
                raise ValueError(f"Node keys mismatch; expected {keys}, but got {list(tree)}.")
            return [tree[key] for key in keys]
        if kind is not self.type:
            raise ValueError(f"Node type mismatch; expected {self.type}, but got {type(tree)}.")
        children, context = functions_of(kind)[0](tree)
        if len(children) != self.num_children:
            raise ValueError(
                f"Node arity mismatch; expected {self.num_children}, but got {len(children)}."
            )
        if context != self.context and kind is not collections.deque:
            raise ValueError(
                f"Node context mismatch for node type {self.type!r}; expected {self.context!r}, got "
                f"{context!r}."
            )
        return children

    def __hash__(self):
        """By what trees of one structure share; contexts need not have one."""
        return hash((self.type, *map(hash, self.children_specs)))

    def __repr__(self):
        """*: a leaf."""
        if self.is_leaf():
            return "*"
        head = f"TreeSpec({getattr(self.type, '__name__', self.type)}, {self.context}, ["
        children = ",\n  ".join(repr(child).replace("\n", "\n  ") for child in self.children_specs)
        return f"{head}{children}])"


class LeafSpec(TreeSpec):
    """The structure of a leaf."""

    def __init__(self):
        super().__init__(None, None, [])

    def __eq__(self, other):
        """All leaves are the same."""
        return isinstance(other, TreeSpec) and other.is_leaf()

    def __hash__(self):
        """One for all."""
        return hash((None,))


LEAF = LeafSpec()

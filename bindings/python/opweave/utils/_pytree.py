"""Trees of lists, tuples, dictionaries and registered classes, taken apart into leaves and put together.

The names are those of torch.utils._pytree, which libraries around PyTorch import in spite of the underscore.
None is a leaf; subclasses of the containers are leaves, named tuples and the results of operators are not.
"""

import collections

from opweave.utils._tree_nodes import (  # noqa: F401 - private names that libraries import from here
    LEAF,
    SUPPORTED_NODES,
    LeafSpec,
    NodeDef,
    TreeSpec,
    _dict_flatten,
    _dict_unflatten,
    _list_flatten,
    _list_unflatten,
    functions_of,
    is_namedtuple,
    is_namedtuple_class,
    is_namedtuple_instance,
    is_structseq_instance,
    kind_of,
    register_pytree_node,
)
from opweave.utils._tree_paths import (  # noqa: F401 - private names that libraries import from here
    GetAttrKey,
    MappingKey,
    SequenceKey,
    _defaultdict_flatten_with_keys,
    _deque_flatten_with_keys,
    _dict_flatten_with_keys,
    _list_flatten_with_keys,
    _namedtuple_flatten_with_keys,
    _ordereddict_flatten_with_keys,
    _tuple_flatten_with_keys,
    key_get,
    keystr,
    register_dataclass,
    tree_flatten_with_path,
    tree_leaves_with_path,
    tree_map_with_path,
)

__all__ = [
    "Context",
    "GetAttrKey",
    "LeafSpec",
    "MappingKey",
    "PyTree",
    "PyTreeSpec",
    "SequenceKey",
    "TreeSpec",
    "arg_tree_leaves",
    "is_namedtuple",
    "is_namedtuple_class",
    "is_namedtuple_instance",
    "key_get",
    "keystr",
    "register_dataclass",
    "register_pytree_node",
    "tree_all",
    "tree_all_only",
    "tree_any",
    "tree_any_only",
    "tree_flatten",
    "tree_flatten_with_path",
    "tree_is_leaf",
    "tree_iter",
    "tree_leaves",
    "tree_leaves_with_path",
    "tree_map",
    "tree_map_",
    "tree_map_only",
    "tree_map_only_",
    "tree_map_with_path",
    "tree_structure",
    "tree_unflatten",
    "treespec_pprint",
]

PyTree = Context = object  # for annotations
PyTreeSpec = TreeSpec


def _register_pytree_node(
    cls, flatten_fn, unflatten_fn, to_str_fn=None, maybe_from_str_fn=None, **options
):
    """Its name in older programs, whose functions of text had another use."""
    register_pytree_node(cls, flatten_fn, unflatten_fn, **options)


class _Star:
    def __repr__(self):
        return "*"


_STAR = _Star()


def _get_node_type(tree):
    """The type that a tree's root is registered under; that of the object for a leaf."""
    return kind_of(tree) or type(tree)


def tree_flatten(tree, is_leaf=None):
    """The leaves of a tree, in order, and its structure.

    Args:
        is_leaf: called with every node; where it says True the node is kept whole.
    """
    leaves = []
    return leaves, _flatten(tree, leaves, is_leaf)


def _flatten(tree, leaves, is_leaf):
    kind = None if is_leaf is not None and is_leaf(tree) else kind_of(tree)
    if kind is None:
        leaves.append(tree)
        return LEAF
    children, context = functions_of(kind)[0](tree)
    return TreeSpec(kind, context, [_flatten(child, leaves, is_leaf) for child in children])


def tree_unflatten(leaves, treespec):
    """The tree of a structure with these leaves.

    Raises:
        TypeError: `treespec` is no TreeSpec.
        ValueError: another number of leaves.
    """
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"tree_unflatten(leaves, treespec): expected `treespec` to be a TreeSpec, got {type(treespec)}"
        )
    return treespec.unflatten(leaves)


def tree_iter(tree, is_leaf=None):
    """The leaves, one after the other."""
    return iter(tree_flatten(tree, is_leaf)[0])


def tree_leaves(tree, is_leaf=None):
    """The leaves."""
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree, is_leaf=None):
    """The structure."""
    return tree_flatten(tree, is_leaf)[1]


def arg_tree_leaves(*args, **kwargs):
    """The leaves of the arguments of a call, those by name last."""
    return [*tree_leaves(args), *tree_leaves(kwargs)]


def treespec_pprint(treespec):
    """The text of a tree that has a star for each leaf."""
    return repr(treespec.unflatten([_STAR] * treespec.num_leaves))


def _broadcast_to_and_flatten(tree, treespec, is_leaf=None):
    """For each leaf of a structure what a smaller tree has there or above; None where they do not fit."""
    if tree_is_leaf(tree, is_leaf):
        return [tree] * treespec.num_leaves
    if treespec.is_leaf() or kind_of(tree) is not treespec.type:
        return None
    children, context = functions_of(kind_of(tree))[0](tree)
    if len(children) != treespec.num_children or context != treespec.context:
        return None
    parts = [
        _broadcast_to_and_flatten(child, spec, is_leaf)
        for child, spec in zip(children, treespec.children_specs, strict=True)
    ]
    return None if None in parts else [leaf for part in parts for leaf in part]


def tree_is_leaf(tree, is_leaf=None):
    """Whether there is nothing to take apart."""
    return (is_leaf is not None and is_leaf(tree)) or kind_of(tree) is None


def tree_map(func, tree, *rests, is_leaf=None):
    """The tree with func(leaf, *leaves of the others in its place) for each leaf.

    Raises:
        ValueError: another tree has another structure.
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    return spec.unflatten(map(func, leaves, *(spec.flatten_up_to(rest) for rest in rests)))


def tree_map_(func, tree, *rests, is_leaf=None):
    """Calls func as tree_map() does, for what it does to leaves; returns the tree."""
    leaves, spec = tree_flatten(tree, is_leaf)
    collections.deque(map(func, leaves, *(spec.flatten_up_to(rest) for rest in rests)), maxlen=0)
    return tree


def _test(type_or_types_or_pred):
    """Whether a leaf is meant: by its type or types, or by a function."""
    meant = type_or_types_or_pred
    if isinstance(meant, (type, tuple)) or not callable(meant):
        return lambda leaf: isinstance(leaf, meant)
    return meant


def _only(types, func):
    test = _test(types)
    return lambda leaf: func(leaf) if test(leaf) else leaf


def tree_map_only(type_or_types_or_pred, func, tree, is_leaf=None):
    """As tree_map(), but leaves of other types stay as they are."""
    return tree_map(_only(type_or_types_or_pred, func), tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred, func, tree, is_leaf=None):
    """As tree_map_(), for leaves of these types."""
    return tree_map_(_only(type_or_types_or_pred, func), tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    """Whether pred holds for every leaf."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    """Whether it holds for one."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types, pred, tree, is_leaf=None):
    """Whether pred holds for every leaf of these types."""
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(type_or_types, pred, tree, is_leaf=None):
    """Whether it holds for one of them."""
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))

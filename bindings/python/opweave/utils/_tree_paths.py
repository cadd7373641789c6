"""Where leaves stand in trees: the keys on the way to each (see _pytree.py)."""

import collections
import dataclasses

from opweave import _C
from opweave.utils._tree_nodes import (
    LEAF,
    WITH_KEYS,
    TreeSpec,
    forget,
    functions_of,
    is_result,
    kind_of,
    register_pytree_node,
)


@dataclasses.dataclass(frozen=True)
class SequenceKey:
    """The place in a list or tuple."""

    idx: int

    def __str__(self):
        """As it is written behind the list."""
        return f"[{self.idx!r}]"

    def get(self, sequence):
        """What stands there."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True)
class MappingKey:
    """A key of a dictionary."""

    key: object

    def __str__(self):
        """As it is written behind the dictionary."""
        return f"[{self.key!r}]"

    def get(self, mapping):
        """What it stands for."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """An attribute of an object."""

    name: str

    def __str__(self):
        """As it is written behind the object."""
        return f".{self.name}"

    def get(self, obj):
        """Its value."""
        return getattr(obj, self.name)


def _with_places(children):
    return [(SequenceKey(index), child) for index, child in enumerate(children)]


def _with_keys(mapping):
    return [(MappingKey(key), child) for key, child in mapping.items()]


def _list_flatten_with_keys(d):
    children, context = functions_of(list)[0](d)
    return _with_places(children), context


def _tuple_flatten_with_keys(d):
    children, context = functions_of(tuple)[0](d)
    return _with_places(children), context


def _deque_flatten_with_keys(d):
    children, context = functions_of(collections.deque)[0](d)
    return _with_places(children), context


def _dict_flatten_with_keys(d):
    return _with_keys(d), functions_of(dict)[0](d)[1]


def _ordereddict_flatten_with_keys(d):
    return _with_keys(d), functions_of(collections.OrderedDict)[0](d)[1]


def _defaultdict_flatten_with_keys(d):
    return _with_keys(d), functions_of(collections.defaultdict)[0](d)[1]


def _namedtuple_flatten_with_keys(d):
    children, context = functions_of(collections.namedtuple)[0](d)
    return [(GetAttrKey(n), child) for n, child in zip(d._fields, children, strict=True)], context


WITH_KEYS |= {
    list: _list_flatten_with_keys,
    tuple: _tuple_flatten_with_keys,
    _C.Size: _tuple_flatten_with_keys,
    dict: _dict_flatten_with_keys,
    collections.OrderedDict: _ordereddict_flatten_with_keys,
    collections.defaultdict: _defaultdict_flatten_with_keys,
    collections.deque: _deque_flatten_with_keys,
    collections.namedtuple: _namedtuple_flatten_with_keys,
}


def _children_with_keys(tree, kind):
    if kind in WITH_KEYS:
        return WITH_KEYS[kind](tree)
    if is_result(kind):
        children, context = functions_of(kind)[0](tree)
        return _with_places(children), context
    raise ValueError(
        f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn argument "
        "to register_pytree_node."
    )


def _flatten(tree, path, found, is_leaf):
    kind = None if is_leaf is not None and is_leaf(tree) else kind_of(tree)
    if kind is None:
        found.append((path, tree))
        return LEAF
    pairs, context = _children_with_keys(tree, kind)
    below = [_flatten(child, (*path, key), found, is_leaf) for key, child in pairs]
    return TreeSpec(kind, context, below)


def tree_flatten_with_path(tree, is_leaf=None):
    """The leaves of a tree, each with the tuple of keys that lead to it, and the structure.

    Args:
        is_leaf: called with every node; where it says True the node is kept whole.

    Raises:
        ValueError: a class was registered without `flatten_with_keys_fn`.
    """
    found = []
    spec = _flatten(tree, (), found, is_leaf)
    return found, spec


def tree_leaves_with_path(tree, is_leaf=None):
    """The leaves, each with the tuple of keys that lead to it."""
    return tree_flatten_with_path(tree, is_leaf)[0]


def tree_map_with_path(func, tree, *rests, is_leaf=None):
    """The tree with func(keys, leaf, *leaves of the others in its place) for each leaf.

    Raises:
        ValueError: another tree has another structure.
    """
    found, spec = tree_flatten_with_path(tree, is_leaf)
    paths, leaves = [path for path, _ in found], [leaf for _, leaf in found]
    return spec.unflatten(map(func, paths, leaves, *(spec.flatten_up_to(rest) for rest in rests)))


def keystr(kp):
    """Keys as they are written behind the tree: "['a'][0].b"."""
    return "".join(map(str, kp))


def key_get(obj, kp):
    """What keys lead to in a tree."""
    for key in kp:
        obj = key.get(obj)
    return obj


def register_dataclass(cls, *, field_names=None, drop_field_names=None, serialized_type_name=None):
    """Makes instances of a dataclass nodes of trees, whose children are its fields that are not None.

    A second call for a class replaces what the first said.

    Args:
        field_names: those to take; all that __init__ takes without it.
        drop_field_names: those to leave out, which get their default again.

    Raises:
        ValueError: `cls` is no dataclass and there are no `field_names`, or a name is no field.
    """
    names = _field_names(cls, field_names, drop_field_names or ())

    def flatten(value):
        there = [name for name in names if getattr(value, name) is not None]
        absent = [name for name in names if name not in there]
        return [getattr(value, name) for name in there], [there, absent]

    def unflatten(children, context):
        there, absent = context
        return cls(**dict(zip(there, children, strict=True)), **dict.fromkeys(absent))

    def flatten_with_keys(value):
        children, context = flatten(value)
        return [(GetAttrKey(n), c) for n, c in zip(context[0], children, strict=True)], context

    forget(cls)
    register_pytree_node(
        cls,
        flatten,
        unflatten,
        serialized_type_name=serialized_type_name,
        flatten_with_keys_fn=flatten_with_keys,
    )


def _field_names(cls, given, dropped):
    if given is None and not dataclasses.is_dataclass(cls):
        raise ValueError(
            f"register_dataclass(): expected a dataclass, or `field_names` for another class, got {cls}"
        )
    known = (
        [f.name for f in dataclasses.fields(cls) if f.init]
        if dataclasses.is_dataclass(cls)
        else given
    )
    names = known if given is None else given
    if unknown := [name for name in (*names, *dropped) if name not in known]:
        raise ValueError(
            f"register_dataclass(): {cls} has no fields {unknown}; it has {list(known)}"
        )
    return [name for name in names if name not in dropped]

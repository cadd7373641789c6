"""Nested tuples, lists and dicts, taken apart into their leaves and put together again."""

from collections import OrderedDict


def flatten(tree):
    """The leaves of a tree, in order, and its structure, for unflatten()."""
    leaves = []
    return leaves, _collect(tree, leaves)


def _collect(tree, leaves):
    if isinstance(tree, (dict, OrderedDict)):
        return type(tree), [(key, _collect(value, leaves)) for key, value in tree.items()]
    if isinstance(tree, (tuple, list)):
        return type(tree), [_collect(value, leaves) for value in tree]
    leaves.append(tree)
    return None


def unflatten(leaves, structure):
    """The tree of that structure with these leaves."""
    return _build(iter(leaves), structure)


def _build(leaves, structure):
    if structure is None:
        return next(leaves)
    kind, children = structure
    if issubclass(kind, dict):
        return kind((key, _build(leaves, child)) for key, child in children)
    values = [_build(leaves, child) for child in children]
    # Named tuples, such as the results of max(), take their fields one by one.
    return kind(*values) if hasattr(kind, "_fields") else kind(values)


def spread(prefix, tree):
    """For each leaf of `tree`, what `prefix` says of it; None if `prefix` does not fit.

    `prefix` is a tree of the same structure, or has a single value in place of a whole subtree.
    """
    if not isinstance(prefix, (dict, tuple, list)):
        return [prefix] * len(flatten(tree)[0])
    if type(prefix) is not type(tree) or len(prefix) != len(tree):
        return None
    if isinstance(tree, dict):
        if prefix.keys() != tree.keys():
            return None
        pairs = [(prefix[key], tree[key]) for key in tree]
    else:
        pairs = list(zip(prefix, tree))
    parts = [spread(p, t) for p, t in pairs]
    return None if None in parts else [value for part in parts for value in part]

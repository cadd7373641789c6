"""Kernels that are given before their operators: kept by name, until somebody defines those."""

from opweave import _C

_by_name = {}  # what sets a kernel of the operator, and who gave it, in the order in which they came


def keep(name, owner, set_kernel):
    """Has set_kernel(operator) called when the operator of a name is defined.

    Args:
        name: "mine::f", or "mine::f.overload".
        owner: who gave it; see forget().
        set_kernel: gets the operator.
    """
    _by_name.setdefault(name, []).append((owner, set_kernel))


def forget(owner):
    """Drops what somebody gave whose operators nobody has defined.

    Returns:
        list: of their names.
    """
    names = [name for name, waiting in _by_name.items() if any(o is owner for o, _ in waiting)]
    for name in names:
        rest = [(o, s) for o, s in _by_name[name] if o is not owner]
        _by_name.update({name: rest}) if rest else _by_name.pop(name)
    return names


def defined():
    """Sets the kernels of operators that are there by now."""
    for name in list(_by_name):
        operator = _C._find_operator(name)
        if operator is not None:
            for _, set_kernel in _by_name.pop(name):
                set_kernel(operator)

"""Checks of what schedulers are given, and learning rates that are numbers or tensors.

Every text says which scheduler, which argument, what it was given and what it expected.
"""

import reprlib

from opweave._C import Tensor
from opweave.optim.optimizer import Optimizer


def shown(value):
    """A short text of a value, and its type where that is what is wrong with it."""
    return f"{reprlib.repr(value)} ({type(value).__name__})"


def of(owner):
    return owner if isinstance(owner, str) else type(owner).__name__


def kind_of(error):
    """The type of Python that an error is of, for a text of our own in its place."""
    kinds = (TypeError, ZeroDivisionError, OverflowError, ValueError, RuntimeError)
    return next(kind for kind in kinds if isinstance(error, kind))


def number(owner, name, value):
    """`value`, which has to be a number: of Python, of NumPy or a tensor of one element."""
    kind = type(value)
    if not (hasattr(kind, "__float__") or hasattr(kind, "__index__")):
        raise TypeError(f"{of(owner)}: {name}: expected a number, got {shown(value)}")
    return value


def numbers(owner, **values):
    for name, value in values.items():
        number(owner, name, value)


def callable_of(owner, name, value):
    if not callable(value):
        raise TypeError(f"{of(owner)}: {name}: expected a function, got {shown(value)}")
    return value


def length(owner, name, value):
    """Of a list that a scheduler is made of."""
    try:
        return len(value)
    except TypeError:
        raise TypeError(f"{of(owner)}: {name}: expected a list, got {shown(value)}") from None


def optimizer_of(owner, optimizer, error=TypeError):
    """The optimizer; `error` is what PyTorch raises where there are no parameter groups to look at."""
    if isinstance(optimizer, Optimizer):
        return optimizer
    kind = TypeError if hasattr(optimizer, "param_groups") else error
    raise kind(
        f"{of(owner)}: optimizer: expected an Optimizer, got {reprlib.repr(optimizer)}: "
        f"{type(optimizer).__name__} is not an Optimizer"
    )


def entries(owner, state_dict, *needed):
    """A copy of a saved state, in which `needed` are."""
    try:
        saved = dict(state_dict)
    except (TypeError, ValueError) as error:
        raise (AttributeError if needed else kind_of(error))(
            f"{of(owner)}: state_dict: expected what state_dict() returns, got {shown(state_dict)}"
        ) from None
    for key in needed:
        if key not in saved:
            raise KeyError(
                f"{of(owner)}: state_dict: expected an entry {key!r}, got only {sorted(map(str, saved))}"
            )
    return saved


def options(owner, group, *names):
    """Options of a group that the scheduler has set, or an earlier run."""
    for name in names:
        if name not in group:
            raise KeyError(
                f"{of(owner)}: expected {name!r} in every param group, got one with {sorted(group)}: "
                "it was added after the scheduler was made, or its optimizer has not loaded the state of "
                "the run that is resumed"
            )
    return [group[name] for name in names]


def copied(value):
    """What is kept of a rate: a tensor of the group is written to in later steps."""
    return value.clone() if isinstance(value, Tensor) else value


def _format_param(name, optimizer, param, owner=None):
    """`param` for each group: a list is as long as the groups, anything else holds for all of them."""
    groups = optimizer.param_groups
    if not isinstance(param, (list, tuple)):
        param = [param] * len(groups)
    elif len(param) != len(groups):
        raise ValueError(
            f"{f'{of(owner)}: ' if owner else ''}{name}: expected one value or "
            f"{len(groups)}, the same length as optimizer.param_groups, got {len(param)}"
        )
    for i, value in enumerate(param if owner else ()):
        number(owner, f"{name}[{i}]", value)
    return [copied(value) for value in param]


def _param_groups_val_list(optimizer, key):
    return [copied(group[key]) for group in optimizer.param_groups]


def _update_param_group_val(param_group, key, val):
    """Sets an option of a group; one that is a tensor stays the same tensor, as others may hold it."""
    old = param_group[key]
    if not isinstance(old, Tensor):
        param_group[key] = val
    else:
        old.fill_(val.squeeze() if isinstance(val, Tensor) else val)

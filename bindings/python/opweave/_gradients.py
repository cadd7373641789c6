"""Gradients that are not simply here: on their way, or on the ranks that update with them.

What sets gradients back, and what looks at them, asks here: `zero_grad()`, clipping, scaling.
"""

import weakref

# By identity of parameters: who has gradients on their way, and says when they are set back.
_keepers = weakref.WeakValueDictionary()


# By identity of parameters: the optimiser whose `process_group` has their gradients, each on one rank.
_spread = weakref.WeakValueDictionary()


def spread_gradients(parameters, optimizer):
    """From now on each rank of `optimizer.process_group` has the gradients of some of them alone.

    It keeps the parameters alive, and is not kept itself.
    """
    _spread.update((id(p), optimizer) for p in parameters)


def group_of_gradients(parameter):
    """The ranks among which gradients are spread; None where each has it."""
    optimizer = _spread.get(id(parameter)) if _spread else None
    return None if optimizer is None else optimizer.process_group


def groups_of_gradients(parameters):
    """By such group its parameters, in the same order on all ranks; those that each rank has by None."""
    groups = {}
    for p in parameters:
        groups.setdefault(group_of_gradients(p), []).append(p)
    return groups


def wait_for_gradients(parameters):
    """Returns when they are there that are on their way."""
    for p in parameters if _keepers else ():
        keeper = _keepers.get(id(p))
        if keeper is not None:
            keeper.wait_for_gradient(p)


def keep_gradients(parameters, keeper):
    """From now on `keeper.zero_gradient(parameter, set_to_none)` sets their gradients back.

    `keeper.wait_for_gradient(parameter)` returns when one is there.

    It keeps the parameters alive, and is not kept itself.
    """
    _keepers.update((id(p), keeper) for p in parameters)


def give_back_gradients(parameters):
    for p in parameters:
        _keepers.pop(id(p), None)


def zero_gradient(parameter, set_to_none):
    """None in the place of its gradient, or zeros in the same tensor, as soon as nobody needs it."""
    keeper = _keepers.get(id(parameter)) if _keepers else None
    if keeper is None:
        zero_at_once(parameter, set_to_none)
    else:
        keeper.zero_gradient(parameter, set_to_none)


def zero_at_once(parameter, set_to_none):
    if set_to_none:
        parameter.grad = None
    elif (grad := parameter.grad) is not None:
        if grad.requires_grad:  # backward(create_graph=True) made it
            grad.detach_()
        grad.zero_()

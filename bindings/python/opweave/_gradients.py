"""What sets gradients back: modules' `zero_grad()` and optimisers'."""

import weakref

# By identity of parameters: who has gradients on their way, and says when they are set back.
_keepers = weakref.WeakValueDictionary()


def keep_gradients(parameters, keeper):
    """From now on `keeper.zero_gradient(parameter, set_to_none)` sets their gradients back.

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

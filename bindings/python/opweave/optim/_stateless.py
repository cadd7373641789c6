"""An optimizer that for a while has other parameters and another state."""

import contextlib
from collections import defaultdict

from opweave._C import Tensor

_NAME = "swap_in_optimizer_params_and_state"


@contextlib.contextmanager
def swap_in_optimizer_params_and_state(optimizer, swapin_parameters, swapin_optim_state):
    """Within, `optimizer` has other parameters and another state; afterwards its own again.

    Tensors of the state that a step changes are those that were given; what a step puts in their place is
    not seen afterwards.

    Args:
        optimizer: which has a state already.
        swapin_parameters: a dictionary of tensors, in the order of the optimizer's.
        swapin_optim_state: as `optimizer.state_dict()` gives it.

    Raises:
        RuntimeError: parameters or a state that are not of such an optimizer.
    """
    state, parameters = _checked(optimizer, swapin_parameters, swapin_optim_state)
    own, groups = optimizer.state, [dict(group) for group in optimizer.param_groups]
    try:
        swapped = defaultdict(dict)
        given = swapin_optim_state["param_groups"]
        for group, theirs, params in zip(optimizer.param_groups, given, parameters, strict=True):
            group.update(theirs, params=params)
            for param, number in zip(params, theirs["params"], strict=True):
                swapped[param] = dict(state.get(number, {}))
        optimizer.state = swapped
        yield
    finally:
        for group, before in zip(optimizer.param_groups, groups, strict=True):
            group.clear()
            group.update(before)
        optimizer.state = own


def _require(holds, says):
    if not holds:
        raise RuntimeError(f"{_NAME} {says}")


def _checked(optimizer, parameters, given):
    """The state by numbers of parameters, and for each group its tensors."""
    _require(optimizer.state, "requires initialized optimizer state.")
    _require(
        isinstance(given, dict),
        f"requires a DCP-style optimizer state_dict, got {type(given).__name__}.",
    )
    state, groups = given.get("state"), given.get("param_groups")
    _check_state(state)
    _require(
        isinstance(groups, list),
        "requires swapin_optim_state['param_groups'] to be a list of param-group dicts, got "
        f"{type(groups).__name__}.",
    )
    _require(
        len(groups) == len(optimizer.param_groups),
        f"requires {len(optimizer.param_groups)} parameter groups, as the live optimizer has, got "
        f"{len(groups)}.",
    )
    left, chosen, numbers = list(parameters.values()), [], set()
    for i, (group, theirs) in enumerate(zip(optimizer.param_groups, groups, strict=True)):
        count = _check_group(i, group, theirs)
        _require(
            count <= len(left),
            "requires the explicit parameter state to match optimizer.param_groups ordering.",
        )
        chosen.append(left[:count])
        left = left[count:]
        numbers.update(theirs["params"])
    more = [key for key in state if key not in numbers]
    _require(
        not more,
        "requires swapin_optim_state['state'] to be keyed only by packed parameter ids from "
        f"param_groups[*]['params']; got extra keys {more!r}.",
    )
    return state, chosen


def _check_state(state):
    _require(
        isinstance(state, dict),
        "requires swapin_optim_state['state'] to be a dict mapping packed parameter ids to per-param state "
        f"dicts, got {type(state).__name__}.",
    )
    _require(
        not any(isinstance(key, Tensor) for key in state),
        "requires optimizer.state_dict()-style state keyed by packed parameter ids.",
    )
    _require(
        all(isinstance(value, dict) for key, value in state.items() if isinstance(key, int)),
        "requires per-parameter optimizer state entries to be dictionaries.",
    )


def _check_group(i, group, theirs):
    """How many parameters it has."""
    _require(isinstance(theirs, dict), "requires each optimizer param group to be a dictionary.")
    numbers = theirs.get("params")
    _require(
        isinstance(numbers, list) and all(isinstance(number, int) for number in numbers),
        "requires optimizer.state_dict()-style param_groups[*]['params'] entries keyed by packed parameter "
        "ids.",
    )
    _require(
        len(numbers) == len(group["params"]),
        f"requires as many params in group {i} as the live optimizer has ({len(group['params'])}), got "
        f"{len(numbers)}.",
    )
    theirs_only, ours_only = (
        [k for k in theirs if k not in group],
        [k for k in group if k not in theirs],
    )
    _require(
        not theirs_only and not ours_only,
        "requires optimizer.state_dict()-style param group keys to exactly match the live optimizer group "
        f"keys for group {i}. Keys only in swap-in: {theirs_only}. Keys only in live: {ours_only}.",
    )
    return len(numbers)

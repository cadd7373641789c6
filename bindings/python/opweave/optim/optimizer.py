"""Optimizer: parameter groups, state and their dictionaries, after torch.optim.Optimizer."""

import itertools
import warnings
from collections import defaultdict
from copy import deepcopy

from opweave import _C
from opweave._C import Tensor
from opweave._grad_mode import enable_grad, set_grad_enabled
from opweave._gradients import zero_gradient
from opweave._hooks import RemovableHandle
from opweave.optim._for_subclasses import (  # noqa: F401 - PyTorch has them here
    Args,
    DeviceDict,
    DeviceDtypeDict,
    Kwargs,
    ParamsT,
    StateDict,
    _default_to_fused_or_foreach,
    _device_dtype_check_for_fused,
    _disable_dynamo_if_unsupported,
    _get_capturable_supported_devices,
    _get_scalar_dtype,
    _get_value,
    _stack_if_compiling,
    _to_scalar,
    _use_grad_for_differentiable,
    _view_as_real,
)
from opweave.optim._step_hooks import (
    HookedSteps,
    _global_optimizer_post_hooks,
    _global_optimizer_pre_hooks,
)


class _RequiredParameter:
    def __repr__(self):
        return "<required parameter>"


required = _RequiredParameter()


def _check_ways(defaults):
    """What a step cannot be: of two kinds at once."""
    fused, foreach = defaults.get("fused"), defaults.get("foreach")
    if fused and defaults.get("differentiable"):
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def register_optimizer_step_pre_hook(hook):
    """Has `hook(optimizer, args, kwargs)` run before each step of every optimizer; its handle."""
    return RemovableHandle.register(_global_optimizer_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """Has `hook(optimizer, args, kwargs)` run after each step of every optimizer; its handle."""
    return RemovableHandle.register(_global_optimizer_post_hooks, hook)


class Optimizer(HookedSteps):
    """Base class of optimizers.

    Args:
        params: tensors, pairs of a name and a tensor, or dictionaries with "params", of either, and options
            of their own.
        defaults: options of groups that do not set them.

    Raises:
        TypeError: a tensor in place of several, or something else among them; a set as a group's "params".
        ValueError: no parameters, ones that are no leaves, in several groups or some without a name.
    """

    # Options that a saved group may be older than, and what was done before there were any.
    _of_older_states: dict[str, object] = {}

    def __init__(self, params, defaults):
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but "
                f"got {type(params).__name__}"
            )
        if isinstance(params, set):
            warnings.warn(
                "optimizer parameters need to be organized in ordered collections, but the order of a set "
                "changes between runs. Please use a list instead.",
                FutureWarning,
                stacklevel=3,
            )
        _check_ways(defaults)
        self.defaults = defaults
        self.state = defaultdict(dict)
        self.param_groups = []
        self._make_hooks()
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def add_param_group(self, param_group):
        """Adds a dictionary with "params" and options; the errors of the class."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        group = {**param_group, **_named_params(param_group["params"])}
        for param in group["params"]:
            self._check_parameter(param)
        for name, default in self.defaults.items():
            if default is required and name not in group:
                raise ValueError(
                    f"parameter group didn't specify a value of required optimization "
                    f"parameter {name}"
                )
            group.setdefault(name, default)
        self._check_group(group)
        self.param_groups.append(group)

    def _check_group(self, group):
        """A group against those that are there."""
        if len(group["params"]) != len({id(p) for p in group["params"]}):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause "
                "an error",
                stacklevel=4,
            )
        if any(("param_names" in other) != ("param_names" in group) for other in self.param_groups):
            kind = "with names" if "param_names" in group else "without names"
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add param group "
                f"{kind} to the optimizer"
            )
        known = {id(p) for other in self.param_groups for p in other["params"]}
        if any(id(p) in known for p in group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")

    def _check_parameter(self, param):
        if not isinstance(param, Tensor):
            raise TypeError(
                f"optimizer can only optimize Tensors, but one of the params is {type(param).__name__}"
            )
        if not (self.defaults.get("differentiable") or param.is_leaf or param.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for param in group["params"]:
                zero_gradient(param, set_to_none)

    def step(self, closure=None):
        """One update; `closure` computes the loss anew and returns it."""
        if type(self)._update is Optimizer._update:
            raise NotImplementedError(
                f"{type(self).__name__}: expected a class that defines step()"
            )
        with set_grad_enabled(bool(self.defaults.get("differentiable"))):
            loss = None if closure is None else enable_grad()(closure)()
            self._one_step()
        return loss

    def _one_step(self):
        for group in self.param_groups:
            by_device = {}
            for param in group["params"]:
                if param.grad is not None:
                    by_device.setdefault(param.device, []).append(param)
            for params in by_device.values():
                self._update(group, params, [p.grad for p in params])

    def _update(self, group, params, grads):
        """Updates parameters of one device that have a gradient; recorded only if `differentiable`."""
        raise NotImplementedError

    # --- saving -----------------------------------------------------------------------------------
    def state_dict(self):
        """State by parameter number, and groups with numbers for parameters."""
        for hook in tuple(self._optimizer_state_dict_pre_hooks.values()):
            hook(self)
        packed = self._packed()
        for hook in tuple(self._optimizer_state_dict_post_hooks.values()):
            changed = hook(self, packed)
            packed = packed if changed is None else changed
        return packed

    def _packed(self):
        numbers = {}
        groups = []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            packed = {k: v for k, v in group.items() if k != "params"}
            packed["params"] = [numbers[id(p)] for p in group["params"]]
            groups.append(packed)
        state = {numbers.get(id(p), p): values for p, values in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Takes what `state_dict()` of an optimizer of as many parameters gave.

        Raises:
            ValueError: groups of other numbers, or of other numbers of parameters.
            AttributeError: no dictionary, as by PyTorch.
        """
        if not hasattr(state_dict, "copy"):
            raise AttributeError(
                f"load_state_dict(): state_dict: expected a dict, got {type(state_dict).__name__}"
            )
        state_dict = dict(state_dict)  # a hook may change it, the caller's stays
        for hook in tuple(self._optimizer_load_state_dict_pre_hooks.values()):
            changed = hook(self, state_dict)
            state_dict = state_dict if changed is None else changed
        self._take(state_dict["state"], state_dict["param_groups"])
        for hook in tuple(self._optimizer_load_state_dict_post_hooks.values()):
            hook(self)

    def _take(self, saved_state, saved):
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        for mine, theirs in zip(self.param_groups, saved):
            if len(mine["params"]) != len(theirs["params"]):
                raise ValueError(
                    "loaded state dict contains a parameter group that doesn't match the size of "
                    "optimizer's group"
                )
        theirs = itertools.chain.from_iterable(g["params"] for g in saved)
        mine = itertools.chain.from_iterable(g["params"] for g in self.param_groups)
        by_number = dict(zip(theirs, mine))
        state = defaultdict(dict)
        for number, values in saved_state.items():
            param = by_number.get(number, number)
            values = deepcopy(values)
            state[param] = values if param is number else _fitted(values, param)
        # What is refused has changed nothing.
        for group, other in zip(self.param_groups, saved):
            # What the saved group lacks goes: it is of schedulers that the saved run does not have.
            kept = {k: group[k] for k in ("params", "param_names") if k in group}
            group.clear()
            group.update({k: deepcopy(v) for k, v in other.items() if k != "params"})
            group.update(params=kept.pop("params"))
            for key, value in kept.items():
                group.setdefault(key, value)
        self.__setstate__({"state": state, "param_groups": self.param_groups})

    @staticmethod
    def _group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False):
        """Lists of tensors by the device and dtype of those of the first, as copies of optimizers ask."""
        from opweave.utils._foreach_utils import _group_tensors_by_device_and_dtype as grouped

        return grouped(tensorlistlist, with_indices)

    def _accelerator_graph_capture_health_check(self):
        """In PyTorch, whether a graph can hold a step; copies of optimizers call it."""

    _cuda_graph_capture_health_check = _accelerator_graph_capture_health_check

    def _complete_groups(self):
        """Options that were not there yet when a state was saved get what it was computed with. Without any
        other a step is an error, as in PyTorch: it would be another one than that of the saved run."""
        for group in self.param_groups:
            for key, value in self._of_older_states.items():
                if key in self.defaults:
                    group.setdefault(key, value)

    def _refuse_lacking(self, error):
        """KeyError, in words, if that of a step is of an option that a group lacks."""
        name = error.args[0] if error.args else None
        for i, group in enumerate(self.param_groups):
            if name in self.defaults and name not in group:
                raise KeyError(
                    f"{type(self).__name__}.step(): parameter group {i} has no {name!r}: the groups of a "
                    f"state that is loaded have to have it (here it was {self.defaults[name]!r} before)"
                ) from None

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._make_hooks()
        if "defaults" in state:  # of a pickle, that may be older than the option
            self.defaults.setdefault("differentiable", False)
        self._complete_groups()

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            text += f"\nParameter Group {i}\n"
            for key in sorted(group):
                if key != "params":
                    text += f"    {key}: {group[key]}\n"
        return text + ")"


def _named_params(params):
    """A group's "params", and "param_names" where they come with names."""
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the order of a set "
            "changes between runs. Please use a list instead."
        )
    params = [params] if isinstance(params, Tensor) else list(params)
    names = [param[0] for param in params if isinstance(param, tuple)]
    if not names:
        return {"params": params}
    if len(names) != len(params):
        raise ValueError(
            "all optimizer params should be with/without names. Some param names are missing"
        )
    return {"params": [param for _, param in params], "param_names": names}


def _fitted(value, param, name=None):
    """A saved state of `param`, or a part of it: on its device, and in its dtype where that is a float.

    Counts of steps stay what they are.
    """
    if isinstance(value, _C.Tensor):
        if name == "step":
            return value
        dtype = param.dtype if param.is_floating_point() else value.dtype
        return value.to(param.device, dtype)
    if isinstance(value, dict):
        return {key: _fitted(part, param, key) for key, part in value.items()}
    if type(value) in (list, tuple):
        return type(value)(_fitted(part, param, name) for part in value)
    return value


def check_at_least(name, value, bound=0.0):
    if not bound <= value:
        raise ValueError(f"Invalid {name}: {value}")

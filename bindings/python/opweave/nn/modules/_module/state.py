"""state_dict and load_state_dict."""

import warnings
from collections import OrderedDict, namedtuple

from opweave._C import Tensor
from opweave._grad_mode import no_grad
from opweave.nn.modules._module import conversion
from opweave.nn.modules._module.state_hooks import StateHooksMixin
from opweave.nn.parameter import Parameter, is_lazy

_EXTRA_STATE_KEY_SUFFIX = "_extra_state"


def _old_arguments(given, destination, prefix, keep_vars):
    """The arguments of state_dict(), of which older programs give the first ones without names."""
    warnings.warn(
        "Positional args of state_dict() are deprecated: use destination=, prefix= and keep_vars= instead",
        FutureWarning,
        stacklevel=3,
    )
    rest = (destination, prefix, keep_vars)[len(given) :]
    if len(given) > 3:
        raise TypeError(f"state_dict(): expected at most 3 arguments, got {len(given)}")
    return (*given, *rest)


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What load_state_dict(strict=False) could not match."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


def _saved(tensor, keep_vars):
    """What stands for a tensor in a state dict; one without a size stands for itself."""
    return tensor if keep_vars or is_lazy(tensor) else tensor.detach()


def _warn_of_no_copy(key):
    warnings.warn(
        f"for {key}: copying from a non-meta parameter in the checkpoint to a meta parameter in "
        "the current model, which is a no-op. (Did you mean to pass `assign=True` to assign "
        "items in the state dictionary to their corresponding key in the module instead of "
        "copying them in place?)",
        stacklevel=3,
    )


class StateDictMixin(StateHooksMixin):
    """The part of Module that saves and restores parameters and buffers."""

    _version = 1

    def get_extra_state(self):
        raise RuntimeError("get_extra_state() was called but not overridden")

    def set_extra_state(self, state):
        raise RuntimeError("set_extra_state() was called but not overridden")

    def _has_extra_state(self, name):
        return getattr(type(self), name) is not getattr(StateDictMixin, name)

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, parameter in self._parameters.items():
            if parameter is not None:
                destination[prefix + name] = _saved(parameter, keep_vars)
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                destination[prefix + name] = _saved(buffer, keep_vars)
        if self._has_extra_state("get_extra_state"):
            destination[prefix + _EXTRA_STATE_KEY_SUFFIX] = self.get_extra_state()

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """All parameters and persistent buffers by their dotted names; shared, not copied."""
        if args:
            destination, prefix, keep_vars = _old_arguments(args, destination, prefix, keep_vars)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        about = {"version": self._version}  # hooks add to it
        if getattr(destination, "_metadata", None) is not None:
            destination._metadata[prefix[:-1]] = about
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(
                    destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars
                )
        for hook in self._state_dict_hooks.values():
            made = hook(self, destination, prefix, about)
            destination = destination if made is None else made
        return destination

    def _own_state(self):
        yield from ((n, p) for n, p in self._parameters.items() if p is not None)
        for name, buffer in self._buffers.items():
            if buffer is not None and name not in self._non_persistent_buffers_set:
                yield name, buffer

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        rest = (strict, missing_keys, unexpected_keys, error_msgs)
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, *rest)
        own = dict(self._own_state())
        assign = local_metadata.get("assign_to_params_buffers", False)
        for name, target in own.items():
            if prefix + name in state_dict:
                self._load_one(name, target, state_dict[prefix + name], prefix, assign, error_msgs)
            elif strict:
                missing_keys.append(prefix + name)
        extra = prefix + _EXTRA_STATE_KEY_SUFFIX
        has_extra = self._has_extra_state("set_extra_state")
        if has_extra and extra in state_dict:
            self.set_extra_state(state_dict[extra])
        elif has_extra and strict:
            missing_keys.append(extra)
        if strict:
            self._find_unexpected(own, state_dict, prefix, has_extra, unexpected_keys)

    def _load_one(self, name, target, value, prefix, assign, error_msgs):
        key = prefix + name
        if not isinstance(value, Tensor) and not hasattr(value, "__torch_function__"):
            error_msgs.append(
                f'While copying the parameter named "{key}", expected opweave.Tensor from checkpoint '
                f"but received {type(value)}"
            )
            return
        if not is_lazy(target) and target.dim() == 0 and tuple(value.shape) == (1,):
            value = value[0]  # of the versions before 0.4, which had no tensors without dimensions
        if not is_lazy(target) and value.shape != target.shape:
            error_msgs.append(
                f"size mismatch for {key}: copying a param with shape {value.shape} from checkpoint, "
                f"the shape in current model is {target.shape}."
            )
            return
        if target.is_meta and not value.is_meta and not assign:
            _warn_of_no_copy(key)
        try:
            with no_grad():
                self._take(name, target, value, assign)
        except Exception as error:  # all that is wrong is told at once
            how = "swapping" if conversion.swaps() else "copying"
            error_msgs.append(
                f'While {how} the parameter named "{key}", whose dimensions in the model are '
                f"{target.size()} and whose dimensions in the checkpoint are {value.size()}, "
                f"an exception occurred : {error.args}."
            )

    def _take(self, name, target, value, assign):
        """Copies a value into a parameter or buffer, or puts it into its place."""
        if conversion.swaps():
            conversion.load_swapped(target, value, assign)
        elif not assign:
            target.copy_(value)
        else:
            if isinstance(value, Parameter) and isinstance(target, Parameter):
                value.requires_grad_(target.requires_grad)
            elif isinstance(target, Parameter):
                value = Parameter(value, target.requires_grad)
            setattr(self, name, value)

    def _find_unexpected(self, own, state_dict, prefix, has_extra, unexpected_keys):
        for key in state_dict:
            if not key.startswith(prefix):
                continue
            if key == prefix + _EXTRA_STATE_KEY_SUFFIX:
                if not has_extra:
                    unexpected_keys.append(key)
                continue
            name = key[len(prefix) :].split(".", 1)
            nested = len(name) > 1 and name[0] in self._modules
            if not nested and (len(name) > 1 or name[0] not in own):
                unexpected_keys.append(key)

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copies values into this module's parameters and buffers.

        With strict, the keys have to match exactly. Shapes always have to.

        Args:
            assign: whether the tensors themselves take the place of parameters and buffers, with their dtype
                and device; parameters keep whether they require a gradient.

        Raises:
            RuntimeError: lists every missing, unexpected and mismatching key.
        """
        if not hasattr(state_dict, "items"):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        missing, unexpected, errors = [], [], []
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata

        def load(module, given, prefix):
            local = {} if metadata is None else metadata.get(prefix[:-1], {})
            if assign:
                local = {**local, "assign_to_params_buffers": True}
            module._load_from_state_dict(given, prefix, local, True, missing, unexpected, errors)
            for name, child in module._modules.items():
                if child is not None:
                    below = f"{prefix}{name}."
                    load(child, {k: v for k, v in given.items() if k.startswith(below)}, below)
            for hook in module._load_state_dict_post_hooks.values():
                if hook(module, result) is not None:
                    raise AssertionError(
                        "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to "
                        "return new values, if incompatible_keys need to be modified, it should be done "
                        "inplace."
                    )

        result = _IncompatibleKeys(missing, unexpected)
        load(self, state_dict, "")
        if strict:
            for title, keys in (("Unexpected", unexpected), ("Missing", missing)):
                if keys:
                    names = ", ".join(f'"{k}"' for k in keys)
                    errors.insert(0, f"{title} key(s) in state_dict: {names}. ")
            wrapped = all(key.startswith("module.") for key in state_dict)
            if missing and state_dict and wrapped:
                errors.append(
                    'All keys begin with "module.", as those of DistributedDataParallel do: '
                    "nn.modules.utils.consume_prefix_in_state_dict_if_present(state_dict, "
                    '"module.") takes it off.'
                )
        if errors:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                + "\n\t".join(errors)
            )
        return result

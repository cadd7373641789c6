"""What Module has for hooks: registering them, and calls that run them."""

from collections import OrderedDict

from opweave._hooks import RemovableHandle
from opweave.nn.modules._module.global_hooks import on_calls
from opweave.nn.modules._module.hooked_calls import call

_REGISTRIES = (
    "_forward_pre_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks_with_kwargs",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def without_hooks():
    """The attributes of a module without hooks."""
    return {"_is_full_backward_hook": None, **{name: OrderedDict() for name in _REGISTRIES}}


class HooksMixin:
    """The part of Module that calls it and its hooks."""

    def __setstate__(self, state):
        """Files of older versions lack hooks that came later, and persistence of buffers as well."""
        self.__dict__.update(without_hooks() | {"_non_persistent_buffers_set": set()} | state)

    def __call__(self, *args, **kwargs):
        if not (
            self._forward_pre_hooks
            or self._forward_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or on_calls
        ):
            return self.forward(*args, **kwargs)
        return call(self, args, kwargs)

    # --- hooks ------------------------------------------------------------------------------------
    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """hook(module, args) before forward; may return new args. Returns a removable handle."""
        extra = [self._forward_pre_hooks_with_kwargs] if with_kwargs else []
        return RemovableHandle.register(self._forward_pre_hooks, hook, prepend, extra)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """hook(module, args, output) after forward; may return a new output. With `always_call` also where
        forward raises."""
        extra = [self._forward_hooks_with_kwargs] if with_kwargs else []
        extra += [self._forward_hooks_always_called] if always_call else []
        return RemovableHandle.register(self._forward_hooks, hook, prepend, extra)

    def register_full_backward_hook(self, hook, prepend=False):
        """hook(module, grad_input, grad_output) when the gradients of the inputs are computed.

        Raises:
            RuntimeError: there were hooks of register_backward_hook().
        """
        self._set_kind_of_backward_hooks(full=True)
        return RemovableHandle.register(self._backward_hooks, hook, prepend)

    def register_backward_hook(self, hook):
        """An old kind of register_full_backward_hook(): on the node of the module's result alone.

        Raises:
            RuntimeError: there were full ones.
        """
        self._set_kind_of_backward_hooks(full=False)
        return RemovableHandle.register(self._backward_hooks, hook)

    def _set_kind_of_backward_hooks(self, full):
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please "
                "use only one of them."
            )
        self._is_full_backward_hook = full

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """hook(module, grad_output) before the module's backward; may return new gradients."""
        return RemovableHandle.register(self._backward_pre_hooks, hook, prepend)

"""Module: the base class of networks, after torch.nn.Module."""

import itertools

from opweave import _C
from opweave._C import Tensor
from opweave._gradients import zero_gradient
from opweave.nn.modules._module import global_hooks
from opweave.nn.modules._module.conversion import converted
from opweave.nn.modules._module.global_hooks import (  # noqa: F401 - programs import them from here
    _global_backward_hooks,
    _global_backward_pre_hooks,
    _global_forward_hooks,
    _global_forward_hooks_always_called,
    _global_forward_hooks_with_kwargs,
    _global_forward_pre_hooks,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
    registered,
)
from opweave.nn.modules._module.module_hooks import HooksMixin, without_hooks
from opweave.nn.modules._module.state import (  # noqa: F401 - the suffix: libraries import it from here
    _EXTRA_STATE_KEY_SUFFIX,
    StateDictMixin,
)
from opweave.nn.modules._module.state_hooks import _WrappedHook  # noqa: F401 - files name it here
from opweave.nn.parameter import Buffer, Parameter, is_lazy


class Module(HooksMixin, StateDictMixin):
    """Base class of all network modules.

    Parameters, buffers and submodules are registered by assigning them to attributes; `forward`
    says what the module computes.
    """

    training: bool
    call_super_init = False

    def __init__(self):
        set_attribute = super().__setattr__
        set_attribute("training", True)
        for name in ("_parameters", "_buffers", "_modules"):
            set_attribute(name, {})
        set_attribute("_non_persistent_buffers_set", set())
        for name, value in without_hooks().items():
            set_attribute(name, value)

    def forward(self, *inputs, **kwargs):
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    # --- registration -----------------------------------------------------------------------------
    def _check_name(self, kind, name):
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {type(name).__name__}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')

    def _check_free(self, name, own):
        if hasattr(self, name) and name not in own:
            raise KeyError(f"attribute '{name}' already exists")

    def register_parameter(self, name, param):
        self._check_name("parameter", name)
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        self._check_free(name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign '{type(param).__name__}' object to parameter '{name}' "
                f"({_C._printed_package()}.nn.Parameter or None required)"
            )
        if param is not None and param.grad_fn is not None:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be "
                "created explicitly."
            )
        hooks = global_hooks._global_parameter_registration_hooks
        self._parameters[name] = param if param is None else registered(hooks, self, name, param)

    def register_buffer(self, name, tensor, persistent=True):
        self._check_name("buffer", name)
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        self._check_free(name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(
                f"cannot assign '{type(tensor).__name__}' object to buffer '{name}' "
                f"({_C._printed_package()}.Tensor or None required)"
            )
        hooks = global_hooks._global_buffer_registration_hooks
        self._buffers[name] = registered(hooks, self, name, tensor) if hooks else tensor
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def add_module(self, name, module):
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{type(module).__name__} is not a Module subclass")
        self._check_name("module", name)
        self._check_free(name, self._modules)
        self._modules[name] = self._as_registered(name, module)

    def _as_registered(self, name, module):
        hooks = global_hooks._global_module_registration_hooks
        return registered(hooks, self, name, module) if hooks else module

    register_module = add_module

    def __setattr__(self, name, value):
        registries = self.__dict__
        if isinstance(value, Parameter):
            if "_parameters" not in registries:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif name in registries.get("_parameters", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type(value).__name__}' as parameter '{name}' "
                    f"({_C._printed_package()}.nn.Parameter or None expected)"
                )
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            if "_modules" not in registries:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_modules")
            self._modules[name] = self._as_registered(name, value)
        elif name in registries.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{type(value).__name__}' as child module '{name}' "
                    f"({_C._printed_package()}.nn.Module or None expected)"
                )
            self._modules[name] = self._as_registered(name, None)
        elif isinstance(value, Buffer):
            self._forget(name, "_buffers")
            self.register_buffer(name, value, getattr(value, "persistent", True))
        elif name in registries.get("_buffers", ()):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(
                    f"cannot assign '{type(value).__name__}' as buffer '{name}' "
                    f"({_C._printed_package()}.Tensor or None expected)"
                )
            hooks = global_hooks._global_buffer_registration_hooks
            self._buffers[name] = registered(hooks, self, name, value) if hooks else value
        else:
            super().__setattr__(name, value)

    def _forget(self, name, kept):
        self.__dict__.pop(name, None)
        for registry in ("_parameters", "_buffers", "_modules"):
            if registry != kept:
                getattr(self, registry).pop(name, None)

    def __getattr__(self, name):
        registries = self.__dict__
        for registry in ("_parameters", "_buffers", "_modules"):
            members = registries.get(registry)
            if members is not None and name in members:
                return members[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name):
        for registry in (self._parameters, self._buffers, self._modules):
            if name in registry:
                del registry[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self):
        own = itertools.chain(self._parameters, self._buffers, self._modules)
        return sorted({*super().__dir__(), *own})

    # --- traversal --------------------------------------------------------------------------------
    def children(self):
        return (module for _, module in self.named_children())

    def named_children(self):
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate=True):
        named = self.named_modules(remove_duplicate=remove_duplicate)
        return (module for _, module in named)

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def _named_members(self, registry, prefix="", recurse=True, remove_duplicate=True):
        seen = set()
        modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        for path, module in modules if recurse else [(prefix, self)]:
            for name, value in getattr(module, registry).items():
                if value is None or (remove_duplicate and id(value) in seen):
                    continue
                seen.add(id(value))
                yield (f"{path}.{name}" if path else name), value

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        return (value for _, value in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        return (value for _, value in self.named_buffers(recurse=recurse))

    def get_submodule(self, target):
        module = self
        for name in target.split(".") if target else ():
            if not isinstance(getattr(module, name, None), Module):
                raise AttributeError(f"{type(module).__name__} has no submodule `{name}`")
            module = getattr(module, name)
        return module

    def set_submodule(self, target, module, strict=False):
        """Puts a module where a path of names leads: "blocks.0.attention".

        Args:
            strict: whether there has to be one already.

        Raises:
            ValueError: the path is empty, or `module` is no module.
            AttributeError: a name on the way leads nowhere or to no module; with `strict` also the last.
        """
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        owner, _, name = target.rpartition(".")
        parent = self.get_submodule(owner)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{parent._get_name()} has no attribute `{name}`")
        if not isinstance(getattr(parent, name, module), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        path, _, name = target.rpartition(".")
        parameter = getattr(self.get_submodule(path), name, None)
        if not isinstance(parameter, Parameter):
            raise AttributeError(f"`{target}` is not an nn.Parameter")
        return parameter

    def get_buffer(self, target):
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        if name not in module._buffers:
            raise AttributeError(f"`{target}` is not a buffer")
        return module._buffers[name]

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # --- conversion -------------------------------------------------------------------------------
    def _apply(self, fn, recurse=True):
        for module in self.children() if recurse else ():
            module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                self._parameters[name] = converted(parameter, fn)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, device=None, dtype=None, non_blocking=False, *, memory_format=None):
        """Moves parameters and buffers; a dtype applies to the floating-point ones only, a memory format to
        those of 4 and 5 dimensions."""
        if isinstance(device, _C.dtype):
            device, dtype = None, device
        elif isinstance(device, Tensor):
            device, dtype = device.device, device.dtype
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                f"dtype={dtype}"
            )
        device = None if device is None else _C.device(device)

        def convert(t):
            casts = dtype is not None and (t.is_floating_point() or t.is_complex())
            wanted = dtype if casts else t.dtype
            place = t.device if device is None else device
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(place, wanted, non_blocking, memory_format=memory_format)
            return t.to(place, wanted, non_blocking)

        return self._apply(convert)

    def to_empty(self, *, device, recurse=True):
        """Moves parameters and buffers to a device without what is in them: they hold anything there.

        Args:
            recurse: whether those of submodules as well.
        """
        return self._apply(lambda t: _C.empty_like(t, device=device), recurse)

    def compile(self, *args, **options):
        """For PyTorch's programs: calls stay what they are, and it says so once."""
        from opweave._top import compile  # few programs do

        compile(self)

    def type(self, dst_type):
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cuda(self, device=None):
        """Moves parameters and buffers to a CUDA device; raises where there is none."""
        return self._apply(lambda t: t.cuda(device))

    def cpu(self):
        return self._apply(lambda t: t.cpu())

    def train(self, mode=True):
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        for parameter in self.parameters():
            zero_gradient(parameter, set_to_none)

    def share_memory(self):
        """Moves parameters and buffers where other processes can map them; one without a size raises."""
        for tensor in (*self.parameters(), *self.buffers()):
            if is_lazy(tensor):
                tensor.share_memory_()
        return self._apply(lambda tensor: tensor.share_memory_())

    # --- printing ---------------------------------------------------------------------------------
    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({n}): " + repr(m).replace("\n", "\n  ") for n, m in self._modules.items()]
        if not children and len(lines) <= 1:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + children) + "\n)"

"""Parameters that a module computes from others: register_parametrization and what undoes it."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from typing import Any

from opweave import _C
from opweave._C import Tensor
from opweave._grad_mode import no_grad
from opweave.nn.modules.container import ModuleDict, ModuleList
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

# Within cached(): how deep, and what was computed, by module and name.
_cache = {"depth": 0, "values": {}}


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Within, each parametrized tensor is computed once."""
    _cache["depth"] += 1
    try:
        yield
    finally:
        _cache["depth"] -= 1
        if _cache["depth"] == 0:
            _cache["values"] = {}


def _as_parameter(tensor, like):
    """What a module keeps of a tensor in the place of another: a parameter in that of a parameter."""
    if isinstance(tensor, Parameter) or not isinstance(like, Parameter):
        return tensor
    return Parameter(tensor, requires_grad=tensor.is_floating_point() and like.requires_grad)


def _keep(module, name, tensor):
    if isinstance(tensor, Parameter):
        module.register_parameter(name, tensor)
    else:
        module.register_buffer(name, tensor)


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, in their order, and what they compute it from: `original`, or
    `original0`, `original1`, … where the last one's `right_inverse` gives several.

    Args:
        modules: the parametrizations.
        original: the tensor that they replace.
        unsafe: whether they may change its shape and dtype.
    """

    def __init__(
        self, modules: Sequence[Module], original: Tensor | Sequence[Tensor], unsafe: bool = False
    ) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before = original.shape, original.dtype
        new = self._inverse(original)
        self.is_tensor = isinstance(new, _C.Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            self._check_original(original, new)
            with no_grad():
                if new is not original:
                    original.data = new.detach()
            _keep(self, "original", original)
        else:
            for i, part in enumerate(new):
                _keep(self, f"original{i}", _as_parameter(part, original))
        if not unsafe:
            self._check_result(*before)

    def _inverse(self, value, *, assigned=False):
        """What the parametrizations give `value` from; all must say, if it is assigned."""
        with no_grad():
            for module in reversed(self):
                if assigned and not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                try:
                    value = (
                        module.right_inverse(value) if hasattr(module, "right_inverse") else value
                    )
                except NotImplementedError:
                    if assigned:
                        raise
        if isinstance(value, _C.Tensor):
            return value
        if not isinstance(value, Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(value).__name__}"
            )
        for i, part in enumerate(value):
            if not isinstance(part, _C.Tensor):
                raise ValueError(
                    f"When 'right_inverse' outputs a sequence, its elements must be tensors, but element {i} "
                    f"is {type(part).__name__}"
                )
        return value

    def _check_original(self, original, new):
        if original.dtype is not new.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
            )

    def _check_result(self, shape, dtype):
        result = self()
        if not isinstance(result, _C.Tensor):
            raise ValueError(
                f"A parametrization must return a tensor. Got {type(result).__name__}."
            )
        if result.dtype is not dtype:
            raise ValueError(
                "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag "
                f"is enabled.\nunparametrized dtype: {dtype}\nparametrized dtype: {result.dtype}"
            )
        if result.shape != shape:
            raise ValueError(
                "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag "
                f"is enabled.\nunparametrized shape: {shape}\nparametrized shape: {result.shape}"
            )

    def _originals(self):
        if self.is_tensor:
            return (self.original,)
        return tuple(getattr(self, f"original{i}") for i in range(self.ntensors))

    def right_inverse(self, value: Tensor) -> None:
        """Assigns: sets the originals so that the tensor is `value`.

        Raises:
            RuntimeError, NotImplementedError: a parametrization has no right_inverse.
            ValueError: what a right_inverse gives does not fit them.
        """
        new = self._inverse(value, assigned=True)
        new = (new,) if isinstance(new, _C.Tensor) else tuple(new)
        if len(new) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. Got "
                f"{len(new)}."
            )
        with no_grad():
            for original, part in zip(self._originals(), new, strict=True):
                if part.dtype is not original.dtype:
                    raise ValueError(
                        f"The tensor returned by `right_inverse` has dtype {part.dtype} while the original "
                        f"tensor has dtype {original.dtype}"
                    )
                if part.shape != original.shape:
                    original.data = part.detach().clone()
                else:
                    original.copy_(part)

    def forward(self) -> Tensor:
        """The tensor."""
        value = self[0](*self._originals())
        for module in list(self)[1:]:
            value = module(value)
        return value


def _property(name):
    """The attribute of a module whose tensor is parametrized."""

    def get(self):
        if _cache["depth"] == 0:
            return self.parametrizations[name]()
        key = id(self), name
        if key not in _cache["values"]:
            _cache["values"][key] = self.parametrizations[name]()
        return _cache["values"][key]

    def assign(self, value):
        self.parametrizations[name].right_inverse(value)

    return property(get, assign)


def _own_class(module):
    """Gives a module a class of its own, in which tensors can be properties."""
    cls = type(module)

    def refuse(self):
        raise RuntimeError(
            f"{type(self).__name__} cannot be pickled: its class was made for it. Save its "
            f"state_dict(), or call "
            "remove_parametrizations() first"
        )

    def copied(self, memo):
        made = memo.get(id(self))
        if made is None:
            made = memo[id(self)] = self.__new__(type(self))
            made.__dict__ = copy.deepcopy(self.__dict__, memo)
            _take_own_class(made)
        return made

    module.__class__ = type(
        f"Parametrized{cls.__name__}",
        (cls,),
        {"__getstate__": refuse, "__deepcopy__": copied},
    )


def _take_own_class(module):
    """For a copy of a parametrized module: a class of its own with the same properties."""
    names = list(module.parametrizations)
    module.__class__ = type_before_parametrizations(module)
    _own_class(module)
    for name in names:
        setattr(type(module), name, _property(name))


def _refuse_tensor(module, name):
    raise ValueError(
        f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{name}'"
    )


def register_parametrization(
    module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False
) -> Module:
    """Has `module` compute its tensor from another, each time that it is read.

    Args:
        module: it becomes of a class of its own; its tensor's originals lie in `parametrizations[name]`.
        tensor_name: of a parameter or buffer, or of one that is parametrized.
        parametrization: a module from a tensor to a tensor. Its `right_inverse`, if there is one, says what
            the first original is, and what an assignment means.
        unsafe: whether it may change shape and dtype.

    Raises:
        ValueError: there is no such tensor, or the parametrization changes what it may not.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        _add(module, tensor_name, parametrization, unsafe)
        return module
    if tensor_name not in module._parameters and tensor_name not in module._buffers:
        _refuse_tensor(module, tensor_name)
    original = getattr(module, tensor_name)
    made = ParametrizationList([parametrization], original, unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        _own_class(module)
        module.parametrizations = ModuleDict()
    setattr(type(module), tensor_name, _property(tensor_name))
    module.parametrizations[tensor_name] = made
    return module


def _check_inverse(parametrization, result, value):
    """Refuses a right_inverse that gives a tensor of another kind."""
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        given = parametrization.right_inverse(result)
    except NotImplementedError:
        return
    if not isinstance(given, _C.Tensor):
        raise ValueError(
            f"parametrization.right_inverse must return a tensor. Got: {type(given).__name__}"
        )
    if (given.shape, given.dtype) != (value.shape, value.dtype):
        raise ValueError(
            "The tensor returned by parametrization.right_inverse must have the same dtype and shape as the "
            f"tensor, unless the `unsafe` flag is enabled: expected {value.dtype} {tuple(value.shape)}, got "
            f"{given.dtype} {tuple(given.shape)}"
        )


def _add(module, name, parametrization, unsafe):
    """One more after those that there are; the original stays as it is."""
    there = module.parametrizations[name]
    value = getattr(module, name)
    if not unsafe:
        with no_grad():
            result = parametrization(value)
        if not isinstance(result, _C.Tensor):
            raise ValueError(
                f"A parametrization must return a tensor. Got {type(result).__name__}."
            )
        if (result.shape, result.dtype) != (value.shape, value.dtype):
            raise ValueError(
                "Registering a parametrization may not change the shape or the dtype of the tensor, unless "
                f"`unsafe` flag is enabled: {value.dtype} {tuple(value.shape)} became {result.dtype} "
                f"{tuple(result.shape)}"
            )
        with no_grad():
            _check_inverse(parametrization, result, value)
    there.append(parametrization)
    there.unsafe |= unsafe


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrized tensors, or this one."""
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(
    module: Module, tensor_name: str, leave_parametrized: bool = True
) -> Module:
    """Makes a tensor of a module its own again.

    Args:
        leave_parametrized: whether it keeps the value that it has, or takes its original.

    Raises:
        ValueError: it is not parametrized, or has several originals and is to take one.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    there = module.parametrizations[tensor_name]
    originals = there._originals()
    if there.is_tensor:
        original = originals[0]
        if leave_parametrized:
            with no_grad():
                value = getattr(module, tensor_name)
                original.data = value.detach().clone()
    elif leave_parametrized:
        value = getattr(module, tensor_name).detach()
        trained = any(t.requires_grad for t in originals)
        original = Parameter(value.clone(), trained) if trained else value
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms "
            "of a sequence of tensors."
        )
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _keep(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type[Any]:
    """The class of a module, without what parametrizations made of it."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(
    from_module: Module, to_module: Module, tensor_name: str | None = None
) -> Module:
    """Parametrizes `to_module` as `from_module` is, with copies of its originals; all tensors, or one.

    Raises:
        ValueError: `from_module` has no parametrized tensor of the name.
    """
    if not is_parametrized(from_module, tensor_name):
        raise ValueError(
            f"from_module {from_module} does not have a parametrization on {tensor_name or 'any tensor'}"
        )
    names = from_module.parametrizations if tensor_name is None else [tensor_name]
    for name in list(names):
        there = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            _keep(
                to_module,
                name,
                _as_parameter(getattr(from_module, name).detach(), there._originals()[0]),
            )
        for parametrization in there:
            register_parametrization(to_module, name, parametrization, unsafe=there.unsafe)
        with no_grad():
            for to, came in zip(
                to_module.parametrizations[name]._originals(), there._originals(), strict=True
            ):
                to.data = came.detach().clone()
    return to_module

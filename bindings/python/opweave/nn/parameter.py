"""Parameter: a tensor that a module registers as its own."""

from opweave import _C
from opweave._C import Tensor, _disabled_torch_function_impl
from opweave._overridable import DisableTorchFunctionSubclass


class _ParameterMeta(type(Tensor)):
    """Tensors of other classes that were made parameters are such, too."""

    def __instancecheck__(cls, instance):
        own = super().__instancecheck__(instance)
        return own or (
            cls is Parameter
            and isinstance(instance, Tensor)
            and getattr(instance, "_is_param", False)
        )


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that is a parameter of the module to which it is assigned.

    Args:
        data: the values; shared, not copied. None gives an empty tensor. A tensor of a subclass keeps its
            class.
        requires_grad: whether backward() accumulates a gradient in it.

    Raises:
        RuntimeError: a dtype that cannot require a gradient, or a class whose detach() gives another.
    """

    __torch_function__ = _disabled_torch_function_impl  # what is computed with it is no parameter

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = _C.empty(0)
        if (
            isinstance(data, Tensor)
            and not isinstance(data, Parameter)
            and type(data) is not Tensor
        ):
            return _as_parameter(data, requires_grad)
        return Tensor._make_subclass(cls, data, requires_grad)

    def __deepcopy__(self, memo):
        if id(self) in memo:
            return memo[id(self)]
        result = type(self)(self.data.clone(), self.requires_grad)
        memo[id(self)] = result
        return result

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol):
        return _rebuild_parameter, (self.data, self.requires_grad)


def _as_parameter(data, requires_grad):
    made = data.detach().requires_grad_(requires_grad)
    if type(made) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() "
            f"returns an instance of the same type, but return type {type(made).__name__} was found instead. "
            "To use the type as a Parameter, please correct the detach() semantics defined by its "
            "__torch_function__() implementation."
        )
    made._is_param = True
    return made


def _rebuild_parameter(data, requires_grad):
    return Parameter(data, requires_grad)


class _BufferMeta(type(Tensor)):
    """Tensors that are buffers without being of the class, as lazy ones."""

    def __instancecheck__(cls, instance):
        marked = isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)
        return super().__instancecheck__(instance) or (cls is Buffer and marked)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that a module registers as a buffer when it is assigned.

    Args:
        data: the values; shared, not copied.
        persistent: whether it is part of the module's state_dict.
    """

    __torch_function__ = _disabled_torch_function_impl

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = _C.empty(0)
        result = Tensor._make_subclass(cls, data, data.requires_grad)
        result.persistent = persistent
        return result


_WITHOUT_SIZE = frozenset(
    [
        *("__hash__", "size", "copy_", "is_complex", "is_floating_point", "get_device"),
        *("half", "float", "double", "char", "short", "int", "long", "cuda", "cpu", "to"),
    ]
)


def _needs_no_size(function):
    """Whether a lazy layer may call it: it reads an attribute, or converts."""
    name = getattr(function, "__name__", "")
    is_attribute = type(function).__name__ == "method-wrapper"
    return is_attribute or (name in _WITHOUT_SIZE and function is getattr(Tensor, name))


def is_lazy(parameter):
    """Whether a parameter or buffer has no size yet."""
    return isinstance(parameter, UninitializedTensorMixin)


class UninitializedTensorMixin:
    """What a lazy layer has until it sees its first input."""

    _becomes = None

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        # Attributes, and what converts it without a look at its elements.
        if _needs_no_size(func):
            with DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you are using "
            "a `LazyModule` or explicitly manipulating `opweave.nn.parameter."
            f"{cls.__name__}` objects. When using LazyModules Call `forward` with a dummy batch to "
            "initialize the parameters before calling torch functions"
        )

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
            "`forward` to initialize the parameters before accessing their attributes."
        )

    def materialize(self, shape, device=None, dtype=None):
        """Takes a size, a device and a dtype (those that it was made with); the elements are not filled."""
        made = _C.empty(shape, device=device or self.data.device, dtype=dtype or self.data.dtype)
        self.data = made
        self.__class__ = self._becomes

    def share_memory_(self):
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the "
            "parameters before calling `module.share_memory()`."
        )

    def __repr__(self):
        return f"<{type(self).__name__}>"


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose size is not known yet."""

    _becomes = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return Tensor._make_subclass(cls, _C.empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo):
        if id(self) not in memo:
            data = self.data
            memo[id(self)] = type(self)(self.requires_grad, data.device, data.dtype)
        return memo[id(self)]

    def __reduce_ex__(self, protocol):
        return type(self), (self.requires_grad, self.data.device, self.data.dtype)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose size is not known yet."""

    _becomes = Tensor

    def __reduce_ex__(self, protocol):
        return type(self), (self.requires_grad, self.data.device, self.data.dtype)

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        made = _C.empty(0, device=device, dtype=dtype)
        made = Tensor._make_subclass(cls, made, requires_grad)
        made.persistent, made._is_buffer = persistent, True
        return made

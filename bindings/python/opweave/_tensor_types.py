"""FloatTensor and its kin, and cuda.FloatTensor: old names of tensors of a dtype on a kind of device."""

import numbers

from opweave import _C, storage


class TensorType(type):
    """The class of FloatTensor and its kin: isinstance() asks for the dtype of a tensor, and its device."""

    def __instancecheck__(cls, value):
        return (
            isinstance(value, _C.TensorBase)
            and value.dtype == cls.dtype
            and value.device.type == cls.device.type
        )

    def __subclasscheck__(cls, other):
        return other is cls

    def __call__(cls, *args, **kwargs):
        """FloatTensor(2, 3) is empty, of that shape; FloatTensor([1, 2]) has those elements.

        Raises:
            TypeError: a tensor of another dtype, or what is neither sizes nor elements.
        """
        given = args[0] if len(args) == 1 and not kwargs else None
        if isinstance(given, _C.TensorBase):
            if given.dtype != cls.dtype:
                raise TypeError(f"expected {cls.__name__} (got {given.type()})")
            return given.alias() if hasattr(given, "alias") else given.view(given.shape)
        if given is not None and not isinstance(given, (numbers.Integral, _C.Size)):
            return _from_elements(cls, given)
        sizes = tuple(given) if isinstance(given, _C.Size) else args
        device = _C.device(kwargs.pop("device", cls.device))
        if kwargs or device.type != cls.device.type:
            raise TypeError(
                f"{cls.__name__}() expects sizes or elements, and a device of type {cls.device.type}, got "
                f"{kwargs or device}"
            )
        return _C.empty(sizes or (0,), dtype=cls.dtype, device=device)


def _from_elements(cls, elements):
    if isinstance(elements, str):
        raise TypeError("new(): invalid data type 'str'")
    if storage.is_storage(elements):
        return storage.tensor_over(elements, cls.dtype)
    return _C.tensor(elements, dtype=cls.dtype, device=_C._default_device()).to(cls.device)


def _make(dtype, device, module):
    """The class of a dtype, by the name that tensors give their type."""
    name = _C.empty(0, dtype=dtype).type().rpartition(".")[2]
    doc = f"Tensors of {dtype} on devices of type {device.type}, by their old name."
    return TensorType(
        name, (), {"dtype": dtype, "device": device, "__doc__": doc, "__module__": module}
    )


def types_on(device, module):
    """The classes of all dtypes on one kind of device, by name: those of `module`."""
    made = [_make(dtype, device, module) for dtype in _C._dtypes]
    return {cls.__name__: cls for cls in made}


globals().update(types_on(_C._default_device(), "opweave"))

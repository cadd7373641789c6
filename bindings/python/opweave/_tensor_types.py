"""FloatTensor and its kin: PyTorch's old names of the tensors of one dtype on the CPU."""

import opweave
from opweave import _C


class _TensorType(type):
    """What isinstance() asks: the dtype of a tensor."""

    def __instancecheck__(cls, value):
        return (
            isinstance(value, _C.TensorBase)
            and value.dtype == cls.dtype
            and _C._is_host(value.device)
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
        if given is not None and not isinstance(given, (int, opweave.Size)):
            return _from_elements(cls, given)
        sizes = tuple(given) if isinstance(given, opweave.Size) else args
        device = kwargs.pop("device", _C._default_device())
        if kwargs or not _C._is_host(_C.device(device)):
            raise TypeError(
                f"{cls.__name__}() expects sizes or elements, and the host's device, got {kwargs}"
            )
        return opweave.empty(sizes or (0,), dtype=cls.dtype, device=_C._default_device())


def _from_elements(cls, elements):
    if isinstance(elements, str):
        raise TypeError("new(): invalid data type 'str'")
    return opweave.tensor(elements, device=_C._default_device()).to(cls.dtype)


def _make(dtype):
    """The class of a dtype, by the name that tensors give their type."""
    name = _C.empty(0, dtype=dtype).type().rpartition(".")[2]
    doc = f"Tensors of {dtype} in the host's memory, by their old name."
    return _TensorType(name, (), {"dtype": dtype, "__doc__": doc, "__module__": "opweave"})


_TYPES = [_make(d) for d in {v for v in vars(_C).values() if isinstance(v, _C.dtype)}]
globals().update({cls.__name__: cls for cls in _TYPES})

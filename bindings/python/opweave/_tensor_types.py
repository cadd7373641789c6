"""FloatTensor and its kin: PyTorch's old names of the tensors of one dtype on the CPU."""

import opweave
from opweave import _C

__all__ = [
    *("BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor"),
    *("HalfTensor", "IntTensor", "LongTensor", "ShortTensor"),
]


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
        return opweave.empty(sizes or (0,), dtype=cls.dtype)


def _from_elements(cls, elements):
    if isinstance(elements, str):
        raise TypeError("new(): invalid data type 'str'")
    return opweave.tensor(elements).to(cls.dtype)


def _make(name, dtype):
    doc = f"Tensors of {dtype} on the CPU, by their old name."
    return _TensorType(name, (), {"dtype": dtype, "__doc__": doc, "__module__": "opweave"})


BFloat16Tensor = _make("BFloat16Tensor", _C.bfloat16)
BoolTensor = _make("BoolTensor", _C.bool)
ByteTensor = _make("ByteTensor", _C.uint8)
CharTensor = _make("CharTensor", _C.int8)
DoubleTensor = _make("DoubleTensor", _C.float64)
FloatTensor = _make("FloatTensor", _C.float32)
HalfTensor = _make("HalfTensor", _C.float16)
IntTensor = _make("IntTensor", _C.int32)
LongTensor = _make("LongTensor", _C.int64)
ShortTensor = _make("ShortTensor", _C.int16)

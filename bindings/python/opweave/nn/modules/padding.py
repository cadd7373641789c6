"""Padding layers."""

from opweave.nn import functional
from opweave.nn.modules.module import Module


class _Pad(Module):
    _mode = "constant"
    _dims = 2

    def __init__(self, padding, value=None):
        super().__init__()
        self.padding = (padding,) * (2 * self._dims) if isinstance(padding, int) else tuple(padding)
        self.value = value

    def forward(self, input):
        return functional.pad(input, self.padding, self._mode, self.value)

    def extra_repr(self):
        text = f"padding={self.padding}"
        return text if self.value is None else f"{text}, value={self.value}"


class _Plain(_Pad):
    """One without a value, which prints its sizes alone."""

    def __init__(self, padding):
        super().__init__(padding)

    def extra_repr(self):
        return f"{self.padding}"


class ConstantPad1d(_Pad):
    _dims = 1


class ConstantPad2d(_Pad):
    pass


class ReflectionPad1d(_Plain):
    _mode, _dims = "reflect", 1


class ReflectionPad2d(_Plain):
    _mode = "reflect"


class ReplicationPad1d(_Plain):
    _mode, _dims = "replicate", 1


class ReplicationPad2d(_Plain):
    _mode = "replicate"


class ZeroPad1d(_Plain):
    _dims = 1


class ZeroPad2d(_Plain):
    pass


class ZeroPad3d(_Plain):
    _dims = 3


class ConstantPad3d(_Pad):
    _dims = 3


class ReflectionPad3d(_Plain):
    _mode, _dims = "reflect", 3


class ReplicationPad3d(_Plain):
    _mode, _dims = "replicate", 3


class CircularPad1d(_Plain):
    _mode, _dims = "circular", 1


class CircularPad2d(_Plain):
    _mode = "circular"


class CircularPad3d(_Plain):
    _mode, _dims = "circular", 3

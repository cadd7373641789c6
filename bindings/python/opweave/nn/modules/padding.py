"""Padding layers."""

from opweave.nn import functional
from opweave.nn.modules.module import Module
from opweave.nn.modules.utils import _ntuple


class _Pad(Module):
    _mode = "constant"
    _dims = 2
    value = None  # only those that are given one have it, in files of PyTorch as well

    def __init__(self, padding=None, value=None):
        """Layers that programs derive from its subclasses set the sizes themselves."""
        super().__init__()
        if padding is not None:
            self.padding = _ntuple(2 * self._dims)(padding)
        if value is not None:
            self.value = value

    def forward(self, input):
        return functional.pad(input, self.padding, self._mode, self.value)

    def extra_repr(self):
        text = f"padding={self.padding}"
        return text if self.value is None else f"{text}, value={self.value}"


class _ConstantPadNd(_Pad):
    def __init__(self, value):
        super().__init__(value=value)


class _Plain(_Pad):
    """One without a value, which prints its sizes alone."""

    def __init__(self, padding=None):
        _Pad.__init__(self, padding)

    def extra_repr(self):
        return f"{self.padding}"


class _ReflectionPadNd(_Plain):
    _mode = "reflect"


class _ReplicationPadNd(_Plain):
    _mode = "replicate"


class _CircularPadNd(_Plain):
    _mode = "circular"

    def _check_input_dim(self, input):
        expected = (self._dims + 1, self._dims + 2)
        if input.dim() not in expected:
            raise ValueError(
                f"expected {expected[0]}D or {expected[1]}D input (got {input.dim()}D input)"
            )

    def forward(self, input):
        self._check_input_dim(input)
        return super().forward(input)


class ConstantPad1d(_ConstantPadNd):
    _dims = 1

    def __init__(self, padding, value):
        _Pad.__init__(self, padding, value)


class ConstantPad2d(_ConstantPadNd):
    def __init__(self, padding, value):
        _Pad.__init__(self, padding, value)


class ReflectionPad1d(_ReflectionPadNd):
    _dims = 1


class ReflectionPad2d(_ReflectionPadNd):
    pass


class ReplicationPad1d(_ReplicationPadNd):
    _dims = 1


class ReplicationPad2d(_ReplicationPadNd):
    pass


class ConstantPad3d(_ConstantPadNd):
    _dims = 3

    def __init__(self, padding, value):
        _Pad.__init__(self, padding, value)


class ReflectionPad3d(_ReflectionPadNd):
    _dims = 3


class ReplicationPad3d(_ReplicationPadNd):
    _dims = 3


class CircularPad1d(_CircularPadNd):
    _dims = 1


class CircularPad2d(_CircularPadNd):
    pass


class CircularPad3d(_CircularPadNd):
    _dims = 3


class _ZeroPad(_Plain):
    def __init__(self, padding=None):
        _Pad.__init__(self, padding, 0.0)


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    pass


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    pass


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    pass

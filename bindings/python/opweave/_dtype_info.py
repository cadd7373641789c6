"""finfo and iinfo: the limits of dtypes."""

import math

from opweave import _C


def _name(dtype):
    return str(dtype).split(".")[1]


class finfo:  # noqa: N801
    """The limits of a floating-point dtype; of the default dtype when none is given."""

    def __init__(self, type=None):
        dtype = _C.get_default_dtype() if type is None else type
        if isinstance(dtype, _C.dtype):
            dtype = dtype.to_real()  # complex numbers have the limits of their parts
        if not getattr(dtype, "is_floating_point", False):
            raise TypeError(
                f"opweave.finfo() requires a floating point input type. Use opweave.iinfo to handle "
                f"'{dtype}'"
            )
        fraction, low, largest = dtype._limits
        self.dtype = _name(dtype)
        self.bits = 8 * dtype.itemsize
        self.eps = 2.0**-fraction
        self.max = largest
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0**low
        self.resolution = 10.0 ** -math.floor(fraction * math.log10(2))

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash((finfo, self.dtype))

    def __repr__(self):
        fields = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        values = ", ".join(f"{f}={getattr(self, f):g}" for f in fields)
        return f"finfo({values}, dtype={self.dtype})"


class iinfo:  # noqa: N801
    """The limits of an integer dtype."""

    def __init__(self, type):
        dtype = type
        whole = isinstance(dtype, _C.dtype) and not (dtype.is_floating_point or dtype.is_complex)
        if not whole or dtype is _C.bool:
            raise TypeError(
                f"opweave.iinfo() requires an integer input type. Use opweave.finfo to handle "
                f"'{dtype}'"
            )
        _ = dtype._limits  # refuses a dtype that can only be named
        self.dtype = _name(dtype)
        self.bits = 8 * dtype.itemsize
        self.min = -(1 << (self.bits - 1)) if dtype.is_signed else 0
        self.max = (1 << (self.bits - (1 if dtype.is_signed else 0))) - 1

    def __eq__(self, other):
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash((iinfo, self.dtype))

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"

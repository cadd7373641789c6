"""finfo and iinfo: the limits of dtypes."""

from opweave import _C

# dtype: bits of the mantissa, smallest and largest exponent of a normal number
_FLOATS = {
    _C.float16: (10, -14, 15),
    _C.bfloat16: (7, -126, 127),
    _C.float32: (23, -126, 127),
    _C.float64: (52, -1022, 1023),
}
_DECIMAL_DIGITS = {_C.float16: 3, _C.bfloat16: 2, _C.float32: 6, _C.float64: 15}


def _name(dtype):
    return str(dtype).split(".")[1]


class finfo:  # noqa: N801
    """The limits of a floating-point dtype; of the default dtype when none is given."""

    def __init__(self, dtype=None):
        dtype = _C.get_default_dtype() if dtype is None else dtype
        if dtype not in _FLOATS:
            raise TypeError(
                f"opweave.finfo() requires a floating point input type. Use opweave.iinfo to handle "
                f"'{dtype}'"
            )
        mantissa, low, high = _FLOATS[dtype]
        self.dtype = _name(dtype)
        self.bits = 8 * dtype.itemsize
        self.eps = 2.0**-mantissa
        self.max = (2.0 - self.eps) * 2.0**high
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0**low
        self.resolution = 10.0 ** -_DECIMAL_DIGITS[dtype]

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

    def __init__(self, dtype):
        if not isinstance(dtype, _C.dtype) or dtype in _FLOATS or dtype is _C.bool:
            raise TypeError(
                f"opweave.iinfo() requires an integer input type. Use opweave.finfo to handle "
                f"'{dtype}'"
            )
        self.dtype = _name(dtype)
        self.bits = 8 * dtype.itemsize
        self.min = -(1 << (self.bits - 1)) if dtype.is_signed else 0
        self.max = (1 << (self.bits - (1 if dtype.is_signed else 0))) - 1

    def __eq__(self, other):
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self):
        return hash((iinfo, self.dtype))

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

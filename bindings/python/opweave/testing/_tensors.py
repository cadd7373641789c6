"""Two tensors that assert_close() compares."""

from opweave import _C
from opweave.testing._messages import heading, line, scalars_message


def _index(flat, shape):
    """The index of the flat'th element."""
    index = []
    for size in reversed(shape):
        index.append(flat % size)
        flat //= size
    return tuple(reversed(index))


def _greatest(differences, kind, tolerances, allowed):
    """The line of the greatest difference and where it is."""
    flat = differences.flatten()
    at = int(flat.argmax())
    return line(
        f"Greatest {kind}", flat[at].item(), tolerances, allowed, _index(at, differences.shape)
    )


class TensorLeaf:
    """Tensors of any shape, dtype and device: on tensors without data nothing but attributes is compared."""

    def __init__(self, actual, expected, options, tolerances):
        self.actual, self.expected = actual, expected
        self.options, self.tolerances = options, tolerances

    def compare(self):
        self._check_attributes()
        if self.actual.is_meta or self.expected.is_meta:
            return
        actual, expected = self._alike()
        close = self._close(actual, expected)
        if not close.all():
            raise AssertionError(self._message(actual, expected, close))

    def _check_attributes(self):
        """
        Raises:
            AssertionError: one that is to be the same is not.
        """
        options = self.options
        strided = all(t.layout == _C.strided for t in (self.actual, self.expected))
        checks = [
            (True, "shape", lambda t: t.shape),
            (options.check_layout, "layout", lambda t: t.layout),
            (options.check_stride and strided, "stride()", lambda t: t.stride()),
            (options.check_device, "device", lambda t: t.device),
            (options.check_dtype, "dtype", lambda t: t.dtype),
        ]
        for wanted, name, value in checks:
            a, e = value(self.actual), value(self.expected)
            if wanted and a != e:
                raise AssertionError(f"The values for attribute '{name}' do not match: {a} != {e}.")

    def _alike(self):
        """Both on one device and of one dtype."""
        actual, expected = self.actual, self.expected
        if actual.device != expected.device:
            actual, expected = actual.cpu(), expected.cpu()
        if actual.dtype == expected.dtype:
            return actual, expected
        if all(not t.dtype.is_floating_point for t in (actual, expected)):
            dtype = _C.int64  # also of uint64 and a signed one, which promote to nothing
        else:
            dtype = _C.promote_types(actual.dtype, expected.dtype)
        return actual.to(dtype), expected.to(dtype)

    def _close(self, actual, expected):
        """Which elements are close, as bools of their shape."""
        rtol, atol = self.tolerances
        if not any(self.tolerances) and not actual.dtype.is_floating_point:
            return actual.eq(expected)  # exact, which differences as floats are not
        return _C.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=self.options.equal_nan)

    def _message(self, actual, expected, close):
        if actual.dim() == 0:
            return scalars_message(actual.item(), expected.item(), self.tolerances)
        if not actual.dtype.is_floating_point:
            actual, expected = actual.to(_C.int64), expected.to(_C.int64)
        wrong, count = int(close.logical_not().sum()), close.numel()
        absolute = (actual - expected).abs().masked_fill(close, 0)
        relative = (absolute / expected.abs()).masked_fill(close, 0)
        return (
            f"{heading('Tensor-likes', self.tolerances)}"
            f"Mismatched elements: {wrong} / {count} ({wrong / count:.1%})\n"
            f"{_greatest(absolute, 'absolute', self.tolerances, self.tolerances[1])}\n"
            f"{_greatest(relative, 'relative', self.tolerances, self.tolerances[0])}"
        )

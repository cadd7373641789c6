"""What functions that are written in Python give: named results, and tensors to write into."""

from collections import namedtuple

from opweave import _C


def named(function, *fields):
    """The class of a function's results, as those of operators are."""
    cls = namedtuple(function, fields)
    cls.__module__ = "opweave.return_types"

    def shown(self):
        parts = ",\n".join(f"{name}={value}" for name, value in zip(fields, self, strict=True))
        return f"{_C._printed_package()}.return_types.{function}(\n{parts})"

    cls.__repr__ = shown
    return cls


def into(out, found):
    """Writes a result to the tensor that a call has named as `out`, which takes its size."""
    if out.shape != found.shape:
        out.resize_(found.shape)
    return out.copy_(found)

"""What functions that are written in Python give: tensors to write into."""

import warnings

from opweave import _C


def expect_castable(name, found, out):
    """Refuses to write floats to integers.

    Raises:
        RuntimeError: the result's dtype does not become that of the tensor it is written to.
    """
    if not _C.can_cast(found.dtype, out.dtype):
        raise RuntimeError(
            f"{name}(): result type {found.dtype} can't be cast to the desired output type {out.dtype}"
        )


def into(name, out, found):
    """Writes the result of the function of a name to the tensor `out`, which takes its size."""
    _check_out(name, out, found)
    if out.shape != found.shape:
        if out.numel():
            warnings.warn(
                f"{name}(): an output with one or more elements was resized since it had shape "
                f"{list(out.shape)}, which does not match the required output shape {list(found.shape)}; "
                "reuse a tensor `t` by t.resize_(0) before",
                stacklevel=4,
            )
        out.resize_(found.shape)
    return out.copy_(found)


def _check_out(name, out, found):
    if not isinstance(out, _C.TensorBase):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if _C.is_grad_enabled() and (out.requires_grad or found.requires_grad):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one "
            "of the arguments requires grad."
        )
    if out.device != found.device:
        raise RuntimeError(
            f"{name}(): Expected out tensor to be on {found.device}, but got one on {out.device}"
        )
    expect_castable(name, found, out)

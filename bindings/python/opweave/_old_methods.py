"""Methods of Tensor that few programs call: facts, old names, geometry in place."""

import itertools
import math
import warnings

from opweave import _C, _targets
from opweave._arguments import expect_ints, expect_tensor
from opweave._in_place import refuse_derivatives
from opweave.autograd.graph import increment_version


def swapaxes_(self, axis0, axis1):
    """transpose_() by another name."""
    return self.transpose_(axis0, axis1)


def swapdims_(self, dim0, dim1):
    """transpose_() by another name."""
    return self.transpose_(dim0, dim1)


def as_strided_(self, size, stride, storage_offset=None):
    """Has the tensor look at its memory with other sizes and strides.

    Raises:
        RuntimeError: a leaf that requires a gradient, or a geometry that leaves the memory.
        NotImplementedError: a result of operators that requires a gradient, or has a tangent: nothing
            records it.
    """
    refuse_derivatives("as_strided_", self)
    if self.requires_grad and self.is_leaf and _C.is_grad_enabled():
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place operation."
        )
    if self.requires_grad and _C.is_grad_enabled():
        raise NotImplementedError(
            "as_strided_(): not recorded for a tensor that requires a gradient; use as_strided()"
        )
    self.data = self.detach().as_strided(size, stride, storage_offset)
    if not self.is_inference():
        increment_version(self)
    return self


def resize(self, *sizes):
    """Deprecated: the elements in other sizes, as reshape()."""
    warnings.warn("non-inplace resize is deprecated", stacklevel=3)
    sizes = sizes[0] if len(sizes) == 1 else sizes
    expect_ints("resize", "sizes", sizes)
    sizes = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,)
    return _resized(self, sizes)


def _resized(tensor, sizes):
    if math.prod(sizes) != tensor.numel():
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, sizes))} ({math.prod(sizes)} elements in total), but "
            f"the given tensor has a size of {'x'.join(map(str, tensor.shape))} ({tensor.numel()} elements). "
            "autograd's resize can only change the shape of a given tensor, while preserving the number of "
            "elements. "
        )
    return tensor.contiguous().view(sizes)


def resize_as(self, tensor):
    """Deprecated: the elements in the sizes of another tensor."""
    expect_tensor("resize_as", "tensor", tensor)
    warnings.warn("non-inplace resize_as is deprecated", stacklevel=3)
    return _resized(self, tensor.shape)


def reinforce(self, reward):
    """Removed from PyTorch; the error says so.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(
        "reinforce() was removed.\nUse the logarithm of the probability of the action that was drawn as a "
        "loss: -log_prob * reward."
    )


def is_nonzero(self):
    """Whether the one element is not zero.

    Raises:
        RuntimeError: there is not one element.
    """
    return bool(self)


def is_distributed(self):
    """Whether the tensor lies on several machines: no."""
    return False


def to_dense(self, dtype=None, *, masked_grad=None):
    """The tensor, which has all elements; of another dtype, if one is given."""
    return self if dtype is None else self.to(dtype)


def const_data_ptr(self):
    """data_ptr(), for reading."""
    return self.data_ptr()


def ipu(self, device=None, non_blocking=False, memory_format=None):
    """Raises: there are no such devices."""
    raise RuntimeError("Opweave has no devices of type 'ipu'")


def mtia(self, device=None, non_blocking=False, memory_format=None):
    """Raises: there are no such devices."""
    raise AssertionError("Opweave has no devices of type 'mtia'")


def xpu(self, device=None, non_blocking=False, memory_format=None):
    """On a device of the target xpu.

    Raises:
        AssertionError: there is none.
    """
    if not _targets.module("xpu").is_available():
        raise AssertionError("Opweave has no usable device of type 'xpu'")
    return self.to(_C.device("xpu" if device is None else device), non_blocking=non_blocking)


# --- order of dimensions ----------------------------------------------------------------------------------
def dim_order(self, *, ambiguity_check=False):
    """The dimensions from the outermost in memory to the innermost.

    Args:
        ambiguity_check: True: there has to be one order only. A list of memory formats: the tensor has one
            order, or is of one of these.

    Raises:
        TypeError: another ambiguity_check.
        RuntimeError: several orders, or none of the formats.
    """
    formats = [] if isinstance(ambiguity_check, bool) else ambiguity_check
    known = isinstance(formats, list) and all(isinstance(f, _C.memory_format) for f in formats)
    if not known:
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    checked = ambiguity_check is not False
    if checked and _has_several_orders(self) and _not_one_of(formats, self):
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory "
            "formats."
        )
    order, is_open = _order(self)
    if ambiguity_check is True and is_open:
        raise RuntimeError("The tensor does not have unique dim order.")
    return order


def _has_several_orders(tensor):
    strides = tensor.stride()
    equal = any(a == b for a, b in itertools.pairwise(strides))
    return equal or 1 in tensor.shape


def _not_one_of(formats, tensor):
    return sum(tensor.is_contiguous(memory_format=f) for f in formats) != 1


def _order(tensor):
    """(the order, whether there is another), as that of results of pointwise operators."""
    order, is_open = list(reversed(range(tensor.dim()))), False
    for i in range(1, tensor.dim()):
        here = i
        for other in reversed(range(i)):
            compared = _compared(tensor, order[other], order[here])
            is_open |= compared == 0
            if compared > 0:
                order[other], order[here] = order[here], order[other]
                here = other
            elif compared < 0:
                break
    return tuple(reversed(order)), is_open


def _compared(tensor, inner, outer):
    """1 where two dimensions have to change places, -1 where not, 0 where either will do."""
    a, b = tensor.stride(inner), tensor.stride(outer)
    if a == 0 or b == 0:
        return 0
    if a != b:
        return -1 if a < b else 1
    return 1 if tensor.size(inner) > tensor.size(outer) else 0


# --- loading ----------------------------------------------------------------------------------------------
def module_load(self, other, assign=False):
    """What load_state_dict() puts in this tensor's place, where that is asked for
    (opweave.__future__.set_swap_module_params_on_conversion): this tensor with the elements of `other`, or
    `other` with `assign`."""
    return other.detach() if assign else self.copy_(other).detach()

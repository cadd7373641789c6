"""Methods of Tensor that write to it, of functions that are written in Python, and few others."""

import functools
import math

from opweave import _C
from opweave._arguments import (
    expect_bool,
    expect_floating,
    expect_ints,
    expect_number,
    expect_tensor,
)
from opweave._dtype_info import iinfo
from opweave._grad_mode import no_grad
from opweave.storage import TypedStorage


def fill_diagonal_(self, fill_value, wrap=False):
    """Writes a value to the main diagonal, of all dimensions; in tall matrices again and again if `wrap`.

    Raises:
        RuntimeError: fewer than two dimensions, or more than two of unlike sizes.
    """
    expect_bool("fill_diagonal_", "wrap", wrap)
    if self.dim() < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.dim() > 2 and len(set(self.shape)) != 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    if self.dim() == 2 and wrap:
        rows, columns = self.shape
        for start in range(0, rows, columns + 1):
            self[start : start + columns].diagonal().fill_(fill_value)
        return self
    count = min(self.shape)
    self.as_strided((count,), (sum(self.stride()),), self.storage_offset()).fill_(fill_value)
    return self


def refuse_derivatives(name, *values):
    """For what exchanges the elements of a tensor behind the back of autograd."""
    tensors = [t for t in values if isinstance(t, _C.Tensor)]
    if _C._captures_open() or any(map(_C._tangent_level, tensors)):
        raise NotImplementedError(f"{name}(): derivative for {name} is not implemented")


_EMPTY = object()


def set_(self, source=_EMPTY, storage_offset=0, size=None, stride=None):
    """Has the tensor look at the elements of another, or at those of a storage; at none without a source.

    Args:
        source: a tensor, or a storage (UntypedStorage, TypedStorage).
        storage_offset, size, stride: where in the storage, which grows where they reach beyond it; all of
            it without them.

    Raises:
        TypeError: another source.
        RuntimeError: a source of another dtype or device, no such places, a storage that cannot grow, or a
            tensor whose history is being recorded. Where that of a source is, a backward pass is refused.
        NotImplementedError: one of them has a tangent, or grad, vjp or jvp differentiate the caller.
    """
    if self.requires_grad and _C.is_grad_enabled():
        if self.is_leaf:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation."
            )
        raise RuntimeError(
            "set_(): the tensor has a gradient function, and set_() has no derivative: call it under "
            "no_grad(), or on a detached tensor"
        )
    refuse_derivatives("set_", self, source)
    if isinstance(source, _C.Tensor) and source.requires_grad and _C.is_grad_enabled():
        return _recorded_set().apply(self, source, storage_offset, size, stride)
    if source is _EMPTY:
        self.data = _C.empty(0, dtype=self.dtype, device=self.device)
    elif isinstance(source, _C.Tensor) and size is None:
        if source.dtype is not self.dtype:
            raise RuntimeError(
                f"set_(): expected a source of the tensor's dtype, {self.dtype}, but got {source.dtype}"
            )
        _check_device(self, source)
        self.data = source.detach()
    else:
        self.data = _of_storage(self, source, storage_offset, size, stride)
    return self


@functools.cache
def _recorded_set():
    from opweave.autograd.function import Function

    class Set(Function):
        @staticmethod
        def forward(ctx, tensor, source, *place):
            ctx.mark_dirty(tensor)
            return set_(tensor, source, *place)

        @staticmethod
        def backward(ctx, grad):
            raise RuntimeError(
                "derivative for set_ is not implemented: call it under no_grad(), or with a detached source"
            )

    return Set


def _check_device(like, source):
    if source.device != like.device:
        raise RuntimeError(
            f"set_(): expected a source on the tensor's device, {like.device}, but got one on {source.device}"
        )


def _make_room(storage, item, offset, size, stride):
    """Has the storage grow to the last element of a geometry."""
    if offset < 0 or len(size) != len(stride) or min((*size, *stride), default=0) < 0:
        raise RuntimeError(
            f"set_(): expected a storage_offset, sizes and as many strides that are not negative, but got "
            f"{offset}, {list(size)} and {list(stride)}"
        )
    last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
    needed = 0 if 0 in size else (last + 1) * item
    if needed <= storage.nbytes():
        return
    if needed >= 2**63:
        raise RuntimeError(
            f"set_(): Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}"
        )
    if not storage.resizable():
        raise RuntimeError(
            f"set_(): {list(size)} with strides {list(stride)} from {offset} on reach to byte {needed} of a "
            f"storage of {storage.nbytes()}: Trying to resize storage that is not resizable"
        )
    storage.resize_(needed)


def _of_storage(like, source, offset, size, stride):
    storage = source
    if isinstance(source, _C.Tensor):
        storage = source.untyped_storage()
    elif isinstance(source, TypedStorage):
        storage = source.untyped()
    if not isinstance(storage, _C.UntypedStorage):
        raise TypeError(f"set_(): expected a tensor or a storage, but got {type(source).__name__}")
    if size is None:
        size = (storage.nbytes() // like.element_size() - offset,)
    expect_ints("set_", "size", size)
    size = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if stride is None:
        stride = _C.empty(size, device="meta").stride()
    _check_device(like, storage)
    _make_room(storage, like.element_size(), offset, size, stride)
    return _C._tensor_from_storage(storage, like.dtype, offset, size, tuple(stride))


# --- by functions of Python ---------------------------------------------------------------------------------
def _called(name, self, function, *others):
    if any(t.requires_grad for t in (self, *others)):
        raise RuntimeError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead."
        )
    if any(_C._tangent_level(t) for t in (self, *others)):
        raise RuntimeError(
            f"Can't call {name}() on a tensor that has a tangent: a function of Python has no derivative"
        )
    for t in (self, *others):
        if not _C._is_host(t.device):
            raise TypeError(
                f"a Python function is only called for tensors of the CPU, but got one on {t.device}"
            )
    for t in others:
        if t.dtype is not self.dtype:
            raise TypeError(
                f"{name}(): expected a tensor of {self.dtype}, but got one of {t.dtype}"
            )
    columns = [t.expand_as(self).reshape(-1).tolist() for t in (self, *others)]
    found = [function(*values) for values in zip(*columns, strict=True)]
    with no_grad():
        return self.copy_(_C.tensor(found, dtype=self.dtype).reshape(self.shape))


def apply_(self, callable):
    """Writes callable(element) to each element. Slow: for what no operator does."""
    return _called("apply_", self, callable)


def map_(self, tensor, callable):
    """Writes callable(element, element of `tensor`) to each element."""
    expect_tensor("map_", "tensor", tensor)
    return _called("map_", self, callable, tensor)


def map2_(self, x, y, callable):
    """Writes callable(element, element of `x`, element of `y`) to each element."""
    expect_tensor("map2_", "x", x)
    expect_tensor("map2_", "y", y)
    return _called("map2_", self, callable, x, y)


# --- random numbers ---------------------------------------------------------------------------------------
def _positive(name, argument, value):
    if not value > 0:
        raise RuntimeError(f"{name} expects {argument} > 0.0, but found {argument}={value}")


def _uniform(self, generator):
    """From 0 to below 1, in float64, drawn as PyTorch's CPU draws it: in the order of memory."""
    return _C.empty_like(self, dtype=_C.float64).uniform_(generator=generator)


def cauchy_(self, median=0, sigma=1, *, generator=None):
    """Draws from the Cauchy distribution."""
    expect_floating("cauchy_", self)
    expect_number("cauchy_", "median", median)
    expect_number("cauchy_", "sigma", sigma)
    _positive("cauchy_", "sigma", sigma)
    return self.copy_(median + sigma * (math.pi * (_uniform(self, generator) - 0.5)).tan())


def log_normal_(self, mean=1, std=2, *, generator=None):
    """Draws numbers whose logarithms are normal, of that mean and deviation."""
    expect_floating("log_normal_", self)
    expect_number("log_normal_", "mean", mean)
    expect_number("log_normal_", "std", std)
    _positive("log_normal_", "std", std)
    # Apart in memory: one after the other is how PyTorch draws these, and not in blocks.
    dense = _C.empty_like(self, dtype=_C.float64)
    room = _C.empty(2 * self.numel(), dtype=_C.float64, device=self.device)
    apart = room.as_strided(self.shape, [2 * s for s in dense.stride()])
    return self.copy_(apart.normal_(mean, std, generator=generator).exp_())


def geometric_(self, p, *, generator=None):
    """Draws how many trials it takes until one succeeds, with probability p.

    Raises:
        RuntimeError: p is not between 0 and 1.
        NotImplementedError: bools.
    """
    if self.dtype is _C.bool:
        raise NotImplementedError("geometric_(): not implemented for dtype opweave.bool")
    expect_number("geometric_", "p", p)
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    trials = (_uniform(self, generator).log() / math.log1p(-p)).ceil()
    most = None if self.is_floating_point() else iinfo(self.dtype).max
    return self.copy_(trials.clamp(1, most))

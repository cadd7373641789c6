"""Initialisation of parameters in place, after torch.nn.init."""

import functools
import math
import warnings

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.functional import where

_GAINS = {
    "linear": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1, "conv_transpose1d": 1,
    "conv_transpose2d": 1, "conv_transpose3d": 1, "sigmoid": 1, "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0), "selu": 3.0 / 4,
}  # fmt: skip


def calculate_gain(nonlinearity, param=None):
    """The factor that keeps the variance of activations, for a nonlinearity by name."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {slope} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if not isinstance(nonlinearity, str) or nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor):
    if tensor.dim() < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    receptive_field = math.prod(tensor.shape[2:])
    return tensor.size(1) * receptive_field, tensor.size(0) * receptive_field


def _calculate_correct_fan(tensor, mode):
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fans = _calculate_fan_in_and_fan_out(tensor)
    return fans[0] if mode == "fan_in" else fans[1]


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal values of which those outside of [a, b] are drawn again: the same numbers as PyTorch's."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            f"trunc_normal_(): the mean {mean} is more than 2 std ({std}) from [{a}, {b}]; the distribution "
            "of values may be incorrect",
            stacklevel=2,
        )
    if tensor.is_meta:
        return tensor
    # Where few normal values lie in [a, b], uniform ones are taken as often as normal ones would be.
    inside = _normal_cumulative((b - mean) / std) - _normal_cumulative((a - mean) / std)
    with no_grad():
        draw = _redraw_normal if inside > 0.3 else _reject_uniform
        return draw(tensor, mean, std, a, b, generator)


def _normal_cumulative(x):
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _redraw_normal(tensor, mean, std, a, b, generator):
    # What the tensor can hold: a value that was rounded to a bound is inside.
    low, high = (_C.tensor(bound, dtype=tensor.dtype).item() for bound in (a, b))
    tensor.normal_(mean, std, generator=generator)
    while (outside := (tensor < low) | (tensor > high)).any():
        again = _C.empty_like(tensor).normal_(mean, std, generator=generator)
        tensor.copy_(where(outside, again, tensor))
    return tensor


def _reject_uniform(tensor, mean, std, a, b, generator):
    peak = ((max(a, min(mean, b)) - mean) / std) ** 2
    chosen, chance = tensor.uniform_(a, b, generator=generator).clone(), _C.empty_like(tensor)
    pending = _is_rejected(chosen, chance, mean, std, peak, generator)
    while pending.any():
        chosen.uniform_(a, b, generator=generator)
        tensor.copy_(where(pending, chosen, tensor))
        pending &= _is_rejected(chosen, chance, mean, std, peak, generator)
    return tensor


def _is_rejected(values, chance, mean, std, peak, generator):
    """Where a uniform number is above the density, relative to its maximum; overwrites both."""
    log_density = values.sub_(mean).div_(std).pow_(2).mul_(-0.5).add_(0.5 * peak)
    return chance.uniform_(generator=generator).log_().gt(log_density)


def constant_(tensor, val):
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor):
    return constant_(tensor, 1.0)


def zeros_(tensor):
    return constant_(tensor, 0.0)


def eye_(tensor):
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        return tensor.copy_(_C.eye(*tensor.shape, dtype=tensor.dtype))


def _xavier_std(name, tensor, gain):
    """PyTorch's deviation, and its error where nothing leads into the tensor or out of it."""
    fans = sum(_calculate_fan_in_and_fan_out(tensor))
    if fans == 0:
        raise ZeroDivisionError(f"{name}(): a tensor of sizes {list(tensor.shape)} has no fans")
    return gain * math.sqrt(2.0 / fans)


def xavier_uniform_(tensor, gain=1.0, generator=None):
    bound = math.sqrt(3.0) * _xavier_std("xavier_uniform_", tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    return normal_(tensor, 0.0, _xavier_std("xavier_normal_", tensor, gain), generator)


def _is_empty(tensor):
    """Whether there is nothing to fill, with a warning as of PyTorch's for the caller of who asks."""
    if 0 not in tensor.shape:
        return False
    warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return True


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    return uniform_(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


def _rows_of(tensor):
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    return tensor.size(0), tensor[0].numel()


def _orthonormal(matrix):
    """Orthonormal columns that span those of a tall matrix, each within 90 degrees of what it is made of.

    Each column loses its parts along those before, twice, so that rounding errors go as well; in float64.
    Source: L. Giraud, J. Langou, M. Rozloznik, "On the round-off error analysis of the Gram-Schmidt algorithm
    with reorthogonalization", 2002.
    """
    columns = matrix.to(_C.float64).t().contiguous()
    for i in range(columns.size(0)):
        before, column = columns[:i], columns[i]
        for _ in range(2):
            column = column - before.t() @ (before @ column)
        columns[i] = column / column.norm()
    return columns.t().to(matrix.dtype)


def orthogonal_(tensor, gain=1, generator=None):
    """Fills a tensor, as a matrix [first dimension, rest], with orthonormal rows or columns times `gain`.

    Source: A. Saxe et al., "Exact solutions to the nonlinear dynamics of learning in deep linear neural
    networks", 2013.

    Raises:
        ValueError: fewer than 2 dimensions.
    """
    rows, columns = _rows_of(tensor)
    if tensor.numel() == 0:
        return tensor
    with no_grad():
        drawn = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        found = _orthonormal(drawn.t()).t() if rows < columns else _orthonormal(drawn)
        return tensor.view_as(found).copy_(found).mul_(gain).view_as(tensor)


def dirac_(tensor, groups=1):
    """Fills the weight of a convolution so that it gives its channels as they are, in each group.

    Raises:
        ValueError: not 3, 4 or 5 dimensions, or outputs that groups do not divide.
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    outputs = tensor.size(0) // groups
    centre = [n // 2 for n in tensor.shape[2:]]
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for d in range(min(outputs, tensor.size(1))):
                tensor[(group * outputs + d, d, *centre)] = 1
    return tensor


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Fills a matrix with normal numbers, and a fraction of each column with zeros.

    Source: J. Martens, "Deep learning via Hessian-free optimization", 2010.

    Raises:
        ValueError: not 2 dimensions, or a sparsity that is not finite.
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    if not math.isfinite(sparsity):
        raise ValueError(f"sparsity: expected a fraction, got {sparsity}")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[_C.randperm(rows)[:zeros], column] = 0
    return tensor


def _old_name(function):
    name = function.__name__.removesuffix("_")

    @functools.wraps(function)
    def called(*args, **kwargs):
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{function.__name__}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    called.__name__ = called.__qualname__ = name
    return called


uniform, normal, constant, eye, dirac, sparse, orthogonal = map(
    _old_name, (uniform_, normal_, constant_, eye_, dirac_, sparse_, orthogonal_)
)
xavier_uniform, xavier_normal, kaiming_uniform, kaiming_normal = map(
    _old_name, (xavier_uniform_, xavier_normal_, kaiming_uniform_, kaiming_normal_)
)

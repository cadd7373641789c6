"""Functions of nn.functional that few programs call."""

import opweave
from opweave._arguments import takes as _takes
from opweave._overridable import make_overridable as _make_overridable
from opweave.nn._functions import rrelu

# --- distances -----------------------------------------------------------------------------------------
_DIFFERENCES = 1 << 22  # that are in memory at a time


def _length(difference, p):
    """The p-norm along the last dimension; where all is zero its gradient is zero."""
    size = difference.abs()
    if p == 0:
        count = (size != 0).to(size.dtype).sum(-1)
        return opweave.ops.with_gradient_of(count, (difference * 0).sum(-1))
    there = (size != 0).any(-1, keepdim=True)
    safe = opweave.where(there, size, opweave.ones_like(size))
    return safe.norm(p, -1) * there.squeeze(-1).to(size.dtype)


@_takes(input="Tensor", p="float")
def pdist(input, p=2.0):
    """The p-norms of the differences of all pairs of rows of (N, M): N * (N - 1) / 2, those of the first row
    in front.

    Raises:
        RuntimeError: other than two dimensions, integers, a negative p.
    """
    if input.dim() != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.dim()}D")
    if not input.is_floating_point():
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    pairs = opweave.triu_indices(input.size(0), input.size(0), 1, device=input.device)
    # By parts: the differences of all would be as many as the distances times the columns.
    count = max(_DIFFERENCES // max(input.size(1), 1), 1)
    parts = [_length(input[rows] - input[others], p) for rows, others in pairs.split(count, 1)]
    return parts[0] if len(parts) == 1 else opweave.cat(parts)


# --- sequences and channels ---------------------------------------------------------------------------------
@_takes(input="Tensor", weight="Tensor", bias="Tensor", pad="int")
def conv_tbc(input, weight, bias, pad=0):
    """The convolution of (T, B, C) along T with a weight (kernel, C, O) and a bias (O,).

    Args:
        pad: zeros on both ends.

    Raises:
        RuntimeError: sizes that do not fit.
    """
    _check_tbc(input, weight, bias)
    found = opweave.nn.functional.conv1d(
        input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad
    )
    return found.permute(2, 0, 1)


def _check_tbc(input, weight, bias):
    if input.dim() != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.dim() != 3:
        raise RuntimeError(
            "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels."
        )
    if bias.dim() != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.size(2) != weight.size(1):
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.size(2) != bias.size(0):
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """rrelu() in place."""
    return rrelu(input, lower, upper, training, inplace=True)


# --- losses -------------------------------------------------------------------------------------------------
def linear_cross_entropy(
    input,
    linear_weight,
    target,
    *,
    linear_bias=None,
    weight=None,
    reduction="mean",
    ignore_index=None,
    label_smoothing=0.0,
    options=None,
):
    """cross_entropy() of linear(input, linear_weight, linear_bias).

    Args:
        input: (features,) or (N, features).
        linear_weight: (classes, features), or (classes, *, features) for several classifications of a row.
        target: classes, or probabilities of all classes.
        linear_bias: of the sizes of linear_weight without features.
        weight, reduction, ignore_index, label_smoothing: those of cross_entropy().
        options: None: logits are not computed in chunks.

    Raises:
        RuntimeError: sizes that do not fit.
        NotImplementedError: options.
    """
    if options is not None:
        raise NotImplementedError(
            f"linear_cross_entropy: options has to be None (nothing is computed in chunks), got {options!r}"
        )
    _check_linear(input, linear_weight, linear_bias)
    sizes = (*input.shape[:-1], *linear_weight.shape[:-1])
    if target.shape == sizes and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    functional = opweave.nn.functional
    logits = functional.linear(input, linear_weight.reshape(-1, input.size(-1)), bias)
    return functional.cross_entropy(
        logits.reshape(sizes),
        target,
        weight=weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


def _check_linear(input, weight, bias):
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if weight.dim() < 2:
        raise RuntimeError(
            f"expected linear_weight with dimensionality at least 2, got {weight.dim()}"
        )
    if input.size(-1) != weight.size(-1):
        raise RuntimeError(
            "expected equal input and linear_weight last dimensions (in_features), got "
            f"{input.size(-1)} and {weight.size(-1)}, respectively"
        )
    rows = tuple(weight.shape[:-1])
    if bias is not None and tuple(bias.shape) != rows:
        raise RuntimeError(f"expected linear_bias shape {rows}, got {tuple(bias.shape)}")
    if len(rows) > 1 and input.dim() == 1:
        raise RuntimeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(weight.shape)} requires batched "
            f"input, (N, {input.size(-1)}), got unbatched input with shape {tuple(input.shape)}"
        )


_make_overridable(globals())

"""Functions of nn.functional that few programs call."""

from opweave._C import _nn_functional as _F
from opweave._overridable import make_overridable as _make_overridable


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
    logits = _F.linear(input, linear_weight.reshape(-1, input.size(-1)), bias)
    return _F.cross_entropy(
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

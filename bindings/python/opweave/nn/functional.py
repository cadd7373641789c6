"""Functions of networks, after torch.nn.functional. They come from ops.yaml (`nn_function`); what
stands here does more than to call one operator: it warns, checks what PyTorch's operators leave to
it, or calls several."""

import warnings

from opweave import _C
from opweave._arguments import expect_tensor as _expect_tensor
from opweave._C import _nn_functional as _F
from opweave._overridable import (  # noqa: F401 - libraries import those that ask from here
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)
from opweave._overridable import make_overridable as _make_overridable
from opweave.functional import broadcast_tensors as _broadcast_tensors
from opweave.nn.modules.utils import (  # noqa: F401 - libraries import them from here
    _list_with_default,
    _pair,
    _single,
    _triple,
)

# No module-level __getattr__ instead: with one, Python looks every name up the slow way.
globals().update({name: f for name, f in vars(_F).items() if not name.startswith("_")})


# --- activations ------------------------------------------------------------------------------------
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (_F.hardtanh_ if inplace else _F.hardtanh)(input, min_val, max_val)


def _get_softmax_dim(name, ndim, stacklevel=3):
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X "
        "as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    return input.softmax(
        _get_softmax_dim("softmax", input.dim()) if dim is None else dim, dtype=dtype
    )


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    dim = _get_softmax_dim("log_softmax", input.dim()) if dim is None else dim
    return input.log_softmax(dim, dtype=dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    dim = _get_softmax_dim("softmin", input.dim()) if dim is None else dim
    return (-input).softmax(dim, dtype=dtype)


# --- pooling and padding --------------------------------------------------------------------------------
def adaptive_avg_pool2d(input, output_size):
    _expect_tensor("adaptive_avg_pool2d", "input", input)
    return _F.adaptive_avg_pool2d(input, _list_with_default(output_size, input.shape))


# --- normalisation ----------------------------------------------------------------------------------------
def _verify_batch_size(size):
    count = size[0] if len(size) else 1
    for n in size[2:]:
        count *= n
    if count == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {size}"
        )


def batch_norm(
    input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5
):
    if training:
        _verify_batch_size(input.size())
    if training and eps <= 0.0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return _F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(
    input,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    use_input_stats=True,
    momentum=0.1,
    eps=1e-5,
):
    count = 1
    for n in input.size()[2:]:
        count *= n
    if use_input_stats and count == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {input.size()}"
        )
    return _F.instance_norm(
        input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps
    )


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    if input.dim() < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.dim()}"
        )
    if input.numel() == num_groups:
        _verify_batch_size([1, num_groups, *input.size()[2:]])
    return _F.group_norm(input, num_groups, weight, bias, eps)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    length = input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)
    return input / length if out is None else _C.div(input, length, out=out)


# --- losses -------------------------------------------------------------------------------------------------
def _broadcast(input, target):
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )
    return _broadcast_tensors([input, target])


# PyTorch's weights of single elements; `mean` of all of them and the weights.
def _weighted(elements, weight, input, reduction, mean):
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")
    loss = elements * weight
    if reduction == "none":
        return loss
    if reduction not in ("sum", "mean"):
        raise ValueError(
            f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'."
        )
    return loss.sum() if reduction == "sum" else mean(loss, weight)


def _weighted_mean(loss, weight):
    return loss.sum() / weight.sum()


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    tensors = _broadcast(input, target)
    if weight is None:
        return _F.mse_loss(*tensors, size_average, reduce, reduction)
    elements = _F.mse_loss(*tensors, reduction="none")
    return _weighted(elements, weight, input, reduction, _weighted_mean)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    tensors = _broadcast(input, target)
    if weight is None:
        return _F.l1_loss(*tensors, size_average, reduce, reduction)
    elements = _F.l1_loss(*tensors, reduction="none")
    return _weighted(elements, weight, input, reduction, _weighted_mean)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    tensors = _broadcast(input, target)
    if beta == 0.0:
        return _F.l1_loss(*tensors, size_average, reduce, reduction)
    return _F.smooth_l1_loss(*tensors, size_average, reduce, reduction, beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    tensors = _broadcast(input, target)
    if weight is None:
        return _F.huber_loss(*tensors, reduction, delta)
    elements = _F.huber_loss(*tensors, "none", delta)
    return _weighted(elements, weight, input, reduction, lambda loss, _: loss.mean())


def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    return _F.binary_cross_entropy_with_logits(
        input, target, weight, size_average, reduce, reduction, pos_weight
    )


def binary_cross_entropy(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean"
):
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size."
        )
    return _F.binary_cross_entropy(input, target, weight, size_average, reduce, reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    by_name = size_average is None and reduce is None
    if by_name and reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size."
            "'batchmean' divides only by the batch size, and aligns with the KL div math "
            "definition.'mean' will be changed to behave the same as 'batchmean' in the next major "
            "release.",
            stacklevel=2,
        )
    if not by_name or reduction != "batchmean":
        return _F.kl_div(input, target, size_average, reduce, reduction, log_target)
    loss = _F.kl_div(input, target, reduction="sum", log_target=log_target)
    return loss / input.size(0) if input.dim() != 0 else loss


# --- functions in files of their own, which use what stands above -------------------------------------------
from opweave.nn._attention import multi_head_attention_forward  # noqa: E402, F401
from opweave.nn._embedding import embedding, embedding_bag  # noqa: E402, F401
from opweave.nn._for_libraries import (  # noqa: E402, F401
    GRID_SAMPLE_INTERPOLATION_MODES,
    GRID_SAMPLE_PADDING_MODES,
    BroadcastingList1,
    BroadcastingList2,
    BroadcastingList3,
    assert_int_or_pair,
    boolean_dispatch,
)
from opweave.nn._fractional import (  # noqa: E402, F401
    fractional_max_pool2d,
    fractional_max_pool2d_with_indices,
    fractional_max_pool3d,
    fractional_max_pool3d_with_indices,
)
from opweave.nn._functions import (  # noqa: E402, F401
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
    gumbel_softmax,
)
from opweave.nn._losses import triplet_margin_with_distance_loss  # noqa: E402, F401
from opweave.nn._pools import (  # noqa: E402, F401
    adaptive_avg_pool3d,
    adaptive_max_pool1d_with_indices,
    adaptive_max_pool2d,
    adaptive_max_pool2d_with_indices,
    adaptive_max_pool3d,
    adaptive_max_pool3d_with_indices,
    avg_pool3d,
    max_pool1d_with_indices,
    max_pool2d_with_indices,
    max_pool3d_with_indices,
)
from opweave.nn._rare import linear_cross_entropy  # noqa: E402, F401
from opweave.nn._resizing import (  # noqa: E402, F401
    interpolate,
    upsample,
    upsample_bilinear,
    upsample_nearest,
)
from opweave.nn._sampling import affine_grid, grid_sample  # noqa: E402, F401

_make_overridable(globals())

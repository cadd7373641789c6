"""Functions of networks, after torch.nn.functional. Generated operators are re-exported; what stands here
chooses between them, checks arguments or supplies defaults."""

import warnings

import opweave
from opweave import (  # noqa: F401
    conv1d,
    conv2d,
    conv_transpose2d,
    relu_,
    sigmoid,
    tanh,
)
from opweave._C import _nn

elu_ = _nn.elu_
hardtanh_ = _nn.hardtanh_
leaky_relu_ = _nn.leaky_relu_
avg_pool2d = _nn.avg_pool2d
softplus = _nn.softplus
gelu = _nn.gelu
scaled_dot_product_attention = _nn.scaled_dot_product_attention
one_hot = _nn.one_hot


def _reduction(reduction):
    numbers = {"none": 0, "mean": 1, "sum": 2}
    if reduction not in numbers:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return numbers[reduction]


def _pair(value, default):
    return default if value is None else value


# --- activations ------------------------------------------------------------------------------------
def relu(input, inplace=False):
    return opweave.relu_(input) if inplace else opweave.relu(input)


def silu(input, inplace=False):
    return _nn.silu_(input) if inplace else _nn.silu(input)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return (_nn.leaky_relu_ if inplace else _nn.leaky_relu)(input, negative_slope)


def elu(input, alpha=1.0, inplace=False):
    return (_nn.elu_ if inplace else _nn.elu)(input, alpha)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (_nn.hardtanh_ if inplace else _nn.hardtanh)(input, min_val, max_val)


def relu6(input, inplace=False):
    return hardtanh(input, 0.0, 6.0, inplace)


def logsigmoid(input):
    return -_nn.softplus(-input)


def _implicit_dim(name, ndim):
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X "
        "as an argument.",
        stacklevel=3,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    return input.softmax(_implicit_dim("softmax", input.dim()) if dim is None else dim, dtype=dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    dim = _implicit_dim("log_softmax", input.dim()) if dim is None else dim
    return input.log_softmax(dim, dtype=dtype)


def softmin(input, dim=None, dtype=None):
    return softmax(-input, dim, dtype=dtype)


def glu(input, dim=-1):
    if input.dim() == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    a, b = input.chunk(2, dim)
    return a * b.sigmoid()


# --- linear, embedding, dropout -----------------------------------------------------------------------
linear = _nn.linear


def bilinear(input1, input2, weight, bias=None):
    result = opweave.einsum("...i,kij,...j->...k", input1, weight, input2)
    return result if bias is None else result + bias


def embedding(
    input,
    weight,
    padding_idx=None,
    max_norm=None,
    norm_type=2.0,
    scale_grad_by_freq=False,
    sparse=False,
):
    if max_norm is not None or scale_grad_by_freq or sparse:
        raise NotImplementedError(
            "embedding: max_norm, scale_grad_by_freq and sparse are not supported"
        )
    if padding_idx is None:
        padding_idx = -1
    elif not -weight.size(0) <= padding_idx < weight.size(0):
        raise AssertionError("Padding_idx must be within num_embeddings")
    elif padding_idx < 0:
        padding_idx += weight.size(0)
    return opweave.embedding(weight, input, padding_idx)


def _checked_probability(p):
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input, p=0.5, training=True, inplace=False):
    _checked_probability(p)
    result = opweave.dropout(input, p, training)
    return input.copy_(result) if inplace else result


# --- pooling and padding --------------------------------------------------------------------------------
def max_pool2d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    arguments = (input, kernel_size, _pair(stride, kernel_size), padding, dilation, ceil_mode)
    if return_indices:
        return opweave._C._nn.max_pool2d_with_indices(*arguments)
    return opweave.max_pool2d(*arguments)


def max_pool1d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False
):
    def wide(value):
        return (1, value if isinstance(value, int) else value[0])

    stride = _pair(stride, kernel_size)
    pad = (0, padding if isinstance(padding, int) else padding[0])
    result = max_pool2d(
        input.unsqueeze(-2),
        wide(kernel_size),
        wide(stride),
        pad,
        wide(dilation),
        ceil_mode,
        return_indices,
    )
    if return_indices:
        return result[0].squeeze(-2), result[1].squeeze(-2)
    return result.squeeze(-2)


def adaptive_avg_pool2d(input, output_size):
    sizes = (output_size, output_size) if isinstance(output_size, int) else output_size
    sizes = [input.size(i - 2) if s is None else s for i, s in enumerate(sizes)]
    return _nn.adaptive_avg_pool2d(input, sizes)


def pad(input, pad, mode="constant", value=None):
    return _nn.pad(input, pad, mode, value)


# --- normalisation ----------------------------------------------------------------------------------------
def _check_enough_values(size):
    count = size[0]
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
        _check_enough_values(input.size())
    return opweave.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, False
    )


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    return opweave.layer_norm(input, normalized_shape, weight, bias, eps)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    if input.dim() < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.dim()}"
        )
    return opweave.group_norm(input, num_groups, weight, bias, eps)


def normalize(input, p=2.0, dim=1, eps=1e-12):
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps).expand_as(input)


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    norms = x1.norm(2, dim).clamp_min(eps) * x2.norm(2, dim).clamp_min(eps)
    return (x1 * x2).sum(dim) / norms


# --- losses -------------------------------------------------------------------------------------------------
def _broadcast(input, target):
    if target.size() != input.size():
        warnings.warn(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}). This will likely lead to incorrect results due to broadcasting. "
            "Please ensure they have the same size.",
            stacklevel=3,
        )
    return opweave.broadcast_tensors([input, target])


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _nn.mse_loss(*_broadcast(input, target), _reduction(reduction))


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _nn.l1_loss(*_broadcast(input, target), _reduction(reduction))


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    tensors = _broadcast(input, target)
    if beta == 0.0:
        return _nn.l1_loss(*tensors, _reduction(reduction))
    return _nn.smooth_l1_loss(*tensors, _reduction(reduction), beta)


def huber_loss(input, target, reduction="mean", delta=1.0):
    return _nn.huber_loss(*_broadcast(input, target), _reduction(reduction), delta)


def nll_loss(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"
):
    return _nn.nll_loss_nd(input, target, weight, _reduction(reduction), ignore_index)


def cross_entropy(
    input,
    target,
    weight=None,
    size_average=None,
    ignore_index=-100,
    reduce=None,
    reduction="mean",
    label_smoothing=0.0,
):
    return _nn.cross_entropy_loss(
        input, target, weight, _reduction(reduction), ignore_index, label_smoothing
    )


def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    if target.size() != input.size():
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size ({input.size()})"
        )
    return opweave.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight, _reduction(reduction)
    )


def binary_cross_entropy(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean"
):
    number = _reduction(reduction)
    if target.size() != input.size():
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size."
        )
    # Logarithms are bounded by -100, so that a certain wrong answer costs something finite.
    loss = -(
        target * input.log().clamp(min=-100) + (1 - target) * (1 - input).log().clamp(min=-100)
    )
    if weight is not None:
        loss = loss * weight
    return loss if number == 0 else loss.mean() if number == 1 else loss.sum()


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    loss = (
        target.exp() * (target - input)
        if log_target
        else opweave.xlogy(target, target) - target * input
    )
    if reduction == "batchmean":
        return loss.sum() / input.size(0)
    number = _reduction(reduction)
    return loss if number == 0 else loss.mean() if number == 1 else loss.sum()

"""Private functions of torch.nn and torch.optim that copies of PyTorch's layers and optimizers call."""

import math
import warnings

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.func import _modules
from opweave.nn import functional
from opweave.nn.modules._layers.sync_batchnorm import _normalised

RNN_FUNCTIONS = {"RNN_TANH": _C.rnn_tanh, "RNN_RELU": _C.rnn_relu}
# What docstrings of copies of optimizers are put together of.
FOREACH_DOC = "foreach (bool, optional): whether the steps of all parameters are taken at once."
FUSED_DOC = "fused (bool, optional): whether a step is one operator."
CAPTURABLE_DOC = "capturable (bool, optional): whether a graph of a device can hold the step."
DIFFERENTIABLE_DOC = "differentiable (bool, optional): whether autograd records the step."
MAXIMIZE_DOC = "maximize (bool, optional): whether the objective is made as large as possible."
PARAMS_DOC = "params (iterable): parameters, pairs of names and parameters, or dicts of groups."
FUNCTIONAL_API_DOC = "One step of {optimizer} on lists of tensors, in place."


# --- attention ---------------------------------------------------------------------------------------------
def in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    """Query, key and value through a linear layer each."""
    linear = functional.linear
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def in_projection_packed(q, k, v, w, b=None):
    """Query, key and value through linear layers whose weights, and biases, are one tensor."""
    if q is k and k is v:  # one product
        return functional.linear(q, w, b).chunk(3, -1)
    biases = (None,) * 3 if b is None else b.chunk(3)
    return in_projection(q, k, v, *w.chunk(3), *biases)


def none_or_dtype(input):
    """The dtype of a tensor; None for None.

    Raises:
        RuntimeError: something else.
    """
    if input is None or isinstance(input, _C.Tensor):
        return None if input is None else input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    """A mask as numbers to add: of bools -inf where it is True.

    Raises:
        AssertionError: neither bools nor floats.
    """
    if mask is None:
        return None
    if mask.dtype != _C.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both "
            "instead.",
            stacklevel=3,
        )
    if mask.is_floating_point():
        return mask
    return _C.zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)


def steps_of(src, batch_first):
    """How many steps sequences have; None for tensors that are packed."""
    if src.is_nested:
        return None
    return src.size(0) if src.dim() == 2 else src.size(1 if batch_first else 0)


def attention_and_weights(q, k, v, attn_mask=None, dropout_p=0.0):
    """What attention gave before it had a public name: the attended values and the weights."""
    scores = (q / math.sqrt(q.size(-1))) @ k.transpose(-2, -1)
    scores = scores if attn_mask is None else scores + attn_mask
    weights = functional.softmax(scores, -1)
    weights = functional.dropout(weights, dropout_p) if dropout_p > 0.0 else weights
    return weights @ v, weights


def unwrap_optional(x):
    """What is not None. AssertionError for None."""
    if x is None:
        raise AssertionError("Unwrapping null optional")
    return x


def is_integer(x):
    """Whether it is a whole number, or a tensor of whole numbers."""
    if isinstance(x, _C.Tensor):
        return not (x.is_floating_point() or x.dtype == _C.bool)
    return isinstance(x, int)


def apply_permutation(tensor, permutation, dim=1):
    """The examples of a state in another order."""
    return tensor.index_select(dim, permutation)


def norm_without_trace(tensor, g, dim=0):
    """A weight of directions and lengths."""
    from opweave.nn.utils.weight_norm import scaled

    return scaled(tensor, g, dim)


def flattens_weights():
    """Whether recurrent layers have their weights in one piece of memory: they need not."""
    return False


def reparametrize_module(
    module, parameters_and_buffers, tie_weights=False, strict=False, stack_weights=False
):
    """A module that has other parameters within `with`."""
    tensors = parameters_and_buffers
    tensors = _modules._tied(module, tensors) if tie_weights else tensors
    if strict:
        _modules._check_names(module, tensors)
    return _modules._replaced(module, tensors)


# --- what copies of layers call as functions of autograd ---------------------------------------------------
class SyncBatchNorm:
    """In the place of PyTorch's Function, which normalises over the batches of all processes."""

    @staticmethod
    def apply(
        input, weight, bias, running_mean, running_var, eps, momentum, process_group, world_size
    ):
        """The normalised input; running statistics are updated."""
        running = running_mean, running_var
        return _normalised(input, weight, bias, running, eps, momentum, process_group)


class CrossMapLRN2d:
    """In the place of PyTorch's Function, which normalises over neighbouring channels."""

    @staticmethod
    def apply(input, size, alpha=1e-4, beta=0.75, k=1):
        """The normalised input."""
        return functional.local_response_norm(input, size, alpha, beta, k)


# --- optimizers and scalers --------------------------------------------------------------------------------
def dispatch_sqrt(x):
    """The root of a number or a tensor."""
    return x.sqrt() if isinstance(x, _C.Tensor) else math.sqrt(x)


@no_grad()
def check_and_unscale(self, found_inf, inv_scale):
    """Multiplies gradients, and makes `found_inf` 1 where one is not finite."""
    for grad in self:
        if not bool(_C.isfinite(grad).all()):
            found_inf.fill_(1.0)
        grad.mul_(inv_scale.to(grad.device) if isinstance(inv_scale, _C.Tensor) else inv_scale)


@no_grad()
def update_scale(self, growth_tracker, found_inf, growth_factor, backoff_factor, growth_interval):
    """Makes a scale of losses smaller after gradients that were not finite, larger after many that were."""
    if bool(found_inf):
        self.mul_(backoff_factor)
        growth_tracker.fill_(0)
        return self
    grown = self * growth_factor
    count = int(growth_tracker) + 1
    if count == growth_interval and bool(_C.isfinite(grown)):
        self.copy_(grown)
    growth_tracker.fill_(0 if count == growth_interval else count)
    return self

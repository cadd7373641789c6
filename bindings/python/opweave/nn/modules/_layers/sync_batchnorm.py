"""Batch normalisation over the batches of all processes of a group."""

from opweave import _C, _process_groups
from opweave._grad_mode import no_grad
from opweave.nn import functional
from opweave.nn.modules.batchnorm import _BatchNorm


def _wide(input):
    """At least float32: counts and squares of 16 bits end where batches begin."""
    return input.float() if input.itemsize < 4 else input


def _statistics(input, group):
    """Mean, biased variance and number of elements of each channel, over all ranks.

    Each rank sends its own three, put together as in T. Chan, G. Golub and R. LeVeque, Algorithms
    for Computing the Sample Variance (1983): no sum of squares loses what differs little from the mean.
    """
    channels = _wide(input).transpose(0, 1).reshape(input.shape[1], -1)
    count = channels.shape[1]
    if count:
        mean, variance = channels.mean(1), channels.var(1, correction=0)
    else:  # a rank without data takes part all the same
        mean = variance = channels.sum(1)
    mine = _C.stack([mean, variance, _C.full_like(mean, float(count))])
    means, variances, counts = _C.stack(list(_process_groups.all_gather(mine, group)), 1).unbind(0)
    total = counts.sum(0)
    mean = (means * counts).sum(0) / total
    variance = ((variances + (means - mean).square()) * counts).sum(0) / total
    return mean, variance, int(total[0])


def _normalised(input, weight, bias, running, eps, factor, group):
    """The input normalised over the batches of a group; `running` mean and variance become newer."""
    mean, variance, count = _statistics(input, group)
    if count < 2:
        raise ValueError(f"Expected more than 1 value per channel when training, got {count}")
    if running[0] is not None:
        _update(running, (mean, variance * (count / (count - 1))), factor)
    shape = [1, -1] + [1] * (input.dim() - 2)
    result = (_wide(input) - mean.view(shape)) * (variance + eps).rsqrt().view(shape)
    if weight is not None:
        result = result * weight.view(shape)
    result = result if bias is None else result + bias.view(shape)
    return result.to(input.dtype)


def _update(running, values, factor):
    with no_grad():
        for kept, value in zip(running, values, strict=True):
            kept.mul_(1 - factor).add_(value.detach().to(kept.dtype), alpha=factor)


class SyncBatchNorm(_BatchNorm):
    """Per channel of (N, C, ...), with the mean and the variance of the batches of all processes of a group.

    In evaluation, and without a group, it is a `BatchNorm`. Ranks may have batches of different sizes.

    Args:
        process_group: the default group, for None.
    """

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        process_group=None,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = process_group

    def _group(self):
        """The group over which batches are normalised; None where that is this process alone."""
        world = _process_groups.default_group()
        if not self.training or world is None:
            return None
        group = self.process_group or world
        return group if group.size() > 1 else None

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")

    def forward(self, input):
        """Normalises; a call of every rank in training. ValueError for less than two dimensions."""
        self._check_input_dim(input)
        factor = self._factor()
        group = self._group()
        if group is None:
            use_batch = self.training or self.running_mean is None
            update = not self.training or self.track_running_stats
            running = (self.running_mean, self.running_var) if update else (None, None)
            return functional.batch_norm(
                input, *running, self.weight, self.bias, use_batch, factor, self.eps
            )
        tracks = self.track_running_stats
        running = (self.running_mean, self.running_var) if tracks else (None, None)
        return _normalised(input, self.weight, self.bias, running, self.eps, factor, group)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """A module with a `SyncBatchNorm` in the place of each `BatchNorm`, with the same parameters."""
        converted = module
        if isinstance(module, _BatchNorm) and not isinstance(module, cls):
            converted = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
                setattr(converted, name, getattr(module, name))
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted

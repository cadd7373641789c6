"""Batch normalisation, and what it shares with that of instances."""

from opweave import _C
from opweave.nn import functional, init
from opweave.nn.modules.module import Module
from opweave.nn.parameter import Parameter

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d"]


class _NormBase(Module):
    """Weights, biases and running statistics for each channel."""

    _version = 2

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        options = {"device": device, "dtype": dtype}
        for name, wanted in (("weight", True), ("bias", bias)):
            use = affine and wanted
            value = Parameter(_C.empty(num_features, **options)) if use else None
            self.register_parameter(name, value)
        tracked = track_running_stats
        self.register_buffer("running_mean", _C.zeros(num_features, **options) if tracked else None)
        self.register_buffer("running_var", _C.ones(num_features, **options) if tracked else None)
        counter = _C.tensor(0, dtype=_C.int64, device=device) if tracked else None
        self.register_buffer("num_batches_tracked", counter)
        self.reset_parameters()

    def reset_running_stats(self):
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input):
        """Refuses inputs without the layer's number of dimensions; of a subclass."""
        raise NotImplementedError(f"{type(self).__name__}._check_input_dim()")

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *rest):
        # Version 1, and dictionaries without one, need not have counted the batches.
        name = f"{prefix}num_batches_tracked"
        if (local_metadata.get("version") or 1) < 2 and self.track_running_stats:
            own = self.num_batches_tracked
            counted = own is not None and own.device.type != "meta"
            state_dict.setdefault(name, own if counted else _C.tensor(0, dtype=_C.long))
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_NormBase):
    """Over all but the channels; programs derive layers of their own from it, with a `_check_input_dim`."""

    _ndims = ()

    def _check_input_dim(self, input):
        if self._ndims and input.dim() not in self._ndims:
            expected = " or ".join(f"{n}D" for n in self._ndims)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")

    def _factor(self):
        """The weight of this batch in the running statistics; momentum=None means a plain mean."""
        counts = self.training and self.track_running_stats
        if not counts or self.num_batches_tracked is None:
            return 0.0 if self.momentum is None else self.momentum
        self.num_batches_tracked.add_(1)
        return 1.0 / float(self.num_batches_tracked) if self.momentum is None else self.momentum

    def forward(self, input):
        self._check_input_dim(input)
        factor = self._factor()
        use_batch = self.training or self.running_mean is None
        update = not self.training or self.track_running_stats
        return functional.batch_norm(
            input,
            self.running_mean if update else None,
            self.running_var if update else None,
            self.weight,
            self.bias,
            use_batch,
            factor,
            self.eps,
        )


class BatchNorm1d(_BatchNorm):
    """Per channel of (N, C) or (N, C, L)."""

    _ndims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Per channel of (N, C, H, W)."""

    _ndims = (4,)


class BatchNorm3d(_BatchNorm):
    """Per channel of (N, C, D, H, W)."""

    _ndims = (5,)

"""Instance normalisation."""

import warnings

from opweave.nn import functional
from opweave.nn.modules.batchnorm import _NormBase


class _InstanceNorm(_NormBase):
    """Per channel and example; running statistics only if asked for."""

    _single = 0

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def _load_from_state_dict(
        self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
    ):
        # Before version 0.4, whose dictionaries say no version, the layer always had statistics.
        if local_metadata.get("version") is None and not self.track_running_stats:
            names = [f"{prefix}{name}" for name in ("running_mean", "running_var")]
            names = [name for name in names if state_dict.pop(name, None) is not None]
            if names:
                error_msgs.append(self._text_of_statistics(names))
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def _text_of_statistics(self, names):
        kind = type(self).__name__
        return (
            f"Unexpected running stats buffer(s) {' and '.join(map(repr, names))} for {kind} with "
            "track_running_stats=False. Files from before PyTorch 0.4.0 have them, as the layer kept them "
            "then whether they were used or not: take these keys out of the state_dict, or make the "
            f"{kind} with track_running_stats=True if it shall use them"
        )

    def _check_input_dim(self, input):
        if input.dim() not in (self._single, self._single + 1):
            raise ValueError(
                f"expected {self._single}D or {self._single + 1}D input (got {input.dim()}D input)"
            )

    def _other_channels(self, dim, channels):
        """An error where there are weights for channels, and else a warning."""
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={dim} to match num_features "
                f"({self.num_features}), but got: {channels}."
            )
        warnings.warn(
            f"input's size at dim={dim} does not match num_features ({self.num_features}), but is "
            f"{channels}. Without affine num_features is not used, and need not be given",
            stacklevel=4,
        )

    def forward(self, input):
        self._check_input_dim(input)
        single = input.dim() == self._single
        channels = input.size(0 if single else 1)
        if channels != self.num_features:
            self._other_channels(0 if single else 1, channels)
        rows = input.unsqueeze(0) if single else input
        use_input = self.training or not self.track_running_stats
        momentum = 0.0 if self.momentum is None else self.momentum
        out = functional.instance_norm(
            rows,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            use_input,
            momentum,
            self.eps,
        )
        return out.squeeze(0) if single else out


class InstanceNorm1d(_InstanceNorm):
    """Of (N, C, L) or (C, L)."""

    _single = 2


class InstanceNorm2d(_InstanceNorm):
    """Of (N, C, H, W) or (C, H, W)."""

    _single = 3


class InstanceNorm3d(_InstanceNorm):
    """Of (N, C, D, H, W) or (C, D, H, W)."""

    _single = 4

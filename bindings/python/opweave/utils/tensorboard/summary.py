"""Summaries, the messages of event files, of what the methods of a SummaryWriter are given."""

from __future__ import annotations

from opweave.utils.tensorboard._convert_np import make_np as make_np
from opweave.utils.tensorboard._histograms import (
    compute_curve,
    histogram,
    histogram_raw,
    make_histogram,
    pr_curve,
    pr_curve_raw,
)
from opweave.utils.tensorboard._hparams import hparams
from opweave.utils.tensorboard._media import (
    audio,
    draw_boxes,
    image,
    image_boxes,
    make_image,
    make_video,
    mesh,
    video,
)
from opweave.utils.tensorboard._utils import convert_to_HWC as convert_to_HWC
from opweave.utils.tensorboard._values import (
    custom_scalars,
    half_to_int,
    int_to_half,
    scalar,
    tensor_proto,
    text,
)

__all__ = [
    "audio",
    "compute_curve",
    "custom_scalars",
    "draw_boxes",
    "half_to_int",
    "histogram",
    "histogram_raw",
    "hparams",
    "image",
    "image_boxes",
    "int_to_half",
    "make_histogram",
    "make_image",
    "make_video",
    "mesh",
    "pr_curve",
    "pr_curve_raw",
    "scalar",
    "tensor_proto",
    "text",
    "video",
]

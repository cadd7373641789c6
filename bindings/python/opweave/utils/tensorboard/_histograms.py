"""How often values lie in which ranges, and curves of precision and recall, as summaries."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

from opweave.utils.tensorboard._convert_np import make_np
from opweave.utils.tensorboard._values import with_plugin

_Array = np.ndarray[Any, Any]
_MOST_THRESHOLDS = 127


def histogram_raw(
    name: str,
    min: float,
    max: float,
    num: int,
    sum: float,
    sum_squares: float,
    bucket_limits: Any,
    bucket_counts: Any,
) -> Summary:
    """A histogram that was counted before: the upper limit of each range, and how many lie in it."""
    histo = HistogramProto(
        min=min,
        max=max,
        num=num,
        sum=sum,
        sum_squares=sum_squares,
        bucket_limit=bucket_limits,
        bucket=bucket_counts,
    )
    return Summary(value=[Summary.Value(tag=name, histo=histo)])


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Summary:
    """A histogram of values.

    Args:
        bins: as for numpy.histogram.
        max_bins: neighbouring ranges are joined until there are about as few.
    """
    made = make_histogram(make_np(values).astype(float), bins, max_bins)
    return Summary(value=[Summary.Value(tag=name, histo=made)])


def make_histogram(values: _Array, bins: Any, max_bins: int | None = None) -> HistogramProto:
    """The ranges from the first to the last in which a value lies, after an empty one.

    Raises:
        ValueError: no value lies in any range.
    """
    if values.size == 0:
        raise ValueError("The input has no element.")
    values = values.reshape(-1)
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        counts, limits = _joined(counts, limits, len(counts) // max_bins)
    used = np.flatnonzero(counts)
    if len(counts) == 1 and not used.size:  # PyTorch writes the one range that there is
        limits, used = limits[1:], np.zeros(1, int)
    if not used.size:
        raise ValueError("The histogram is empty: no value lies within the bins")
    first, last = used[0], used[-1]
    return HistogramProto(
        min=values.min(),
        max=values.max(),
        num=len(values),
        sum=values.sum(),
        sum_squares=values.dot(values),
        bucket_limit=limits[first : last + 2].tolist(),
        bucket=[0, *counts[first : last + 1].tolist()][-len(limits) :],
    )


def _joined(counts: _Array, limits: _Array, times: int) -> tuple[_Array, _Array]:
    """Each so many neighbouring ranges as one."""
    starts = np.arange(0, len(counts), times)
    return np.add.reduceat(counts, starts), np.append(limits[starts], limits[-1])


def compute_curve(
    labels: _Array,
    predictions: _Array,
    num_thresholds: int | None = None,
    weights: Any = None,
) -> _Array:
    """For each threshold true and false positives, true and false negatives, precision and recall; a row
    for each of these.

    Args:
        labels: what is true, of zeros and ones.
        predictions: what a threshold is compared with, from 0 to 1.
    """
    count = _MOST_THRESHOLDS if num_thresholds is None else num_thresholds
    buckets = np.floor(predictions * (count - 1)).astype(np.int32)
    true = labels.astype(np.float64)
    weight = 1.0 if weights is None else weights

    def above(of: _Array) -> _Array:
        found, _ = np.histogram(buckets, bins=count, range=(0, count - 1), weights=of * weight)
        reached: _Array = np.cumsum(found[::-1])[::-1]
        return reached

    tp, fp = above(true), above(1.0 - true)
    fn, tn = tp[0] - tp, fp[0] - fp
    least = 1e-7  # instead of nothing at all to divide by
    return np.stack(
        (tp, fp, tn, fn, tp / np.maximum(least, tp + fp), tp / np.maximum(least, tp + fn))
    )


def _of_curve(tag: str, rows: _Array, num_thresholds: int) -> Summary:
    data = PrCurvePluginData(version=0, num_thresholds=num_thresholds).SerializeToString()
    return with_plugin(tag, "pr_curves", rows, data)


def pr_curve(
    tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None
) -> Summary:
    """Precision and recall of predictions at thresholds from 0 to 1, of which there are at most 127."""
    count = min(num_thresholds, _MOST_THRESHOLDS)
    rows = compute_curve(labels, predictions, num_thresholds=count, weights=weights)
    return _of_curve(tag, rows, count)


def pr_curve_raw(
    tag: str,
    tp: Any,
    fp: Any,
    tn: Any,
    fn: Any,
    precision: Any,
    recall: Any,
    num_thresholds: int = 127,
    weights: Any = None,
) -> Summary:
    """As pr_curve(), of what was counted before."""
    given = (tp, fp, tn, fn, precision, recall)
    rows = np.stack([row if isinstance(row, list | tuple) else make_np(row) for row in given])
    return _of_curve(tag, rows, min(num_thresholds, _MOST_THRESHOLDS))

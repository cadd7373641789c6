"""Drawing indices by weight, for WeightedRandomSampler: there is no operator `multinomial`."""

import bisect
import math

import opweave


def _check(weights, num_samples, replacement):
    values = weights.tolist()
    wrong = next((i for i, w in enumerate(values) if not 0 <= w < math.inf), None)
    if wrong is not None:
        raise RuntimeError(
            "WeightedRandomSampler: weights should be finite and not negative, but "
            f"weights[{wrong}] is {values[wrong]}"
        )
    if not sum(values) > 0:
        raise RuntimeError(
            f"WeightedRandomSampler: the sum of weights should be positive, but {len(values)} weights "
            f"have the sum {sum(values)}"
        )
    if not replacement and num_samples > len(values):
        raise RuntimeError(
            f"WeightedRandomSampler: num_samples={num_samples} cannot be drawn from {len(values)} weights "
            "without replacement"
        )


def draw(weights, num_samples, replacement, generator):
    """A list of indices of `weights`, of float64.

    Without replacement the largest of weight / (a number of the exponential distribution) are the first ones
    that are drawn one after another (P. Efraimidis and P. Spirakis, Information Processing Letters 97, 2006).
    """
    _check(weights, num_samples, replacement)
    weights = weights.cpu()
    if not replacement or num_samples == 1:
        keys = weights / opweave.empty_like(weights).exponential_(generator=generator)
        return opweave.topk(keys, num_samples).indices.tolist()
    ends = opweave.cumsum(weights, 0).tolist()
    last = next(i for i in reversed(range(len(ends))) if i == 0 or ends[i] > ends[i - 1])
    numbers = opweave.rand([num_samples], dtype=opweave.float64, generator=generator).tolist()
    # A product may be rounded up to the whole sum, where no weight ends: hence the last one with a weight.
    return [min(bisect.bisect_right(ends, x * ends[-1]), last) for x in numbers]

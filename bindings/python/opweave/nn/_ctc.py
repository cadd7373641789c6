"""ctc_loss: how likely a sequence of scores spells a text, whatever the alignment.

Source: A. Graves et al., "Connectionist Temporal Classification", 2006, equations 6 to 8.
"""

import math

from opweave import _C
from opweave._arguments import is_int as _is_int
from opweave._arguments import takes as _takes
from opweave._autocast_functions import computed_in as _computed_in
from opweave._C import _nn_functional as _F
from opweave._every_example import every_example as _every_example
from opweave.functional import where

_NONE = -1e30  # the logarithm of nothing; finite, so that sums of it have gradients


def _lengths(name, lengths, batch, device):
    if not isinstance(lengths, (_C.Tensor, tuple, list)):
        raise TypeError(
            f"ctc_loss(): argument '{name}' must be Tensor or tuple of ints, not {type(lengths).__name__}"
        )
    if not isinstance(lengths, _C.Tensor):
        for i, length in enumerate(lengths):
            if not _is_int(length):
                raise TypeError(
                    f"ctc_loss(): argument '{name}' must be Tensor or tuple of ints, but found element of "
                    f"type {type(length).__name__} at position {i}"
                )
    given = _C.as_tensor(lengths)
    if given.is_floating_point() and given.numel():
        raise RuntimeError(f"{name} must be integral")
    # One for each text, however they are arranged: (1, N) and (N, 1) as well.
    made = given.to(dtype=_C.int64, device=device).reshape(-1)
    if made.numel() != batch:
        raise RuntimeError(
            f"{name} must be of size batch_size: expected {batch}, but got {made.numel()}"
        )
    return made


def _rows(targets, lengths):
    """Targets as (batch, longest), whichever way they are given."""
    if targets.dim() == 2:
        return targets.long()
    longest = int(lengths.max()) if lengths.numel() else 0
    if targets.numel() != int(lengths.sum()):
        raise RuntimeError(
            f"Expected targets to be of size {int(lengths.sum())}, the sum of target_lengths, but got "
            f"{targets.numel()}"
        )
    places = _C.arange(longest, device=targets.device)
    starts = (lengths.cumsum(0) - lengths).unsqueeze(1)
    index = (starts + places).clamp(max=max(targets.numel() - 1, 0))
    if targets.numel() == 0:
        return targets.new_zeros(lengths.numel(), longest, dtype=_C.int64)
    return targets.long()[index]


def _classes(targets, lengths, count, blank):
    """The rows of targets with blanks behind the end of each text: what is there is nobody's class.

    Raises:
        RuntimeError: a class within a text that is none of `count`.
    """
    rows = _rows(targets, lengths)
    beyond = _C.arange(rows.size(1), device=rows.device) >= lengths.unsqueeze(1)
    rows = rows.masked_fill(beyond, blank)
    every = _every_example(rows)
    wrong = every[(every < 0) | (every >= count)]
    if wrong.numel():
        raise RuntimeError(
            f"ctc_loss: expected classes from 0 to {count - 1} in targets within target_lengths, but got "
            f"{wrong[0].item()}"
        )
    return rows


def _check(log_probs, targets, input_lengths, target_lengths, blank):
    if not log_probs.is_floating_point():
        raise RuntimeError(
            f"ctc_loss: log_probs must be of a floating point dtype, but got {log_probs.dtype}"
        )
    if targets.is_floating_point():
        raise RuntimeError(f"ctc_loss: targets must be integers, but got {targets.dtype}")
    if not 0 <= blank < log_probs.size(-1):
        raise RuntimeError(
            f"blank must be in label range: expected 0 to {log_probs.size(-1) - 1}, but got {blank}"
        )
    if targets.dim() not in (1, 2):
        raise RuntimeError(
            f"Expected 1 to 2 dimensions, but got {targets.dim()}-dimensional tensor for argument 'targets'"
        )
    if targets.dim() == 2 and targets.size(0) != log_probs.size(1):
        raise RuntimeError(
            f"Expected tensor to have size {log_probs.size(1)} at dimension 0, but got size "
            f"{targets.size(0)} for argument 'targets'"
        )
    for i, n in enumerate(target_lengths.tolist()):
        if n < 0:
            raise RuntimeError(
                f"Expected target_lengths to have value at least 0, but got value {n} (while checking "
                f"arguments for batch {i})"
            )
    longest = log_probs.size(0)
    for i, n in enumerate(input_lengths.tolist()):
        if n < 0 or n > longest:
            raise RuntimeError(
                f"Expected input_lengths to have value at most {longest}, but got value {n} (while checking "
                f"arguments for batch {i})"
            )
    if targets.dim() == 2:
        for i, n in enumerate(target_lengths.tolist()):
            if n > targets.size(1):
                raise RuntimeError(
                    f"Expected tensor to have size at least {n} at dimension 1, but got size "
                    f"{targets.size(1)} "
                    f"for argument 'targets' (while checking arguments for batch {i})"
                )


def _with_blanks(rows, blank):
    """blank, first, blank, second, …, blank: (batch, 2 * longest + 1); and where a blank may be left out."""
    batch, longest = rows.shape
    labels = rows.new_full((batch, 2 * longest + 1), blank)
    labels[:, 1::2] = rows
    skips = _C.zeros_like(labels, dtype=_C.bool)
    skips[:, 2:] = (labels[:, 2:] != blank) & (labels[:, 2:] != labels[:, :-2])
    return labels, skips


def _shifted(alpha, by):
    return _F.pad(alpha, (by, 0), value=_NONE)[:, : alpha.size(1)]


def _likelihood(log_probs, labels, skips, input_lengths, target_lengths):
    """The logarithm of the sum over all alignments: (batch)."""
    batch = labels.size(0)
    # Of each label at each time: (time, batch, labels).
    emitted = log_probs.gather(2, labels.unsqueeze(0).expand(log_probs.size(0), -1, -1))
    places = _C.arange(labels.size(1), device=labels.device)
    ends = 2 * target_lengths.unsqueeze(1)
    possible = places <= ends
    nothing = emitted.new_full((), _NONE)
    begins = (places < 2) & possible
    # Before the first element of the input: only a text of none is spelt.
    before = where(places == 0, emitted.new_zeros(()), nothing).expand(batch, -1)
    alpha = where(begins, emitted[0], nothing) if emitted.size(0) else before
    alpha = where((input_lengths > 0).unsqueeze(1), alpha, before)
    for t in range(1, emitted.size(0)):
        ways = [alpha, _shifted(alpha, 1), where(skips, _shifted(alpha, 2), nothing)]
        new = _C.stack(ways).logsumexp(0) + emitted[t]
        new = where(possible, new, nothing)
        alpha = where((t < input_lengths).unsqueeze(1), new, alpha)
    last = alpha.gather(1, ends)
    before_last = alpha.gather(1, (ends - 1).clamp(min=0))
    before_last = where(ends > 0, before_last, nothing)
    return _C.cat([last, before_last], 1).logsumexp(1)


@_takes(log_probs="Tensor", targets="Tensor", blank="int", zero_infinity="bool")
@_computed_in("fp32", None)
def ctc_loss(
    log_probs,
    targets,
    input_lengths,
    target_lengths,
    blank=0,
    reduction="mean",
    zero_infinity=False,
):
    """The negative logarithm of the probability of each text.

    Args:
        log_probs: of labels at each time: (T, N, C), or (T, C) for one text; results of log_softmax. As
            PyTorch's, the gradient is that of what it was computed of.
        targets: (N, S), whatever stands behind the end of a text, or all texts one after the other.
        input_lengths, target_lengths: a number for each text, tensors or sequences of ints.
        blank: the label of nothing.
        reduction: "none"; "mean" of the losses divided by their texts' lengths; "sum".
        zero_infinity: whether texts that cannot be spelt have a loss of zero, and no gradient.

    Raises:
        RuntimeError: lengths or labels that do not belong to the sizes.
        TypeError: a sequence of lengths that are no ints.
        ValueError: another reduction.
    """
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if log_probs.dim() not in (2, 3):
        raise RuntimeError(
            f"Expected 3-dimensional tensor, but got {log_probs.dim()}-dimensional tensor for argument "
            "'log_probs'"
        )
    single = log_probs.dim() == 2
    if single:
        log_probs = log_probs.unsqueeze(1)
    batch, device = log_probs.size(1), log_probs.device
    input_lengths = _lengths("input_lengths", input_lengths, batch, device)
    target_lengths = _lengths("target_lengths", target_lengths, batch, device)
    _check(log_probs, targets, input_lengths, target_lengths, blank)
    rows = _classes(targets, target_lengths, log_probs.size(-1), blank)
    labels, skips = _with_blanks(rows, blank)
    loss = -_likelihood(log_probs, labels, skips, input_lengths, target_lengths)
    loss = loss + _total_probability(log_probs, input_lengths)
    loss = _reduce_infinite(loss, zero_infinity)
    if reduction == "mean":
        return (loss / target_lengths.clamp(min=1).to(loss.dtype)).mean()
    if reduction == "sum":
        return loss.sum()
    return loss.squeeze(0) if single else loss


def _total_probability(log_probs, input_lengths):
    """Nothing, whose gradient is that of the normalisation before: as if log_probs came of log_softmax."""
    from opweave import ops  # few programs call operators by name

    times = _C.arange(log_probs.size(0), device=log_probs.device).unsqueeze(1)
    beyond = (times >= input_lengths).unsqueeze(2)
    total = log_probs.masked_fill(beyond, -math.inf).exp().sum((0, 2))
    return ops.with_gradient_of(_C.zeros_like(total), total)


def _reduce_infinite(loss, zero_infinity):
    impossible = loss.detach() > -_NONE / 2
    return loss.masked_fill(impossible, 0.0 if zero_infinity else float("inf"))

"""Losses of alignments, of sets of labels, and of very many classes."""

from collections import namedtuple
from itertools import pairwise

from opweave import _C
from opweave.functional import where
from opweave.nn import functional
from opweave.nn.modules.container import ModuleList, Sequential
from opweave.nn.modules.linear import Linear
from opweave.nn.modules.loss import _Loss
from opweave.nn.modules.module import Module


class CTCLoss(_Loss):
    """How likely a sequence of scores spells a text; see functional.ctc_loss."""

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__(reduction=reduction)
        self.blank, self.zero_infinity = blank, zero_infinity

    def forward(self, log_probs, targets, input_lengths, target_lengths):
        return functional.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )


class MultiLabelMarginLoss(_Loss):
    """How far the scores of labels lie above all others; see functional.multilabel_margin_loss."""

    def forward(self, input, target):
        return functional.multilabel_margin_loss(input, target, reduction=self.reduction)


_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])


class AdaptiveLogSoftmaxWithLoss(Module):
    """Scores of very many classes, rare ones in clusters of their own.

    Source: E. Grave et al., "Efficient softmax approximation for GPUs", 2017.

    Args:
        in_features: of the input.
        n_classes: labels are below; frequent ones first.
        cutoffs: where clusters begin.
        div_value: by how much each cluster's width is less than the one's before.
        head_bias: whether the scores of frequent classes and clusters have a bias.

    Raises:
        ValueError: cutoffs that are not increasing, or outside of the classes.
    """

    def __init__(
        self,
        in_features,
        n_classes,
        cutoffs,
        div_value=4.0,
        head_bias=False,
        device=None,
        dtype=None,
    ):
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        ordered = cutoffs == sorted(set(cutoffs)) and all(int(c) == c for c in cutoffs)
        if not ordered or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                "order, where "
                f"each value is between 1 and n_classes-1, but got {cutoffs}"
            )
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs, self.div_value, self.head_bias = [*cutoffs, n_classes], div_value, head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for i, (low, high) in enumerate(pairwise(self.cutoffs)):
            width = int(in_features // (div_value ** (i + 1)))
            self.tail.append(
                Sequential(
                    Linear(in_features, width, bias=False, **made),
                    Linear(width, high - low, bias=False, **made),
                )
            )

    def reset_parameters(self):
        """Fills all anew."""
        self.head.reset_parameters()
        for narrow, wide in self.tail:
            narrow.reset_parameters()
            wide.reset_parameters()

    def _check(self, input, target):
        if target.dim() not in (0, 1):
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if input.dim() != target.dim() + 1:
            raise RuntimeError(
                f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but found inputs "
                f"with sizes {tuple(input.shape)}."
            )
        if input.shape[:-1] != target.shape:
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if target.numel() and not 0 <= int(target.min()) <= int(target.max()) < self.n_classes:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{int(target.min())}, {int(target.max())}] were found. "
            )

    def forward(self, input, target):
        """(the log probability of each target, the mean loss): input (N, features), target (N)."""
        self._check(input, target)
        rows, labels = (
            (input, target) if target.dim() else (input.unsqueeze(0), target.unsqueeze(0))
        )
        head = functional.log_softmax(self.head(rows), dim=1)
        # In the head: the class itself, or its cluster.
        edges = _C.tensor(self.cutoffs[:-1], device=labels.device)
        clusters = (labels.unsqueeze(1) >= edges).sum(1)
        first = where(clusters == 0, labels, self.shortlist_size + clusters - 1)
        output = head.gather(1, first.unsqueeze(1)).squeeze(1)
        for i, tail in enumerate(self.tail):
            at = (clusters == i + 1).nonzero().squeeze(1)
            if at.numel():
                scores = functional.log_softmax(tail(rows[at]), dim=1)
                own = scores.gather(1, (labels[at] - self.cutoffs[i]).unsqueeze(1)).squeeze(1)
                output = output.index_add(0, at, own)
        loss = (-output).mean()
        return _ASMoutput(output if target.dim() else output.squeeze(0), loss)

    def log_prob(self, input):
        """The log probability of each class: (N, features) to (N, classes)."""
        head = functional.log_softmax(self.head(input), dim=1)
        parts = [head[:, : self.shortlist_size]]
        for i, tail in enumerate(self.tail):
            scores = functional.log_softmax(tail(input), dim=1)
            parts.append(scores + head[:, self.shortlist_size + i].unsqueeze(1))
        return _C.cat(parts, 1)

    def predict(self, input):
        """The likeliest class of each row: (N, features) to (N)."""
        return self.log_prob(input).argmax(1)

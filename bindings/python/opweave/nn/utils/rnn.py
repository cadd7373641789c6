"""Sequences of different lengths in one batch: padded, or packed without padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from opweave import _C
from opweave._arguments import expect_bool
from opweave._C import Tensor
from opweave._recurrent_checks import check_batch_sizes, check_tensors

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class _Fields(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


class PackedSequence(_Fields):
    """The elements of sequences, step by step: `data` (sum of the lengths, *), of which the first
    batch_sizes[0] belong to the first step, one of each sequence, the longest first."""

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Self:
        if batch_sizes is None:
            if not isinstance(data, (list, tuple)) or len(data) != 2:
                raise AssertionError(
                    "PackedSequence: expected data to be a list or tuple of length 2 where batch_sizes is "
                    f"not given, but got {type(data).__name__}"
                )
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        check_tensors("PackedSequence", batch_sizes=batch_sizes)
        if not _C._is_host(batch_sizes.device):
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created "
                "manually. They should be instantiated by functions like pack_sequence and "
                "pack_padded_sequences in nn.utils.rnn."
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    # Not above, which load() calls as well: elements of what an old file holds are read after that.
    def __init__(
        self,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> None:
        check_batch_sizes("PackedSequence", self.batch_sizes)

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """With the data converted as Tensor.to() does, and the indices on its device."""
        return self._with(self.data.to(*args, **kwargs))

    def _with(self, data):
        if data is self.data:
            return self
        moved = [
            None if i is None else i.to(data.device)
            for i in (self.sorted_indices, self.unsorted_indices)
        ]
        return type(self)(data, self.batch_sizes, *moved)

    def cpu(self) -> Self:
        """On the CPU."""
        return self._with(self.data.cpu())

    def cuda(self, *args: Any, **kwargs: Any) -> Self:
        """On a CUDA device."""
        return self.to("cuda", *args, **kwargs)

    def double(self) -> Self:
        """As float64; float(), half(), long(), int(), short(), char() and byte() are alike."""
        return self._with(self.data.double())

    def float(self) -> Self:
        return self._with(self.data.float())

    def half(self) -> Self:
        return self._with(self.data.half())

    def long(self) -> Self:
        return self._with(self.data.long())

    def int(self) -> Self:
        return self._with(self.data.int())

    def short(self) -> Self:
        return self._with(self.data.short())

    def char(self) -> Self:
        return self._with(self.data.char())

    def byte(self) -> Self:
        return self._with(self.data.byte())

    def pin_memory(self) -> Self:
        """With the data in pinned memory."""
        return self._with(self.data.pin_memory())

    def is_pinned(self) -> bool:
        """Whether the data is in pinned memory."""
        return self.data.is_pinned()

    @property
    def is_cuda(self) -> bool:
        """Whether the data is on a CUDA device."""
        return self.data.is_cuda


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation that undoes one; None of None.

    Raises:
        RuntimeError: something comes twice (on the CPU; elsewhere it is not looked at).
    """
    if permutation is None:
        return None
    check_tensors("invert_permutation", permutation=permutation)
    places = _C.arange(permutation.numel(), device=permutation.device)
    inverse = _C.full_like(permutation, -1).scatter_(0, permutation, places)
    if _C._is_host(permutation.device) and (inverse < 0).any():
        raise RuntimeError(
            f"invert_permutation(): expected each index up to {permutation.numel() - 1} once, but "
            f"{int((inverse < 0).nonzero()[0])} is missing"
        )
    return inverse


def _mask(lengths, steps):
    """(T, N): which steps a sequence has."""
    return _C.arange(steps).unsqueeze(1) < lengths.unsqueeze(0)


def _checked_lengths(lengths, batch, steps):
    if not _C._is_host(lengths.device):
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got a tensor on {lengths.device}"
        )
    if lengths.dim() != 1:
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got a tensor of {lengths.dim()} "
            "dimensions"
        )
    if batch == 0 or steps == 0:
        raise RuntimeError(
            f"Cannot pack empty tensors: the input has {steps} steps of {batch} sequences"
        )
    if lengths.numel() != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {lengths.numel()} "
            f"(batch_size={batch})"
        )
    if int(lengths.min()) <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if int(lengths.max()) > steps:
        raise RuntimeError(
            f"Expected lengths of at most {steps}, the steps of the input, but got {int(lengths.max())}"
        )


def pack_padded_sequence(
    input: Tensor,
    lengths: Tensor | list[int],
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Leaves out the padding of a batch (T, N, *), or (N, T, *) with batch_first.

    Args:
        input: padded sequences.
        lengths: the length of each, as a list or a tensor on the CPU.
        batch_first: whether sequences are the first dimension.
        enforce_sorted: whether the lengths have to fall; otherwise the sequences are sorted, and the result
            remembers how.

    Raises:
        RuntimeError: lengths that do not fit the input, or do not fall.
    """
    check_tensors("pack_padded_sequence", input=input)
    expect_bool("pack_padded_sequence", "batch_first", batch_first)
    if input.dim() < 2:
        raise RuntimeError(
            f"pack_padded_sequence(): expected an input of at least 2 dimensions, steps and sequences, but "
            f"got {list(input.shape)}"
        )
    lengths = _C.as_tensor(lengths, dtype=_C.int64)
    sorted_indices = None
    if not enforce_sorted and lengths.dim() == 1:
        lengths, sorted_indices = _C.sort(lengths, descending=True)
        sorted_indices = sorted_indices.to(input.device)
        input = input.index_select(0 if batch_first else 1, sorted_indices)
    steps = input.transpose(0, 1) if batch_first else input
    _checked_lengths(lengths, steps.size(1), steps.size(0))
    if bool((lengths[1:] > lengths[:-1]).any()):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
            "requirement if you do not need ONNX exportability."
        )
    mask = _mask(lengths, int(lengths[0]))
    data = steps[: mask.size(0)][mask.to(input.device)]
    return PackedSequence(data, mask.sum(1), sorted_indices)


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """The batch (T, N, *) of a packed one, padded, and the lengths.

    Raises:
        TypeError: it is no packed batch.
        ValueError: total_length is less than the longest sequence.
        RuntimeError: batch sizes that are not those of the data.
    """
    if not isinstance(sequence, tuple) or not hasattr(sequence, "batch_sizes"):
        raise TypeError(
            "pad_packed_sequence(): argument 'sequence' must be PackedSequence, not "
            f"{type(sequence).__name__}"
        )
    data, sizes, _, unsorted = sequence
    if data.dim() == 0:
        raise RuntimeError("pad_packed_sequence(): expected data of elements, but got a number")
    if sizes.numel() == 0:
        raise RuntimeError("pad_packed_sequence(): batch_sizes can not be empty")
    check_batch_sizes("pad_packed_sequence", sizes, data.size(0))
    longest = sizes.size(0)
    if total_length is not None and total_length < longest:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {longest}"
        )
    batch = int(sizes[0])
    mask = _C.arange(batch).unsqueeze(0) < sizes.unsqueeze(1)
    steps = longest if total_length is None else total_length
    full = data.new_full((steps, batch, *data.shape[1:]), padding_value)
    padded = full.index_put(mask.nonzero(as_tuple=True), data) if len(data) else full
    lengths = mask.sum(0)
    if unsorted is not None:
        padded, lengths = padded.index_select(1, unsorted), lengths[unsorted.cpu()]
    return (padded.transpose(0, 1) if batch_first else padded), lengths


def pad_sequence(
    sequences: Tensor | Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Tensors (L, *) of different L as one (T, N, *), or (N, T, *) with batch_first.

    Those after the first are broadcast to its width, and converted to its dtype.

    Raises:
        TypeError: an element is no tensor.
        RuntimeError: none is given, or one without a length, or widths that do not broadcast.
    """
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side!r}."
        )
    if isinstance(sequences, _C.Tensor):
        sequences = sequences.unbind(0)
    elif not hasattr(sequences, "__iter__"):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    expect_bool("pad_sequence", "batch_first", batch_first)
    sequences = tuple(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    for i, s in enumerate(sequences):
        if not isinstance(s, _C.Tensor):
            raise TypeError(
                f"pad_sequence: expected Tensor as element {i} in sequences, but got {type(s).__name__}"
            )
        if s.dim() == 0:
            raise RuntimeError(
                f"pad_sequence: expected sequences of at least one dimension, but element {i} is a number"
            )
    longest = max(s.size(0) for s in sequences)
    like = sequences[0]
    rows = [
        _padded(_as_wide(i, s, like), longest - s.size(0), padding_value, padding_side)
        for i, s in enumerate(sequences)
    ]
    return _C.stack(rows, 0 if batch_first else 1)


def _as_wide(i, sequence, like):
    """What is written to the rows of a batch that are as wide as the first sequence, of its dtype."""
    wide = (sequence.size(0), *like.shape[1:])
    if sequence.shape != wide:
        try:
            sequence = sequence.expand(wide)
        except RuntimeError:
            raise RuntimeError(
                f"pad_sequence: expected element {i} of shape {list(sequence.shape)} to be as wide as the "
                f"first, or to broadcast to it: {list(wide)}"
            ) from None
    return sequence.to(like.dtype)


def _padded(sequence, missing, value, side):
    if missing == 0:
        return sequence
    fill = sequence.new_full((missing, *sequence.shape[1:]), value)
    return _C.cat([sequence, fill] if side == "right" else [fill, sequence])


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """The sequences of a padded batch, in a list.

    Raises:
        ValueError: another number of lengths than of sequences.
        RuntimeError: no dimension of sequences.
    """
    check_tensors("unpad_sequence", padded_sequences=padded_sequences)
    if padded_sequences.dim() < 2:
        raise RuntimeError(
            "unpad_sequence(): expected at least 2 dimensions, steps and sequences, but got "
            f"{list(padded_sequences.shape)}"
        )
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    if not isinstance(lengths, (_C.Tensor, list, tuple)):
        raise TypeError(
            f"unpad_sequence(): argument 'lengths' must be Tensor, not {type(lengths).__name__}"
        )
    if len(lengths) != rows.size(0):
        raise ValueError(
            f"unpad_sequence(): expected a length for each of {rows.size(0)} sequences, but got "
            f"{len(lengths)}"
        )
    # Copies, as in PyTorch: who writes to them leaves the batch as it is.
    return [row[: int(n)].clone() for row, n in zip(rows.unbind(0), lengths, strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """A packed batch of tensors (L, *) of different L."""
    padded = pad_sequence(sequences)
    lengths = _C.as_tensor([s.size(0) for s in sequences])
    return pack_padded_sequence(padded, lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The sequences of a packed batch, in a list."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)

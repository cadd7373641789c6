"""PyTorch's functions by the module from which copies of its recurrent layers call them: `_VF.lstm(...)`."""

import sys

from opweave import _C
from opweave.nn.utils import rnn as _rnn


def _pack_padded_sequence(input, lengths, batch_first):
    """The data and the batch sizes of sequences, of which the longest is first."""
    packed = _rnn.pack_padded_sequence(input, lengths, batch_first)
    return packed.data, packed.batch_sizes


def _pad_packed_sequence(data, batch_sizes, batch_first, padding_value, total_length):
    """The sequences, padded, and their lengths."""
    packed = _rnn.PackedSequence(data, batch_sizes)
    length = None if total_length <= 0 else total_length
    return _rnn.pad_packed_sequence(packed, batch_first, padding_value, length)


def __getattr__(name):
    # The package: most are names that it gives of modules of all kinds.
    for owner in (sys.modules["opweave"], _C):
        found = getattr(owner, name, None)
        if callable(found) and not isinstance(found, type):
            return found
    raise AttributeError(f"module 'opweave._VF' has no attribute '{name}'")

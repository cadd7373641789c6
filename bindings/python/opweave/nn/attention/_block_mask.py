"""Which blocks of queries and keys see one another: BlockMask, after torch.nn.attention.flex_attention."""

import math
from numbers import Integral

from opweave import _C
from opweave.functional import where
from opweave.nn.modules.utils import _pair

# The block of a mask that nobody asked for: the whole of both sequences.
LARGE_BLOCK = 1 << 30

_KEYS = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices")
_QUERIES = ("q_num_blocks", "q_indices", "full_q_num_blocks", "full_q_indices")


def blocks_of(length, block):
    """How many blocks hold a sequence."""
    return -(-length // block)


def noop_mask(batch, head, token_q, token_kv):
    """The mask by which every query sees every key."""
    return batch.new_ones((), dtype=_C.bool)


def sliced_mask(batch, head, token_q, token_kv):
    """The mask of a part of a BlockMask, whose positions are no longer those of the whole: raises."""
    raise RuntimeError(
        "Cannot use mask_mod from a sliced BlockMask. When you slice a BlockMask using [], the mask_mod "
        "attribute is reset. You must set it from the original BlockMask's mask_mod."
    )


def listed(dense):
    """How many blocks of each row are set, and their columns, in front of those that are not."""
    dense = dense.to(_C.int32)
    columns = _C.argsort(dense, dim=-1, descending=True, stable=True)
    return dense.sum(-1).to(_C.int32), columns.to(_C.int32).contiguous()


def _is_listed(counts, columns):
    """Of each row's columns, whether they are among those that are set."""
    return _C.arange(columns.size(-1), device=columns.device) < counts.unsqueeze(-1)


def dense_of(counts, columns, width):
    """The opposite of listed(): 1 for each of `width` blocks of a row that is listed."""
    # What is not listed is written behind the row.
    places = where(_is_listed(counts, columns), columns, width).long()
    dense = columns.new_zeros(*columns.shape[:-1], width + 1)
    return dense.scatter_(-1, places, 1)[..., :width].contiguous()


def _seen_from_keys(counts, columns, width):
    if counts is None:
        return None, None
    return listed(dense_of(counts, columns, width).transpose(-2, -1))


def _cropped(counts, columns, rows, width):
    if counts is None:
        return None, None
    columns, counts = columns[:, :, :rows, :width], counts[:, :, :rows]
    stay = _is_listed(counts, columns) & (columns < width)
    return stay.sum(-1).to(_C.int32), columns


def _kept(index, size):
    """An index whose dimension stays: a slice of one for a number."""
    if not isinstance(index, Integral):
        return index
    first = index % size if -size <= index < 0 else index
    return slice(first, first + 1)


class BlockMask:
    """Which blocks of keys each block of queries sees, in whole ("full") or in part, and the function that
    decides within those. create_block_mask() makes one.

    Attributes:
        seq_lengths: how many queries and keys there are.
        BLOCK_SIZE: how many of each are a block.
        mask_mod: of (batch, head, query, key): whether the query sees the key.
        kv_num_blocks, kv_indices: how many blocks of keys each block of queries sees in part, and which;
            full_kv_num_blocks and full_kv_indices those seen as a whole; q_num_blocks and so on the same
            seen from the keys.
    """

    def __init__(self, seq_lengths, *, BLOCK_SIZE, mask_mod, **blocks):  # noqa: N803 - PyTorch's name
        self.seq_lengths = seq_lengths
        self.BLOCK_SIZE = BLOCK_SIZE
        self.mask_mod = mask_mod
        for name in (*_KEYS, *_QUERIES):
            setattr(self, name, blocks.get(name))

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks,
        kv_indices,
        full_kv_num_blocks=None,
        full_kv_indices=None,
        BLOCK_SIZE=128,  # noqa: N803
        mask_mod=None,
        seq_lengths=None,
        compute_q_blocks=True,
    ):
        """The mask of lists of blocks.

        Raises:
            RuntimeError: indices of fewer than two dimensions.
            AssertionError: numbers of full blocks without their indices, or the opposite.
        """
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError(
                "full_kv_num_blocks and full_kv_indices must be both provided or omitted"
            )
        block = _pair(BLOCK_SIZE)
        if seq_lengths is None:
            seq_lengths = tuple(n * b for n, b in zip(kv_indices.shape[-2:], block))
        blocks = dict(zip(_KEYS, (kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)))
        if compute_q_blocks:
            width = blocks_of(seq_lengths[1], block[1])
            partial = _seen_from_keys(kv_num_blocks, kv_indices, width)
            full = _seen_from_keys(full_kv_num_blocks, full_kv_indices, width)
            blocks.update(zip(_QUERIES, (*partial, *full)))
        mask_mod = noop_mask if mask_mod is None else mask_mod
        return cls(seq_lengths, BLOCK_SIZE=block, mask_mod=mask_mod, **blocks)

    def as_tuple(self, flatten=True):
        """All attributes, in PyTorch's order; the four that its kernels write by are None."""
        lengths, block = (
            (tuple(self.seq_lengths), tuple(self.BLOCK_SIZE))
            if flatten
            else ((self.seq_lengths,), (self.BLOCK_SIZE,))
        )
        tensors = (getattr(self, name) for name in (*_KEYS, *_QUERIES))
        return (*lengths, *tensors, None, None, None, None, *block, self.mask_mod)

    @property
    def shape(self):
        """(batch, heads, queries, keys)"""
        return tuple(self.kv_indices.shape[:-2]) + tuple(self.seq_lengths)

    def numel(self):
        """How many elements the whole mask would have."""
        return math.prod(self.shape)

    def sparsity(self):
        """How many of 100 blocks nobody sees."""
        all_blocks = math.prod(self.kv_num_blocks.shape[:-1]) * math.prod(
            blocks_of(n, b) for n, b in zip(self.seq_lengths, self.BLOCK_SIZE)
        )
        seen = self.kv_num_blocks.sum()
        if self.full_kv_num_blocks is not None:
            seen = seen + self.full_kv_num_blocks.sum()
        return 100 * (1 - seen.item() / all_blocks)

    def to_dense(self):
        """1 for each block that is seen, in whole or in part."""
        dense = dense_of(self.kv_num_blocks, self.kv_indices, self.kv_indices.size(-1))
        if self.full_kv_num_blocks is None:
            return dense
        width = self.full_kv_indices.size(-1)
        return dense | dense_of(self.full_kv_num_blocks, self.full_kv_indices, width)

    def to(self, device):
        """The same on another device."""
        tensors = {name: getattr(self, name) for name in (*_KEYS, *_QUERIES)}
        moved = {name: t if t is None else t.to(device) for name, t in tensors.items()}
        return BlockMask(
            self.seq_lengths, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod, **moved
        )

    def _of_blocks(self, blocks, mask_mod, lengths):
        return BlockMask.from_kv_blocks(
            *blocks,
            BLOCK_SIZE=self.BLOCK_SIZE,
            mask_mod=mask_mod,
            seq_lengths=lengths,
            compute_q_blocks=self.q_indices is not None,
        )

    def _adjust(self, new_q_len, new_kv_len):
        """The upper left corner, for shorter sequences."""
        rows = blocks_of(new_q_len, self.BLOCK_SIZE[0])
        width = blocks_of(new_kv_len, self.BLOCK_SIZE[1])
        partial = _cropped(self.kv_num_blocks, self.kv_indices, rows, width)
        full = _cropped(self.full_kv_num_blocks, self.full_kv_indices, rows, width)
        return self._of_blocks((*partial, *full), self.mask_mod, (new_q_len, new_kv_len))

    def _queries_of(self, rows, count):
        """How many queries the chosen rows of blocks have: the last block may be short."""
        block, length = self.BLOCK_SIZE[0], self.seq_lengths[0]
        if not isinstance(rows, slice):
            return count * block
        chosen = range(self.kv_num_blocks.size(-1))[rows]
        return sum(max(0, min(block, length - row * block)) for row in chosen)

    def __getitem__(self, index):
        """The mask of some batches, heads and rows of blocks; all three dimensions stay. Its mask_mod has to
        be set anew.

        Raises:
            IndexError: more than three indices.
        """
        index = index if isinstance(index, tuple) else (index,)
        if len(index) > 3:
            raise IndexError("BlockMask indexing supports batch, head, and Q-block dimensions")
        padded = (*index, slice(None), slice(None), slice(None))[:3]
        index = tuple(map(_kept, padded, self.kv_num_blocks.shape))
        blocks = [getattr(self, name) for name in _KEYS]
        blocks = [b if b is None else b[index] for b in blocks]
        queries = self._queries_of(index[2], blocks[1].size(-2))
        return self._of_blocks(blocks, sliced_mask, (queries, self.seq_lengths[1]))

    def __repr__(self):
        shapes = "".join(
            f"    {name}={None if (t := getattr(self, name)) is None else t.shape},\n"
            for name in (*_KEYS, *_QUERIES)
        )
        return (
            f"BlockMask(\n{shapes}    BLOCK_SIZE={self.BLOCK_SIZE},\n    shape={self.shape},\n"
            f"    sparsity={self.sparsity():.2f}%,\n"
            f"    mask_mod={getattr(self.mask_mod, '__name__', self.mask_mod)}\n)"
        )

    def __str__(self):
        head = f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n"
        return f"{head}{self.to_string().strip()}\n)"

    def to_string(self, grid_size=(20, 20), limit=4):
        """A picture: a dark field is seen, a light one in part.

        Args:
            grid_size: how many rows and columns the picture has at most.
            limit: how many pictures of batches and heads there are at most.
        """
        dense = self.to_dense()
        rows, width = dense.shape[-2:]
        sizes = _pair(grid_size)
        steps = [max(1, blocks_of(n, most)) for n, most in zip((rows, width), sizes)]
        batches = [tuple(index.tolist()) for index in _C.ones(dense.shape[:-2]).nonzero()]
        drawn = [f"{i}\n{_picture(dense[i], *steps)}" for i in batches[:limit]]
        if len(batches) > limit:
            drawn += [
                "...",
                "To print out more, set BlockMask.to_string(limit=N)",
                "You can also index (BlockMask[batch, head]) to choose a specific batch or head",
            ]
        return "\n".join(drawn)


def _picture(dense, row_step, column_step):
    lines = []
    for row in range(0, dense.size(0), row_step):
        fields = (
            dense[row : row + row_step, column : column + column_step].float().mean().item()
            for column in range(0, dense.size(1), column_step)
        )
        lines.append("".join(2 * ("█" if f == 1 else " " if f == 0 else "░") for f in fields))
    return "\n".join(lines) + "\n"

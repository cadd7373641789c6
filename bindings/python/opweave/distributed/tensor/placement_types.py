"""What each rank along a dimension of a mesh has of a tensor: a part, all of it, or a term of a sum."""

from __future__ import annotations

import dataclasses

__all__ = ["Partial", "Placement", "Replicate", "Shard"]


class Placement:
    """The base of them; they are values: equal ones are interchangeable."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each rank has a part, along `dim` if one is given."""
        return False

    def is_replicate(self) -> bool:
        """Whether each rank has all of it."""
        return False

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether what the ranks have is to be reduced, by `reduce_op` if one is given."""
        return False


@dataclasses.dataclass(frozen=True)
class Shard(Placement):
    """Each rank has a part of one dimension: as chunk() cuts it, the last ranks may have less or nothing.

    Args:
        dim: of the tensor; negative ones count from the end.

    Raises:
        TypeError: it is no int.
    """

    dim: int

    def __post_init__(self):
        """Checks it."""
        if not isinstance(self.dim, int) or isinstance(self.dim, bool):
            raise TypeError(f"Shard(): argument 'dim' must be int, not {type(self.dim).__name__}")

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether the part is one along `dim`."""
        return dim is None or dim == self.dim

    @staticmethod
    def local_shard_size_and_offset(
        curr_local_size: int, num_chunks: int, rank: int
    ) -> tuple[int, int]:
        """How long a rank's part of a dimension is, and where it begins: (size, offset).

        Args:
            curr_local_size: of the dimension.
            num_chunks: over how many ranks.
            rank: the one that is asked for.
        """
        longest = -(-curr_local_size // num_chunks)
        offset = min(longest * rank, curr_local_size)
        return min(longest, curr_local_size - offset), offset

    def __str__(self):
        """S(dim)"""
        return f"S({self.dim})"


@dataclasses.dataclass(frozen=True)
class Replicate(Placement):
    """Each rank has all of it."""

    def is_replicate(self) -> bool:
        """True."""
        return True

    def __str__(self):
        """R"""
        return "R"


@dataclasses.dataclass(frozen=True, repr=False)
class Partial(Placement):
    """Each rank has a tensor of the whole's shape, and the whole is their reduction.

    Args:
        reduce_op: "sum", "avg", "product", "min", "max" and others that a process group knows.
    """

    reduce_op: str = "sum"

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether the reduction is `reduce_op`."""
        return reduce_op is None or reduce_op == self.reduce_op

    def __repr__(self):
        """Partial(sum)"""
        return f"Partial({self.reduce_op})"

    def __str__(self):
        """P(sum)"""
        return f"P({self.reduce_op})"

"""How tensors lie on meshes: values of placements, and the parts that ranks have against chunk()."""

import itertools

import opweave as ow
import pytest
from opweave.distributed.tensor import Partial, Placement, Replicate, Shard
from opweave.distributed.tensor._utils import compute_local_shape_and_global_offset as local_part


class Mesh:
    """What is asked of a DeviceMesh."""

    def __init__(self, sizes, place):
        self.sizes, self.place = sizes, place

    def size(self, dim):
        return self.sizes[dim]

    def get_coordinate(self):
        return self.place


def test_placements_are_values():
    assert Shard(1) == Shard(dim=1) != Shard(0)
    assert {Replicate(): 1}[Replicate()] == 1
    assert Partial() == Partial("sum") != Partial("avg")
    assert [repr(p) for p in (Shard(0), Replicate(), Partial("avg"))] == [
        "Shard(dim=0)",
        "Replicate()",
        "Partial(avg)",
    ]
    assert [str(p) for p in (Shard(0), Replicate(), Partial())] == ["S(0)", "R", "P(sum)"]
    questions = [
        (p.is_shard(), p.is_shard(0), p.is_replicate(), p.is_partial(), p.is_partial("sum"))
        for p in (Shard(0), Shard(-1), Replicate(), Partial(), Partial("avg"))
    ]
    assert questions == [
        (True, True, False, False, False),
        (True, False, False, False, False),
        (False, False, True, False, False),
        (False, False, False, True, True),
        (False, False, False, True, False),
    ]
    assert all(isinstance(p, Placement) for p in (Shard(0), Replicate(), Partial()))
    with pytest.raises(TypeError, match=r"^Shard\(\): argument 'dim' must be int, not str$"):
        Shard("a")


@pytest.mark.parametrize("size", [0, 1, 3, 7, 12])
@pytest.mark.parametrize("ranks", [1, 2, 4, 5])
def test_parts_are_those_of_chunk(size, ranks):
    chunks = [c.tolist() for c in ow.arange(size).chunk(ranks)] if size else []
    chunks += [[]] * (ranks - len(chunks))
    for rank in range(ranks):
        length, begin = Shard.local_shard_size_and_offset(size, ranks, rank)
        assert list(range(begin, begin + length)) == chunks[rank]


@pytest.mark.parametrize(
    "placements",
    [(Shard(0), Shard(1)), (Shard(1), Shard(0)), (Shard(0), Shard(0)), (Shard(-1), Shard(1))],
)
def test_the_parts_of_all_ranks_are_the_whole(placements):
    shape, sizes = (7, 5), (2, 3)
    seen = ow.zeros(shape)
    for place in itertools.product(*map(range, sizes)):
        part, offset = local_part(shape, Mesh(sizes, place), placements)
        rows, columns = (slice(o, o + n) for o, n in zip(offset, part, strict=True))
        seen[rows, columns] += 1
        assert local_part(shape, Mesh(sizes, place), placements, skip_offset=True) == (part, ())
    assert (seen == 1).all()


def test_replicas_and_ranks_outside():
    assert local_part((4, 3), Mesh((2, 2), (1, 0)), (Replicate(), Partial())) == ((4, 3), (0, 0))
    assert local_part((4, 3), Mesh((2,), None), (Shard(0),)) == ((0,), ())
    assert local_part((1, 3), Mesh((2,), (1,)), (Shard(0),)) == ((0, 3), (1, 0))

"""What is no tensor, in the place of one: functions that are written in Python say so as operators do."""

import pytest

CALLS = {
    "segment_reduce": lambda ow, x, bad: ow.segment_reduce(bad, "sum", lengths=ow.tensor([2])),
    "segment_reduce: lengths": lambda ow, x, bad: ow.segment_reduce(x, "sum", lengths=bad),
    "segment_reduce: offsets": lambda ow, x, bad: ow.segment_reduce(x, "sum", offsets=bad),
    "unsafe_chunk": lambda ow, x, bad: ow.unsafe_chunk(bad, 2),
    "unsafe_split": lambda ow, x, bad: ow.unsafe_split(bad, 1),
    "unsafe_split_with_sizes": lambda ow, x, bad: ow.unsafe_split_with_sizes(bad, [1, 1]),
    "as_strided_scatter": lambda ow, x, bad: ow.as_strided_scatter(bad, x, (2,), (1,)),
    "as_strided_scatter: src": lambda ow, x, bad: ow.as_strided_scatter(x, bad, (2,), (1,)),
    "narrow_copy": lambda ow, x, bad: ow.narrow_copy(bad, 0, 0, 1),
    "nonzero_static": lambda ow, x, bad: ow.nonzero_static(bad, size=1),
    "slice_inverse": lambda ow, x, bad: ow.slice_inverse(bad, x),
    "linalg.norm": lambda ow, x, bad: ow.linalg.norm(bad),
    "embedding_bag": lambda ow, x, bad: ow.nn.functional.embedding_bag(bad, x, ow.tensor([0])),
    "embedding_bag: weight": lambda ow, x, bad: ow.nn.functional.embedding_bag(
        ow.tensor([0]), bad, ow.tensor([0])
    ),
}


@pytest.mark.parametrize("bad", [3, 2.5, "x", [1.0, 2.0]], ids=repr)
@pytest.mark.parametrize("name", CALLS)
def test_what_is_no_tensor(ow, name, bad):
    with pytest.raises(TypeError, match="must be Tensor, not"):
        CALLS[name](ow, ow.tensor([1.0, 2.0]), bad)

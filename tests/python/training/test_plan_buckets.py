"""The buckets that a plan counts with."""

import pytest
from opweave.distributed.plan.step import buckets

MIB = 2**20


def test_buckets_are_those_of_the_reducer():
    """Of two dtypes, each of which has buckets of its own: as a model with these parameters has them."""
    gradients = [(MIB, 0.1, "float32"), (MIB // 2, 0.2, "float16"), (MIB, 0.3, "float32")]
    gradients += [(MIB // 2, 0.4, "float16"), (3 * MIB, 0.5, "float32"), (MIB, 0.6, "float32")]
    assert buckets(gradients, MIB, 4 * MIB) == [
        (MIB, 0.1),
        (MIB, 0.4),
        (4 * MIB, 0.5),
        (MIB, 0.6),
    ]
    assert buckets([], MIB, MIB) == []
    with pytest.raises(
        TypeError, match=r"^buckets: gradients: expected \(bytes, seconds, \.\.\.\)"
    ):
        buckets([(4,)], MIB, MIB)

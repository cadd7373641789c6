"""Results that have no gradient and depend on arguments: each with its reason."""

from constant_results import without_gradient
from operators import OPERATORS

STATISTICS = "statistics for the backward pass, which PyTorch does not differentiate either"
KNOWN = {
    "native_batch_norm": ([1, 2], STATISTICS),
    "native_layer_norm": ([1, 2], STATISTICS),
}


def test_what_loses_gradients_is_known():
    found = {o.full_name: numbers for o in OPERATORS if (numbers := without_gradient(o))}
    assert found == {name: numbers for name, (numbers, _) in KNOWN.items()}

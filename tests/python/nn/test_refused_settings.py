"""Settings of layers that no layer can have, as PyTorch refuses them."""

import opweave as ow
import pytest


@pytest.mark.parametrize(("low", "high"), [(2, 1), (1, 1), (float("nan"), 1)])
def test_hardtanh_without_an_interval(low, high):
    with pytest.raises(
        AssertionError, match=rf"max_val \({high}\) must be greater than min_val \({low}\)"
    ):
        ow.nn.Hardtanh(low, high)
    assert repr(ow.nn.Hardtanh(-2, 2)) == "Hardtanh(min_val=-2, max_val=2)"


@pytest.mark.parametrize("size", [0, -1])
def test_local_response_norm_of_no_channels(size):
    with pytest.raises(RuntimeError, match=f"size, .* should be greater than zero, but got {size}"):
        ow.nn.LocalResponseNorm(size)(ow.ones(1, 2, 2))


def test_a_vector_of_no_parameters():
    with pytest.raises(ValueError, match="expected at least one parameter, got none"):
        ow.nn.utils.parameters_to_vector([])


def test_draws_of_no_weights():
    for weights in (ow.empty(0), ow.empty(2, 0)):
        with pytest.raises(
            RuntimeError, match="cannot sample from no weights: prob_dist has the shape"
        ):
            ow.multinomial(weights, 1, True)
    assert ow.multinomial(ow.empty(0, 2), 1, True).shape == (0, 1)


@pytest.mark.parametrize("layer", [ow.nn.LPPool1d, ow.nn.LPPool2d, ow.nn.LPPool3d])
def test_pooling_by_no_norm(layer):
    with pytest.raises(ValueError, match="norm_type must be a non-zero value, but got 0"):
        layer(0, 2)

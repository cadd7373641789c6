"""Functions that check elements, or go on until they have them all, of tensors that have none to look at."""

import pytest

CALLS = {
    "gcd": lambda ow, a: ow.gcd(a.long(), a.int()[0]),
    "lcm": lambda ow, a: ow.lcm(a.long(), a.long()),
    "quantile": lambda ow, a: ow.quantile(a, a[0], 1),
    "nanquantile": lambda ow, a: ow.nanquantile(a, 0.5, 0, True),
    "cov": lambda ow, a: ow.cov(a, fweights=a[0].ceil().long()),
    "corrcoef": lambda ow, a: ow.corrcoef(a),
    "binary_cross_entropy": lambda ow, a: ow.nn.functional.binary_cross_entropy(a, a),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_as_of_others(ow, name):
    numbers = ow.tensor([[0.25, 0.5, 1.0], [0.75, 0.0, 0.5]])
    real, without = CALLS[name](ow, numbers), CALLS[name](ow, numbers.to("meta"))
    assert without.is_meta
    assert (without.shape, without.dtype, without.stride()) == (
        real.shape,
        real.dtype,
        real.stride(),
    )

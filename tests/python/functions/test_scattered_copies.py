"""Copies of which a part is written: of examples under vmap, and of tensors that have gaps in memory."""

import pytest

CALLS = {
    "select_scatter": lambda ow, a, s: ow.select_scatter(a, s[0], 0, 1),
    "slice_scatter": lambda ow, a, s: ow.slice_scatter(a, s[:1], 0, 2, 3),
    "diagonal_scatter": lambda ow, a, s: ow.diagonal_scatter(a, s[:, 0]),
}


@pytest.mark.parametrize("name", CALLS)
def test_each_example_gets_its_own(ow, name):
    call, a = CALLS[name], ow.arange(24.0).reshape(2, 3, 4)
    for batch in (a, a.mT.contiguous().mT, ow.arange(48.0).reshape(2, 3, 8)[..., ::2]):
        found = ow.vmap(lambda x, s: call(ow, x, s))(batch, -a)
        one_by_one = ow.stack([call(ow, x, -s) for x, s in zip(batch, a, strict=True)])
        assert ow.equal(found, one_by_one)


@pytest.mark.parametrize("name", CALLS)
def test_gaps_stay(ow, name):
    gapped = ow.arange(24.0).reshape(3, 8)[:, ::2]
    found = CALLS[name](ow, gapped, -gapped)
    assert found.stride() == gapped.stride() == (8, 2)
    assert ow.equal(found, CALLS[name](ow, gapped.contiguous(), -gapped))

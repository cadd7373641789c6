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


def test_a_view_that_memory_does_not_have_is_copied_all_the_same(ow):
    x = ow.arange(6.0).reshape(2, 3)
    assert ow.view_copy(x.t(), (6,)).tolist() == [0, 3, 1, 4, 2, 5]
    assert ow.view_copy(x.t(), size=[2, 3]).tolist() == [[0, 3, 1], [4, 2, 5]]
    assert ow.view_copy(x.t(), (6,), out=(out := ow.empty(0))) is out
    assert out.tolist() == [0, 3, 1, 4, 2, 5]
    assert ow.view_copy(x, ow.int32).shape == (2, 3)
    with pytest.raises(RuntimeError, match=r"shape '\[7\]' is invalid for input of size 6"):
        ow.view_copy(x.t(), (7,))
    with pytest.raises(TypeError, match=r"^view_copy\(\)"):
        ow.view_copy(x)

"""What an operator says about its result without data is true of the real one."""

import opweave as ow
import pytest
from calls import mapped
from cases import cases


def _without_data(t):
    return ow.empty_strided(t.shape, t.stride(), dtype=t.dtype, device="meta")


def _described(results):
    return [
        (tuple(r.shape), r.dtype, r.stride()) if isinstance(r, ow.Tensor) else r for r in results
    ]


def _on_meta(case):
    values = mapped(ow, _without_data, case.values())
    if "device" in {a.name for a in case.operator.arguments}:
        values["device"] = "meta"
    return case.results(values)


@pytest.mark.parametrize("case", cases("meta", lambda c: "data_dependent" not in c.operator.tags))
def test_meta(case):
    """The same shapes, dtypes and strides; or the name of an operator whose elements decide."""
    wanted = case.results(case.fresh(case.values()))
    found, refusal = None, ""
    try:
        found = _on_meta(case)
    except NotImplementedError as error:
        refusal = str(error)
    if refusal:  # every operator runs there, or its entry says `result: data`
        assert "on the 'meta' target: what it gives depends on elements" in refusal
        return
    assert all(r.device.type == "meta" for r in found if isinstance(r, ow.Tensor))
    assert _described(found) == _described(wanted)


def test_out_is_checked_without_elements():
    a, b = ow.ones(2, 3, device="meta"), ow.ones(3, 2, device="meta")
    with pytest.raises(
        RuntimeError, match="Expected out tensor to have dtype float, but got int instead"
    ):
        ow.mm(a, b, out=ow.empty(0, dtype=ow.int32, device="meta"))
    out = ow.empty(0, device="meta")
    assert ow.mm(a, b, out=out) is out
    assert out.shape == (2, 2)

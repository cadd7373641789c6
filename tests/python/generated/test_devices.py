"""A call whose tensors are on different devices is refused, and the text names both."""

import opweave as ow
import pytest
from cases import cases
from kernel_faults import KernelFaultError

# Of one observation there are no degrees of freedom.
pytestmark = pytest.mark.filterwarnings("ignore:cov\\(\\)")


@pytest.mark.parametrize(
    "case", cases("devices", lambda c: c.is_of_one_device and c.has_dimensions)
)
def test_devices_that_do_not_match(case):
    """One tensor with dimensions goes to meta, the others stay."""
    values = case.fresh(case.values())
    moved = [name for name in case.placed if values[name].dim() > 0][-1]
    values[moved] = values[moved].to("meta")
    with pytest.raises((RuntimeError, NotImplementedError), match="meta") as refused:
        case.run(values)
    # What cannot be done without elements says so.
    words = ("cpu", "Cannot copy out of meta tensor", "which meta tensors do not have")
    assert any(word in str(refused.value) for word in words)


def first_elements(values):
    """Every tensor as one of no dimensions; None if one has no elements."""
    tensors = [v for v in values.values() if isinstance(v, ow.Tensor)]
    if any(t.numel() == 0 for t in tensors):
        return None
    return {n: v.flatten()[0] if isinstance(v, ow.Tensor) else v for n, v in values.items()}


def taken(case, values):
    """The results of a call; None if it is refused."""
    try:
        return case.results(values)
    except KernelFaultError:
        raise
    except (RuntimeError, IndexError, TypeError, ValueError, pytest.fail.Exception):
        return None


@pytest.mark.parametrize("case", cases("numbers_of_devices", lambda c: c.is_of_one_device))
def test_nothing_has_elements_that_nobody_computed(case):
    """A call that takes one tensor without elements gives none with elements, also of no dimensions."""
    for values in (case.values(), first_elements(case.values())):
        if values is None or taken(case, case.fresh(values)) is None:
            continue
        for moved in case.placed:
            given = case.fresh(values)
            given[moved] = given[moved].to("meta")
            found = taken(case, given)
            there = [t.device.type for t in found or () if isinstance(t, ow.Tensor)]
            assert set(there) <= {"meta"}, f"{case.key}: {moved} is on meta, results on {there}"


def test_a_number_goes_with_every_device():
    """A tensor of no dimensions that the host can read, as in PyTorch."""
    meta = ow.ones(2, 3, device="meta")
    assert (meta + ow.tensor(1.0)).device.type == "meta"
    with pytest.raises(RuntimeError, match="cpu and meta"):
        ow.ones(2, 3) + ow.tensor(1.0, device="meta")


def test_the_argument_is_named():
    """With the operator and both devices, in PyTorch's words."""
    index = ow.tensor([0, 1]).to("meta")
    text = (
        r"Expected all tensors to be on the same device, but got index is on meta, different from "
        r"other tensors on cpu \(when checking argument in method index_select\)"
    )
    with pytest.raises(RuntimeError, match=text):
        ow.index_select(ow.ones(3, 4), 0, index)
    with pytest.raises(RuntimeError, match=r"method mm\.out"):
        ow.mm(ow.ones(2, 2), ow.ones(2, 2, device="meta"), out=ow.ones(2, 2))

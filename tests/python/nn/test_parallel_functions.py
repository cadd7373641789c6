"""nn.parallel.comm, and the functions that DataParallel is made of in PyTorch."""

import opweave as ow
import pytest
from opweave.nn.parallel import _functions, comm


def test_copies_and_sums():
    x = ow.arange(6.0).view(3, 2)
    assert [t.tolist() for t in comm.broadcast(x, ["cpu", "cpu"])] == [x.tolist()] * 2
    out = [ow.empty(3, 2), ow.empty(3, 2)]
    assert comm.broadcast(x, out=out)[1] is out[1]
    assert out[0].equal(x)
    assert [len(ts) for ts in comm.broadcast_coalesced([x, x, x], ["cpu", "cpu"])] == [3, 3]
    assert comm.reduce_add([x, x, x], "cpu").equal(x * 3)
    sums = comm.reduce_add_coalesced([[x, x * 2], [x, x]], "cpu")
    assert [s.tolist() for s in sums] == [(x * 2).tolist(), (x * 3).tolist()]


def test_parts():
    x = ow.arange(6.0).view(3, 2)
    assert [t.shape[0] for t in comm.scatter(x, ["cpu", "cpu"])] == [2, 1]
    assert [t.shape[0] for t in comm.scatter(x, ["cpu", "cpu"], [1, 2])] == [1, 2]
    out = [ow.empty(1, 2), ow.empty(2, 2)]
    assert comm.scatter(x, out=out)[1].tolist() == [[2, 3], [4, 5]]
    assert comm.gather(out, 0, "cpu").equal(x)
    whole = ow.empty(3, 2)
    assert comm.gather(out, out=whole) is whole
    assert whole.equal(x)


def test_what_is_refused():
    x = ow.ones(2)
    for call in (comm.broadcast, comm.scatter):
        with pytest.raises(
            RuntimeError, match=f"devices' and 'out' must be specified of {call.__name__}"
        ):
            call(x)
        with pytest.raises(RuntimeError, match="Exactly one of"):
            call(x, ["cpu"], out=[x])
    with pytest.raises(ValueError, match="input 1 has invalid size: got 3, but expected 2"):
        comm.reduce_add([x, ow.ones(3)], "cpu")
    with pytest.raises(RuntimeError, match="'destination' must not be specified when 'out'"):
        comm.gather([x], 0, "cpu", out=x)


def test_gradients_come_back():
    x = ow.arange(6.0).view(3, 2).requires_grad_()
    parts = _functions.Scatter.apply(["cpu", "cpu"], [1, 2], 0, x)
    joined = _functions.Gather.apply("cpu", 0, *(part * (i + 1) for i, part in enumerate(parts)))
    first, _, again, _ = _functions.Broadcast.apply(["cpu", "cpu"], joined, x.detach())
    (total,) = _functions.ReduceAddCoalesced.apply("cpu", 1, first, again)
    total.sum().backward()
    assert x.grad.tolist() == [[2, 2], [4, 4], [4, 4]]

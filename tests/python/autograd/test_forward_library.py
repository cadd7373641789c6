"""Forward mode through operators that programs define: kernels made of operators, rules, and neither."""

import opweave as ow
import pytest
from opweave.autograd import forward_ad as fwAD
from opweave.func import grad, jvp
from opweave.testing import assert_close


@pytest.fixture
def library():
    with ow.library.Library("mine") as library:
        yield library


def opaque(t):
    """Twice the tensor, by a way that no derivative can see."""
    return ow.tensor([2 * x for x in t.tolist()], dtype=t.dtype)


x, v = ow.tensor([1.0, 2.0, 4.0]), ow.tensor([0.5, -1.0, 3.0])


def test_a_kernel_that_carries_no_tangents_is_refused(library):
    library.define("opaque(Tensor self) -> Tensor")
    library.impl("opaque", opaque, "CPU")
    with pytest.raises(NotImplementedError) as error:
        jvp(ow.ops.mine.opaque, (x,), (v,))
    assert str(error.value) == (
        "Trying to use forward AD with mine::opaque that does not support it because it has no "
        "kernel for the dispatch key 'Forward' and its kernel for 'cpu' returned nothing with a "
        "tangent. Compute the results with operators, which have tangents, or register a rule: "
        'library.impl("mine::opaque", function, "Forward").'
    )
    with fwAD.dual_level(), pytest.raises(NotImplementedError, match="forward AD with mine::op"):
        ow.ops.mine.opaque(fwAD.make_dual(x, v))


def test_without_tangents_it_runs_as_ever(library):
    library.define("opaque(Tensor self) -> Tensor")
    library.impl("opaque", opaque, "CPU")
    assert_close(ow.ops.mine.opaque(x), 2 * x)
    value, tangent = jvp(lambda a: a * ow.ops.mine.opaque(x), (x,), (v,))
    assert_close(value, 2 * x * x)
    assert_close(tangent, 2 * x * v)


def test_a_kernel_made_of_operators_carries_tangents(library):
    library.define("wave(Tensor self, float factor=1.0) -> (Tensor, Tensor)")
    library.impl("wave", lambda t, factor: (t.sin() * factor, t > 0), "CPU")
    wave = ow.ops.mine.wave
    (value, positive), (tangent, _) = jvp(lambda a: wave(a, 3.0), (x,), (v,))
    assert_close(value, 3 * x.sin())
    assert_close(tangent, 3 * x.cos() * v)
    assert positive.dtype == ow.bool
    assert_close(jvp(grad(lambda a: wave(a)[0].sum()), (x,), (v,))[1], -x.sin() * v)


def test_results_that_are_no_floats_have_no_tangents(library):
    library.define("rank(Tensor self) -> Tensor")
    library.impl("rank", lambda t: ow.tensor(sorted(t.tolist())).long(), "CPU")
    assert jvp(ow.ops.mine.rank, (x,), (v,))[0].tolist() == [1, 2, 4]


def test_the_registered_rule_is_used(library):
    library.define("opaque(Tensor self) -> Tensor")
    library.impl("opaque", opaque, "CPU")

    def rule(t):
        primal, tangent = fwAD.unpack_dual(t)
        return fwAD.make_dual(ow.ops.mine.opaque(primal), 2 * tangent)

    library.impl("opaque", rule, "Forward")
    value, tangent = jvp(lambda a: ow.ops.mine.opaque(a * a), (x,), (v,))
    assert_close(value, 2 * x * x)
    assert_close(tangent, 4 * x * v)


@pytest.mark.filterwarnings("ignore:To copy construct")
@pytest.mark.parametrize("copy", [ow.tensor, lambda t: t.new_tensor(t)])
def test_a_copy_into_a_new_tensor_has_no_tangent(copy):
    value, tangent = jvp(lambda t: copy(t) * 2, (x,), (v,))
    assert value.tolist() == (x * 2).tolist()
    assert tangent.tolist() == ow.zeros_like(x).tolist()
    with fwAD.dual_level():
        assert fwAD.unpack_dual(copy(fwAD.make_dual(x, v))).tangent is None

"""Operators of a library on hardware besides the CPU: all they do there is what they do on the CPU."""

import opweave as ow
import pytest
from calls import mapped, results
from cases import CASES, assert_all_same, assert_same
from cases import cases as all_cases
from placed import ON_HOST, PROMISED, TARGET, back, called_there, moved, needs_device

pytestmark = needs_device

_TOLERANCE = {"float64": 1e-9, "float32": 5e-5, "float16": 1e-2, "bfloat16": 6e-2}
_DTYPES = (*_TOLERANCE, "int64", "bool")


def cases(wanted, condition, *variants):
    """As of the CPU's tests, without those of which a part is on the host by definition."""

    def runs_there(case):
        return case.operator.full_name not in ON_HOST and condition(case)

    return all_cases(wanted, runs_there, *variants)


def test_the_library_has_kernels_for_the_target():
    assert PROMISED, f"no operator of the library has a kernel for the target '{TARGET}'"
    assert {c.operator.full_name for c in CASES} & PROMISED, (
        f"no operator with a kernel for the target '{TARGET}' has `samples`: nothing tests it"
    )


def assert_close(found, wanted):
    """As close as the dtype of a result allows, which need not be that of the arguments."""
    for f, w in zip(found, wanted, strict=True):
        name = str(getattr(w, "dtype", "")).rpartition(".")[2]
        assert_same(f, w, _TOLERANCE.get(name, 0))


def _attempt(case, values):
    """The results of a call, or the type of what it is refused with."""
    try:
        return case.results(case.fresh(values)), None
    except Exception as error:
        return None, type(error)


def _in_each_dtype():
    return [
        pytest.param(p.values[0], dtype, id=f"{p.id}-{dtype}", marks=p.marks)
        for p in cases("on_target", lambda c: c.has_values)
        for dtype in _DTYPES
        if dtype in p.values[0].operator.dtypes
    ]


@pytest.mark.parametrize(("case", "dtype"), _in_each_dtype())
def test_value(case, dtype):
    """In each dtype of the entry; a call that the CPU refuses is refused."""
    try:
        values = case.values(dtype)
    except RuntimeError as error:
        if "cannot be converted" not in str(error):
            raise
        pytest.skip(f"a sample that no {dtype} holds: {error}")
    wanted, refused = _attempt(case, values)
    there = case.fresh(moved(values))
    with called_there():
        if refused is None:
            assert_close(back(case.results(there)), wanted)
        else:
            with pytest.raises(refused):
                case.results(there)


def _strided(t):
    wide = ow.zeros((*t.shape[:-1], 2 * t.shape[-1]), dtype=t.dtype)
    wide[..., ::2] = t
    return wide.to(TARGET)[..., ::2]


def _transposed(t):
    return t.transpose(0, -1).contiguous().to(TARGET).transpose(0, -1)


def _offset(t):
    longer = ow.zeros((t.shape[0] + 1, *t.shape[1:]), dtype=t.dtype)
    longer[1:] = t
    return longer.to(TARGET)[1:]


_LAYOUTS = {"strided": _strided, "transposed": _transposed, "offset": _offset}


@pytest.mark.parametrize(
    ("case", "layout"), cases("layout", lambda c: c.has_values and c.real, *_LAYOUTS)
)
def test_layout(case, layout):
    lay = _LAYOUTS[layout]
    wanted = case.results(case.fresh(case.values()))
    there = mapped(ow, lambda t: lay(t) if t.dim() and t.numel() else t.to(TARGET), case.values())
    with called_there():
        assert_all_same(back(case.results(there)), wanted, 1e-9)


@pytest.mark.parametrize(
    "case", cases("out", lambda c: c.operator.out and c.operator.function and c.has_values)
)
def test_out(case):
    wanted = case.results(case.values())
    empty = [ow.empty(0, dtype=r.dtype, device=TARGET) for r in wanted]
    out = empty[0] if len(empty) == 1 else tuple(empty)
    there = moved(case.values())
    with called_there():
        found = results(ow, case.run(there, out=out))
        assert all(f is o for f, o in zip(found, results(ow, out)))
        assert_all_same(back(found), wanted, 1e-9)


def _in_place(case):
    inplace = case.operator.inplace
    return case.has_values and inplace and hasattr(ow.Tensor, inplace) and not case.operator.views


@pytest.mark.parametrize("case", cases("inplace", _in_place))
def test_in_place(case):
    first = case.operator.arguments[0].name
    wanted = case.results(case.values())
    values = case.values()
    if wanted[0].shape != values[first].shape or wanted[0].dtype != values[first].dtype:
        pytest.skip("the result does not fit into the argument")
    there = moved(values)
    with called_there():
        there[first] = there[first].clone()
        case.run(there, name=case.operator.inplace, as_method=True)
        assert_all_same(back([there[first]]), wanted, 1e-9)


@pytest.mark.parametrize("case", cases("gradcheck", lambda c: c.is_differentiable and c.is_finite))
def test_gradient(case):
    """A backward pass on the target gives the gradients of one on the CPU."""
    function, inputs = case.as_function()
    wanted = _gradients(function, inputs)
    there = moved(case.values())
    inputs = [t.to(TARGET) for t in inputs]
    with called_there():

        def on_target(*given):
            given = iter(given)
            chosen = mapped(ow, lambda _: next(given), {n: there[n] for n in case.variable})
            found = case.smooth(case.results(case.fresh({**there, **chosen})))
            return found[0] if len(found) == 1 else tuple(found)

        found = _gradients(on_target, inputs)
        assert_all_same(back(found), wanted, 1e-9)


def _gradients(function, inputs):
    inputs = [t.detach().requires_grad_() for t in inputs]
    found = function(*inputs)
    found = [r for r in (found if isinstance(found, tuple) else (found,)) if r.requires_grad]
    seeds = [_seed(r.shape, r.dtype).to(r.device) for r in found]
    return [g for g in ow.autograd.grad(found, inputs, seeds, allow_unused=True) if g is not None]


def _seed(shape, dtype):
    return ow.randn(shape, dtype=dtype, generator=ow.Generator().manual_seed(3), device="cpu")


@pytest.mark.parametrize("case", cases("vmap", lambda c: c.can_be_batched))
def test_batch(case):
    """vmap over two examples."""
    names = case.real
    examples = [case.values(), case.values(salt=" of the second example")]

    def stacked(name):
        pair = [e[name] for e in examples]
        return [ow.stack(p) for p in zip(*pair)] if isinstance(pair[0], list) else ow.stack(pair)

    def run(rest):
        return lambda *given: tuple(case.results({**rest, **dict(zip(names, given))}))

    batch = [stacked(name) for name in names]
    there, rest = moved(batch), moved(examples[0])
    wanted = ow.func.vmap(run(examples[0]))(*batch)
    with called_there():
        found = ow.func.vmap(run(rest))(*there)
        assert_all_same(back(list(found)), list(wanted), 1e-9)


@pytest.mark.parametrize("case", cases("devices", lambda c: c.is_of_one_device))
def test_tensors_on_two_devices(case):
    """Refused, with the names of both."""
    values = case.fresh(case.values())
    last = case.placed[-1]
    values[last] = values[last].to(TARGET)
    with called_there(), pytest.raises(RuntimeError, match=TARGET) as refused:
        case.run(values)
    assert "cpu" in str(refused.value)

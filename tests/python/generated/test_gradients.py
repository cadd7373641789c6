"""Derivatives of every operator that has any: against differences, and forward against reverse."""

from math import inf

import gradient_blame
import opweave as ow
import pytest
from calls import mapped, tensors
from cases import assert_all_same, cases, refuses_dtypes
from layouts import EXPANDED, LAYOUTS, laid_out
from opweave.autograd import gradcheck, gradgradcheck
from variations import REFUSALS, has_forward_rule, is_varied


def differentiable(case):
    return case.is_differentiable and case.is_finite


@pytest.mark.parametrize("case", cases("gradcheck", differentiable))
def test_gradient(case):
    function, inputs = case.as_function()
    error = gradient_blame.error_of(
        lambda: gradcheck(function, [x.requires_grad_() for x in inputs])
    )
    if error:
        gradient_blame.fail(case, error)


# What a gradient may be off, of its largest element: digits that a formula loses are lost in narrow floats.
NARROW = {"float32": 1e-3, "float16": 0.1, "bfloat16": 0.3}
FLOOR = 1e-2  # of a largest element that is what rounding has left of a zero


def _results_of(case, values):
    function, inputs = case.as_function(values)
    found = _as_tuple(function(*[x.requires_grad_() for x in inputs]))
    return [r for r in found if r.requires_grad], inputs


def _gradients(found, inputs, **options):
    seeds = [_directions([r.detach().to(ow.float64)])[0].to(r.dtype) for r in found]
    return ow.autograd.grad(
        found, inputs, seeds, allow_unused=True, materialize_grads=True, **options
    )


@pytest.mark.parametrize(
    ("case", "dtype"),
    cases("narrow_gradient", lambda c: differentiable(c) and c.has_values, *NARROW),
)
def test_gradient_of_narrow_floats(case, dtype):
    """gradcheck() looks at float64 alone: the gradient in another dtype is that of the same numbers there."""
    if dtype not in case.operator.dtypes:
        pytest.skip(f"{dtype} is none of its dtypes")
    narrow, kind = case.values(dtype), getattr(ow, dtype)
    wide = mapped(ow, lambda t: t.to(ow.float64) if t.dtype is kind else t, narrow)
    try:
        results = _results_of(case, narrow)
    except (RuntimeError, TypeError) as error:
        if not refuses_dtypes(error):
            raise
        pytest.skip(f"{dtype} is refused: {error}")
    wide = _gradients(*_results_of(case, wide))
    for name, x, wanted in zip(gradient_blame.names(case), _gradients(*results), wide, strict=True):
        largest = float(wanted.abs().max()) if wanted.numel() else 0.0
        room = NARROW[dtype] * max(FLOOR, largest)
        if not ow.allclose(x.to(ow.float64), wanted, rtol=0.0, atol=room, equal_nan=True):
            gradient_blame.fail_narrow(case, name, dtype, x, wanted)


# By how much: float16 holds such numbers, and not their squares.
FAR = 300.0


@pytest.mark.parametrize(
    "case", cases("recorded_gradient", lambda c: differentiable(c) and c.has_values)
)
def test_recorded_gradients_are_the_same(case):
    """A gradient that is differentiated again, as that of func.grad(), may be computed in another way."""
    if "float16" not in case.operator.dtypes:
        pytest.skip("float16 is none of its dtypes")
    values = mapped(ow, lambda t: t * FAR if t.dtype is ow.float16 else t, case.values("float16"))
    try:
        found, inputs = _results_of(case, values)
        wanted = _gradients(found, inputs, retain_graph=True)
    except (RuntimeError, TypeError, IndexError, UserWarning) as error:
        pytest.skip(f"numbers of this size are refused: {error}")
    recorded = _gradients(found, inputs, create_graph=True)
    for name, x, plain in zip(gradient_blame.names(case), recorded, wanted, strict=True):
        finite = plain.isfinite()
        if not finite.any():
            continue
        x, plain = x[finite], plain[finite]
        room = NARROW["float16"] * max(FLOOR, float(plain.abs().max()))
        assert ow.allclose(x, plain, rtol=0.0, atol=room), (name, x, plain)


# What a backward pass hands over behind a sum, a slice and a transposition.
SEEDS = {"expanded": lambda t: t.flatten()[0].expand(t.shape), "of equal rows": EXPANDED, **LAYOUTS}


@pytest.mark.parametrize("case", cases("gradient_layouts", differentiable))
def test_gradients_come_in_every_layout(case):
    function, inputs = case.as_function()
    found = _as_tuple(function(*[x.requires_grad_() for x in inputs]))
    found = [r for r in found if r.requires_grad]

    def gradients(seeds):
        return ow.autograd.grad(found, inputs, seeds, allow_unused=True, retain_graph=True)

    directions = dict(enumerate(_directions(found)))
    plain = gradients(list(directions.values()))
    for name, layout in SEEDS.items():
        seeds = list(laid_out(directions, layout).values())
        dense = [s.clone(memory_format=ow.contiguous_format) for s in seeds]
        both = gradients(seeds), plain if name in LAYOUTS else gradients(dense)
        for argument, x, wanted in zip(gradient_blame.names(case), *both, strict=True):
            if _is_another(x, wanted):
                gradient_blame.fail_layout(case, argument, name)


def _is_another(x, wanted):
    return wanted is not None and not ow.allclose(x, wanted, 1e-9, 1e-9, equal_nan=True)


# How an argument lies where nothing else does.
ALONE = {**LAYOUTS, "expanded": EXPANDED}


def _alone(inputs):
    """(the layout, which of the tensors lies so): of many each in another one."""
    shown = [i for i, x in enumerate(inputs) if x.dim() and x.numel() > 1]
    kinds = list(ALONE)
    for turn, i in enumerate(shown):
        for kind in kinds if len(shown) <= 2 else [kinds[turn % len(kinds)]]:
            yield kind, i


def _is_kept(case):
    plain = case.has_values and not case.operator.writes
    return is_varied(case) and differentiable(case) and plain


@pytest.mark.parametrize("case", cases("saved_layouts", _is_kept))
def test_gradients_of_every_layout(case):
    """What a backward pass has kept of an argument lies in memory as the gradient that comes in does not: a
    kernel that asks one of them how both lie is wrong."""
    function, inputs = case.as_function()

    def gradients(given):
        given = [x.detach().requires_grad_() for x in given]
        try:
            found = [r for r in _as_tuple(function(*given)) if r.requires_grad]
        except REFUSALS:  # as a view may be, where test_layouts.py allows it
            return [None] * len(given)
        return ow.autograd.grad(found, given, list(_directions(found)), allow_unused=True)

    plain = gradients(inputs)
    names = gradient_blame.names(case)
    for kind, i in _alone(inputs):
        laid = [ALONE[kind](x) if j == i else x for j, x in enumerate(inputs)]
        dense = [x.contiguous() for x in laid]
        both = gradients(laid), gradients(dense) if kind == "expanded" else plain
        for name, x, wanted in zip(names, *both, strict=True):
            if x is not None and _is_another(x, wanted):
                gradient_blame.fail_laid(case, name, f"'{names[i]}' {kind}, float64", x, wanted)


@pytest.mark.parametrize("case", cases("unpacked", differentiable))
def test_saved_tensors_are_unpacked_once(case):
    """Whatever formulas read them: a checkpointed function runs again for each that comes twice."""
    unpacked = {}

    def pack(tensor):
        unpacked[len(unpacked)] = 0
        return len(unpacked) - 1, tensor

    def unpack(packed):
        unpacked[packed[0]] += 1
        return packed[1]

    function, inputs = case.as_function()
    with ow.autograd.graph.saved_tensors_hooks(pack, unpack):
        found = function(*[x.requires_grad_() for x in inputs])
    found = [t for t in _as_tuple(found) if t.requires_grad]
    ow.autograd.backward(found, [ow.ones_like(t) for t in found])
    assert max(unpacked.values(), default=0) <= 1


def _has_several(case):
    return differentiable(case) and len(case.variable) > 1


@pytest.mark.parametrize("case", cases("one_gradient", _has_several))
def test_gradients_of_each_argument_alone(case):
    """A formula of several gradients is told which of them are asked for."""
    function, inputs = case.as_function()

    def gradients(chosen):
        given = [x.detach().requires_grad_(i in chosen) for i, x in enumerate(inputs)]
        found = [t for t in _as_tuple(function(*given)) if t.requires_grad]
        asked = [given[i] for i in chosen]
        seeds = [ow.randn(r.shape, dtype=r.dtype, generator=_generator()) for r in found]
        return ow.autograd.grad(found, asked, seeds, allow_unused=True) if found else ()

    every = gradients(range(len(inputs)))
    for i, wanted in enumerate(every):
        for found in gradients([i]):
            if wanted is not None and found is not None:
                assert_all_same([found], [wanted], 1e-9)


@pytest.mark.parametrize("case", cases("gradgradcheck", differentiable))
def test_second_gradient(case):
    function, inputs = case.as_function()
    inputs = [x.requires_grad_() for x in inputs]
    found = function(*inputs)
    found = found if isinstance(found, tuple) else (found,)
    seeds = [ow.randn(r.shape, dtype=r.dtype, generator=_generator()) for r in found]
    error = gradient_blame.error_of(
        lambda: gradgradcheck(function, inputs, [s.requires_grad_() for s in seeds])
    )
    if error:
        gradient_blame.fail(case, error, "second derivative")


def _generator():
    return ow.Generator().manual_seed(3)


def _as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def _inner(a, b):
    return sum(((x * y).sum() for x, y in zip(a, b)), ow.zeros((), dtype=ow.float64))


def _directions(tensors):
    generator = _generator()
    return tuple(ow.randn(t.shape, dtype=t.dtype, generator=generator) for t in tensors)


@pytest.mark.parametrize("case", cases("jvp", differentiable))
def test_forward_agrees_with_reverse(case):
    """<J v, u> is <v, J' u>."""
    function, inputs = case.as_function()
    v = _directions(inputs)
    result, forward = ow.func.jvp(function, tuple(inputs), v)
    _, reverse = ow.func.vjp(function, *inputs)
    u = _directions(_as_tuple(result))
    back = reverse(u if isinstance(result, tuple) else u[0])
    _assert_agree(case, _inner(_as_tuple(forward), u), _inner(v, back), "tangent")


def _has_rule(case):
    return has_forward_rule(case) and differentiable(case)


@pytest.mark.parametrize("case", cases("gradient_of_jvp", _has_rule))
def test_reverse_over_forward_agrees_with_reverse(case):
    """A forward rule is differentiated as the backward pass is, with the same derivatives of <J v, u>."""
    function, inputs = case.as_function()
    v = _directions(inputs)
    result, _ = ow.func.vjp(function, *inputs)
    u = _directions(_as_tuple(result))

    def forward(*given):
        return _inner(_as_tuple(ow.func.jvp(function, given, v)[1]), u)

    def backward(*given):
        _, reverse = ow.func.vjp(function, *given)
        return _inner(reverse(u if isinstance(result, tuple) else u[0]), v)

    both = [ow.func.vjp(f, *inputs)[1](ow.ones((), dtype=ow.float64)) for f in (forward, backward)]
    for found, wanted in zip(*both, strict=True):
        _assert_agree(case, *_largest_difference(found, wanted), "derivative of the tangent")


def _largest_difference(found, wanted):
    """The element in which two tensors differ most."""
    if not found.numel():
        return found.sum(), wanted.sum()
    differences = (found - wanted).abs().nan_to_num(inf)
    at = int(differences.masked_fill(found.isnan() & wanted.isnan(), 0).argmax())
    return found.flatten()[at], wanted.flatten()[at]


def _assert_agree(case, forward, reverse, what):
    if not ow.allclose(forward, reverse, rtol=1e-7, atol=1e-7, equal_nan=True):
        gradient_blame.fail_forward(case, float(forward), float(reverse), what)


@pytest.mark.parametrize("case", cases("jvp_of_gradient", differentiable))
def test_forward_over_reverse_agrees_with_reverse(case):
    """The same for the map from inputs and the results' gradients to the inputs' gradients."""
    function, inputs = case.as_function()
    u = _directions(_as_tuple(function(*inputs)))

    def gradient(*given):
        x, seeds = given[: len(inputs)], given[len(inputs) :]
        result, reverse = ow.func.vjp(function, *x)
        return reverse(seeds if isinstance(result, tuple) else seeds[0])

    given = (*inputs, *u)
    v = _directions(given)
    result, forward = ow.func.jvp(gradient, given, v)
    _, reverse = ow.func.vjp(gradient, *given)
    w = _directions(_as_tuple(result))
    back = reverse(w if isinstance(result, tuple) else w[0])
    _assert_agree(case, _inner(_as_tuple(forward), w), _inner(v, back), "tangent of the gradient")


@pytest.mark.parametrize(
    "case",
    cases(
        "no_gradient", lambda c: not c.operator.differentiable and c.real and not c.operator.writes
    ),
)
def test_has_no_gradient(case):
    """What ops.yaml calls not differentiable gives results that never require a gradient; where
    derivatives.yaml says that there is none yet, a backward pass is an error."""
    values = case.values()
    for name in case.real:
        values[name] = (
            values[name] if isinstance(values[name], list) else values[name].requires_grad_()
        )
    found = [r for r in case.results(values) if isinstance(r, ow.Tensor)]
    assert any(r.requires_grad for r in found) == case.operator.refuses_backward
    for result in found:
        if result.requires_grad:
            with pytest.raises(
                RuntimeError, match=r"the derivative for '[\w.]+' is not implemented"
            ):
                result.sum().backward()


@pytest.mark.parametrize(
    "case",
    cases(
        "no_tangent",
        lambda c: (
            not c.operator.differentiable
            and c.real
            and not c.operator.writes
            and not c.operator.refuses_backward
        ),
    ),
)
def test_has_no_tangent(case):
    """Nor do such results have a tangent, whatever their kernels call."""
    values = case.values()
    inputs = tensors(ow, {name: values[name] for name in case.real})

    def function(*given):
        given = iter(given)
        chosen = mapped(ow, lambda _: next(given), {name: values[name] for name in case.real})
        found = case.results(case.fresh({**values, **chosen}))
        return tuple(r for r in found if isinstance(r, ow.Tensor) and r.is_floating_point())

    if not function(*inputs):
        pytest.skip("it gives no floats")
    _, tangents = ow.func.jvp(function, tuple(inputs), _directions(inputs))
    assert not any(t.any() for t in tangents)

"""The forms of each operator agree; what is written, and what shares memory, is what the schema says."""

import opweave as ow
import pytest
from calls import mapped, results, tensors
from cases import OPERATOR, Case, assert_all_same, cases


def _empties(found):
    empty = [ow.empty(0, dtype=r.dtype) for r in found]
    return empty[0] if len(empty) == 1 else tuple(empty)


@pytest.mark.parametrize("case", cases("out", lambda c: c.operator.out and c.operator.function))
def test_out(case):
    values = case.values()
    wanted = case.results(values)
    out = _empties(wanted)
    found = results(ow, case.run(values, out=out))
    assert all(f is o for f, o in zip(found, results(ow, out)))
    if case.has_values or case.is_random:
        assert_all_same(found, wanted)


_AROUND = 64  # elements on each side


def _between_others(wanted):
    """Memory for a result with elements around it: (all of it, the result's)."""
    count = max(1, wanted.numel())
    memory = ow.full((count + 2 * _AROUND,), 1).to(wanted.dtype)
    return memory, memory.as_strided(wanted.shape, wanted.stride(), _AROUND)


def _fills_its_span(result):
    steps = zip(result.shape, result.stride())
    return 1 + sum((n - 1) * s for n, s in steps) == result.numel() or result.numel() == 0


@pytest.mark.parametrize("case", cases("around", lambda c: c.operator.out and c.operator.function))
def test_nothing_around_is_written(case):
    """A kernel writes its results and no element before or behind them."""
    values = case.values()
    wanted = case.results(values)
    if not all(map(_fills_its_span, wanted)):
        return
    memory, out = zip(*map(_between_others, wanted))
    case.run(case.fresh(values), out=out[0] if len(out) == 1 else out)
    for whole, inner in zip(memory, out):
        before, behind = whole[:_AROUND], whole[_AROUND + inner.numel() :]
        if not (before == 1).all() or not (behind == 1).all():
            place = case.operator.place or case.operator.full_name
            told = (
                f"{place}: {case.operator.full_name}: it writes memory before or behind its result"
            )
            pytest.fail(f"{told}\n  call: {case.key}", pytrace=False)


def _inplace_method(case):
    return case.operator.inplace and hasattr(ow.Tensor, case.operator.inplace)


@pytest.mark.parametrize("case", cases("inplace", _inplace_method))
def test_inplace(case):
    values = case.values()
    (wanted,) = case.results(values)
    first = case.operator.arguments[0].name
    target = values[first].clone()
    before = target._version

    def write():
        return case.run({**values, first: target}, name=case.operator.inplace, as_method=True)

    changes_shape = bool(case.operator.views)
    same_shape = wanted.shape == target.shape
    if changes_shape or (same_shape and ow.can_cast(wanted.dtype, target.dtype)):
        assert write() is target
        assert target._version > before
        assert_all_same([target], [wanted.to(target.dtype)])
    else:
        with pytest.raises(RuntimeError):
            write()
        assert target._version == before


@pytest.mark.parametrize("case", cases("functional", lambda c: c.operator.functional))
def test_functional(case):
    """An in-place form with an entry of its own writes what the functional operator returns."""
    functional = Case(OPERATOR[case.operator.functional], case.sample)
    wanted = functional.results(case.values())
    assert_all_same(case.results(case.values()), wanted)


@pytest.mark.parametrize(
    "case", cases("method", lambda c: c.operator.function and c.operator.method)
)
def test_method(case):
    """A method gives what the function gives."""
    wanted = case.results(case.fresh(case.values()))
    found = case.results(case.fresh(case.values()), as_method=True)
    if case.has_values or case.is_random:
        assert_all_same(found, wanted)


def _start(tensor):
    return tensor.untyped_storage().data_ptr() if tensor.numel() else None


def _letter(type_):
    """`a` of `Tensor(a!)`, `Tensor(a -> *)` and `Tensor(a)[]`."""
    return type_.partition("(")[2][:1]


def _annotated(operator, result):
    """Names of the arguments that share memory with a result, as the schema says."""
    letter = _letter(operator.returns[min(result, len(operator.returns) - 1)])
    return [a.name for a in operator.arguments if letter and _letter(a.type) == letter]


@pytest.mark.parametrize("case", cases("writes", lambda c: True))
def test_writes_what_it_declares(case):
    values = case.fresh(case.values())
    before = {name: [t.clone() for t in tensors(ow, {name: v})] for name, v in values.items()}
    versions = {name: [t._version for t in tensors(ow, {name: v})] for name, v in values.items()}
    found = results(ow, case.run(values))
    for name, value in values.items():
        now = tensors(ow, {name: value})
        if name in case.operator.writes:
            assert all(t._version > v for t, v in zip(now, versions[name])), name
        else:
            assert [t._version for t in now] == versions[name], name
            assert_all_same(now, before[name])
    for i, type_ in enumerate(case.operator.returns):
        if "!" in type_:
            assert found[i] is values[_annotated(case.operator, i)[0]]


@pytest.mark.parametrize("case", cases("aliases", lambda c: not c.operator.writes))
def test_shares_memory_as_declared(case):
    """Views share storage with what they are views of; all other results have memory of their own."""
    values = case.values()
    found = [r for r in results(ow, case.run(values)) if isinstance(r, ow.Tensor)]
    inputs = {n: {_start(t) for t in tensors(ow, {n: v}) if t.numel()} for n, v in values.items()}
    # Parts of one memory are results of their own, as columns of a matrix are.
    own = [
        r.data_ptr() for i, r in enumerate(found) if r.numel() and not _annotated(case.operator, i)
    ]
    assert len(own) == len(set(own)), "results share memory with one another"
    for i, result in enumerate(found):
        declared = _annotated(case.operator, i)
        for name, starts in inputs.items():
            if result.numel() and starts:
                assert (_start(result) in starts) == (name in declared), name


@pytest.mark.parametrize(
    "case", cases("view_writes", lambda c: c.operator.views and c.real and c.operator.method)
)
def test_view_shows_writes(case):
    """What is written to the base is seen in its view."""
    values = case.values()
    base = values[case.operator.views[0][1]]
    views = [r for r in results(ow, case.run(values)) if r._is_view() or _start(r) == _start(base)]
    base.mul_(2)
    again = results(ow, case.run(mapped(ow, lambda t: t, values)))
    assert_all_same(views, again)

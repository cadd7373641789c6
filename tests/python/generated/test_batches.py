"""vmap runs an operator on a batch as a loop runs it on the examples."""

from functools import partial

import opweave as ow
import pytest
from calls import call, results
from cases import assert_all_same, cases, refuses_dtypes
from gradient_blame import error_of
from variations import REFUSALS, is_varied, variations_of_derivatives


def _has_partners(case):
    """Whether an argument can differ between the examples while another one does not: what is written
    differs as soon as anything does."""
    return case.can_be_batched and len(case.real) > 1 and not case.operator.writes


@pytest.mark.parametrize("case", cases("vmap", lambda c: c.can_be_batched))
def test_batch(case):
    compare(case, case.real)


@pytest.mark.parametrize("case", cases("vmap_of_one", _has_partners))
def test_batch_of_one_argument(case):
    """The other arguments are the same for all examples."""
    for name in case.real:
        compare(case, [name])


def compare(case, names):
    examples = [case.values(), case.values(salt=" of the second example")]
    compare_with(case, names, examples, looped(case, names, examples))


def looped(case, names, examples):
    """The results of each example."""
    return [case.results(case.fresh(e)) for e in examples_of(examples, names)]


def compare_with(case, names, examples, wanted, along=0):
    def run(*given):
        return tuple(case.results({**examples[0], **dict(zip(names, given))}))

    try:
        found = ow.func.vmap(run, along)(*(stacked(examples, n, along) for n in names))
    except RuntimeError as error:
        raise _advised(case.operator, error) from None
    assert_all_same(list(found), [ow.stack(pair) for pair in zip(*wanted)], 1e-9)


def _advised(operator, error):
    """The error with what the entry has to say, where that it says too little is what is wrong."""
    if "differ in shape between the examples" in str(error) and operator.returns:
        advice = (
            "'tags: [data_dependent]' says so: the entry lacks it if the sizes depend on elements"
        )
    elif "has no memory of its own to make a view of" in str(error) and operator.views:
        advice = (
            "no argument of the view names a dimension that can be counted behind the examples: say by "
            "'batching' how a batch is run, as by {example: FORMULA} over other views"
        )
    else:
        return error
    return type(error)(f"{error}\n{advice}")


def examples_of(examples, names):
    """The examples, alike in what is not batched."""
    return [{**examples[0], **{n: e[n] for n in names}} for e in examples]


def stacked(examples, name, along=0):
    each = [e[name] for e in examples]
    if isinstance(each[0], list):
        return [ow.stack(alike, along) for alike in zip(*each)]
    return ow.stack(each, along)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", cases("vmap_beside", lambda c: is_varied(c) and c.can_be_batched))
def test_batch_beside_the_samples(case):
    """With other arguments, sizes and ranks; of three examples, stacked along the last dimension unless they
    are written."""
    along = 0 if case.operator.writes else -1
    for varied in variations_of_derivatives(case):
        if not varied.is_taken or not varied.can_be_batched:
            continue
        names = varied.real
        salts = ("", " of the second example", " of the third example")
        examples = [varied.values(salt=salt) for salt in salts]
        try:
            wanted = looped(varied, names, examples)
        except REFUSALS:  # the first example is taken, other elements need not be
            continue
        if error := error_of(partial(compare_with, varied, names, examples, wanted, along)):
            _fail(varied, error)


def _fail(case, error):
    what = f"{type(error).__name__}: " if not isinstance(error, AssertionError) else ""
    told = "vmap gives something else than a loop over the examples"
    reason = "\n  ".join(str(error).splitlines()[:8])
    place = f"{case.operator.place}: {case.operator.full_name}"
    pytest.fail(f"{place}: {told}\n{case.told}\n  {what}{reason}", pytrace=False)


def _shows_writes(case):
    op = case.operator
    return case.can_be_batched and bool(op.views) and not op.writes and case.has_values


def _written(case, values, through):
    """The argument that is viewed, and its views, after one of both is multiplied by 5."""
    ((_, name), *_) = case.operator.views
    values = {**values, name: values[name] * 1}
    views = [v for v in case.results(values) if isinstance(v, ow.Tensor)]
    for written in views if through == "views" else [values[name]]:
        if not any(size > 1 and step == 0 for size, step in zip(written.shape, written.stride())):
            written.mul_(5)
    return (values[name] * 1, *(v * 1 for v in views))


@pytest.mark.parametrize(
    ("case", "through"), cases("vmap_views", _shows_writes, "views", "argument")
)
def test_views_of_examples(case, through):
    """What is written to an example's view is written to the example, and the other way round."""
    examples = [case.values(), case.values(salt=" of the second example")]
    names = case.real
    wanted = [_written(case, e, through) for e in examples_of(examples, names)]

    def run(*given):
        return _written(case, {**examples[0], **dict(zip(names, given))}, through)

    found = ow.func.vmap(run)(*(stacked(examples, n) for n in names))
    assert_all_same(list(found), [ow.stack(pair) for pair in zip(*wanted)], 1e-9)


def _is_of_several(case):
    return case.can_be_batched and case.operator.pointwise and len(case.placed) > 1


def _numbers(case, narrow, dtype, salt=""):
    """The arguments with tensors of no dimensions, one of them of another dtype."""
    values = case.values(salt=salt)
    numbers = {n: values[n].flatten()[0] for n in case.placed}
    return {**values, **numbers, narrow: numbers[narrow].to(dtype)}


@pytest.mark.parametrize(
    ("case", "dtype"), cases("vmap_numbers", _is_of_several, "float16", "float32", "int64")
)
def test_numbers_of_another_dtype(case, dtype):
    """A tensor without dimensions weighs less in promotion than the batch of them, which has one: each
    example is promoted by itself, and refused where it is."""
    for name in case.placed:
        both = [_numbers(case, name, getattr(ow, dtype), salt) for salt in ("", " of another")]
        for names in [case.placed] if case.operator.writes else [case.placed, [name]]:
            _compare_numbers(case, examples_of(both, names), names)


def _compare_numbers(case, examples, names):
    def run(*given):
        return tuple(case.results({**examples[0], **dict(zip(names, given))}))

    def all_at_once():
        return list(ow.func.vmap(run)(*(stacked(examples, n) for n in names)))

    try:
        each = [case.results(case.fresh(e)) for e in examples]
    except (RuntimeError, TypeError) as error:
        if not refuses_dtypes(error):
            raise
        with pytest.raises(type(error)):
            all_at_once()
        return
    assert_all_same(all_at_once(), [ow.stack(r) for r in zip(*each)], 1e-9)


def _draws(case):
    operator = case.operator
    gives_tensors = all(t.startswith("Tensor") for t in operator.returns)
    plain = (
        gives_tensors and not operator.writes and operator.functional in (None, operator.full_name)
    )
    return case.is_random and operator.batched and bool(case.real) and plain


@pytest.mark.parametrize("case", cases("vmap_different", _draws))
def test_examples_draw_for_themselves(case):
    """Eight examples of the same values: where two calls give different numbers, examples do."""
    values = case.values()
    ow.manual_seed(1)
    calls = [results(ow, call(ow, case.operator, values)) for _ in range(8)]
    differ = [any(not ow.equal(r[0], other) for other in r[1:]) for r in zip(*calls)]
    for names in [case.real, *([n] for n in case.real if len(case.real) > 1)]:

        def run(*given, names=names):
            return tuple(
                results(ow, call(ow, case.operator, {**values, **dict(zip(names, given))}))
            )

        batches = [ow.stack([values[n]] * 8) for n in names]
        found = ow.func.vmap(run, randomness="different")(*batches)
        assert [any(not ow.equal(r[0], e) for e in r[1:]) for r in found] == differ, names

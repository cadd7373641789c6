"""A type of objects that a library declares in YAML: in calls, boxed calls, operators defined at run time."""

import re

import counting_ops
import opweave as ow
import pytest
from opweave.library import Library


def test_made_taken_and_returned():
    counter = counting_ops.new_counter(3)
    assert type(counter) is counting_ops.Counter
    again = ow.tick(counter, ow.ones(2), by=4)
    assert type(again) is counting_ops.Counter
    # Both stand for one counter.
    assert ow.counted(counter) == ow.counted(again) == 7
    assert ow.counted(ow.new_counter()) == 0


def test_optional_and_one_of_several_results():
    x = ow.ones(2, 3, requires_grad=True)
    copy, counter = ow.count_elements(x)
    assert ow.equal(copy, x)
    assert not copy.requires_grad
    assert ow.counted(counter) == 6
    _, same = ow.count_elements(x, counter=counter)
    ow.count_elements(x, counter=None)
    assert ow.counted(counter) == ow.counted(same) == 12


def test_the_class():
    assert counting_ops.Counter.__name__ == "Counter"
    assert counting_ops.Counter.__module__ == "counting_ops"
    assert counting_ops.Counter.__doc__ == "Counts how often operators looked at it."
    with pytest.raises(TypeError, match=r"cannot create 'counting_ops\.Counter' instances"):
        counting_ops.Counter()
    assert ow.tick.__doc__.startswith("tick(counter, input, by=1) -> Counter")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ow.tick(3, ow.ones(1)),
            "tick(): argument 'counter' (position 1) must be counting_ops.Counter, not int",
        ),
        (
            lambda: ow.counted(ow.Generator()),
            "counted(): argument 'counter' (position 1) must be counting_ops.Counter, not opweave.Generator",
        ),
        (lambda: ow.counted(None), "must be counting_ops.Counter, not NoneType"),
    ],
)
def test_other_values_are_refused(call, message):
    with pytest.raises(TypeError, match=re.escape(message)):
        call()


def test_boxed_calls():
    counter = ow.new_counter()
    tick = ow.ops.counting_ops.tick
    assert [a["type"] for a in tick.default.arguments] == ["Counter", "Tensor", "int"]
    assert [r["type"] for r in tick.default.returns] == ["Counter"]
    assert ow.counted(tick(counter, ow.ones(1), 5)) == 5
    with pytest.raises(TypeError, match=r"must be counting_ops\.Counter, not opweave\.Generator"):
        tick(ow.Generator(), ow.ones(1), 5)


def test_operators_that_a_program_defines():
    seen = []
    with Library("watching") as library:
        library.define("watch(Counter counter, Tensor self) -> Counter")
        library.impl("watch", lambda c, t: seen.append(c) or ow.tick(c, t), "cpu")
        counter = ow.new_counter()
        assert ow.counted(ow.ops.watching.watch(counter, ow.ones(1))) == 1
    assert type(seen[0]) is counting_ops.Counter
    with Library() as library, pytest.raises(RuntimeError, match="unknown type 'Conuter'"):
        library.define("watch2(Conuter counter, Tensor self) -> Tensor")


def test_kernels_in_python():
    with Library("counting_ops", "IMPL") as library:
        library.impl("tick", lambda counter, t, by: counter, "cpu")
        counter = ow.new_counter()
        assert ow.counted(ow.tick(counter, ow.ones(1))) == 0
        library.impl("counted", lambda counter: ow.ones(1), "cpu")
        with pytest.raises(
            TypeError, match=r"a boxed kernel of counting_ops::counted\(\) left Tensor as result 0"
        ):
            ow.counted(counter)
    assert ow.counted(ow.tick(counter, ow.ones(1))) == 1


def test_batches_have_no_objects():
    with pytest.raises(
        RuntimeError, match="vmap: counting_ops::count_elements makes a Counter of a tensor that"
    ):
        ow.func.vmap(lambda t: ow.count_elements(t)[0])(ow.ones(3, 4))

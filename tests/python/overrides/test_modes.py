"""A mode sees the calls that PyTorch's sees, and what a mode is."""

import json
import threading
from pathlib import Path

import opweave as ow
import pytest
import reference
from opweave import overrides
from reference import seen_calls

SEEN = json.loads((Path(reference.__file__).parent / "data/seen_calls.json").read_text())


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("expression", seen_calls.EXPRESSIONS)
def test_a_mode_sees_what_pytorchs_sees(expression):
    assert seen_calls.answer(ow, overrides, expression) == SEEN[expression]


class Doubling(overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        return result * 2 if func is ow.add else result


def test_what_the_mode_returns_is_the_result():
    x = ow.ones(2)
    with Doubling():
        assert ow.add(x, x).tolist() == [4.0, 4.0]
    assert ow.add(x, x).tolist() == [2.0, 2.0]


def test_the_innermost_mode_is_asked_first_and_calls_of_its_own_go_to_the_next():
    with Doubling(), Doubling():
        total = ow.add(ow.ones(1), 0)
    assert total.item() == 4


def test_a_mode_that_does_not_answer_is_named():
    class Silent(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            return NotImplemented

    with Silent(), pytest.raises(TypeError, match=r"'opweave.ones'.*\n\n  - mode object .*Silent"):
        ow.ones(1)


def test_a_mode_without_the_method_raises():
    with overrides.TorchFunctionMode(), pytest.raises(NotImplementedError):
        ow.ones(1)


def test_an_error_leaves_the_modes_as_they_were():
    with Doubling():
        with pytest.raises(RuntimeError):
            ow.add(ow.ones(2), ow.ones(3))
        assert ow.add(ow.ones(1), 0).item() == 2
    assert ow._C._function_modes() == ()


def test_another_thread_has_no_mode():
    found = []
    with Doubling():
        thread = threading.Thread(target=lambda: found.append(ow.add(ow.ones(1), 0).item()))
        thread.start()
        thread.join()
    assert found == [1.0]


def test_guards_keep_modes_out():
    with Doubling(), ow._C.DisableTorchFunction():
        assert ow.add(ow.ones(1), 0).item() == 1
    with Doubling(), ow._C.DisableTorchFunctionSubclass():
        assert ow.add(ow.ones(1), 0).item() == 2


def test_redispatch_shows_what_a_function_calls():
    seen = []

    class Watching(overrides.TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(overrides.resolve_name(func))
            with self:
                return overrides.redispatch_function(func, types, args, kwargs)

    x = ow.ones(2)
    with Watching():
        ow.nn.functional.softmin(x, 0)
    assert seen == [
        "opweave.nn.functional.softmin",
        "opweave.Tensor.neg",
        "opweave.Tensor.softmax",
    ]


def test_every_function_that_can_be_taken_over_has_a_name_and_a_stand_in():
    functions = [f for found in overrides.get_overridable_functions().values() for f in found]
    assert len(functions) > 700
    assert all(overrides.resolve_name(f) for f in functions)
    stand_ins = overrides.get_testing_overrides()
    assert set(stand_ins) == set(functions)
    assert stand_ins[ow.add](1, 2) == -1
    assert not set(functions) & overrides.get_ignored_functions()
    assert {ow.zeros, ow.tensor, ow.manual_seed} <= overrides.get_ignored_functions()

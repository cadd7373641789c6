"""Every operator has a call to begin with that it accepts: what is refused at once searches nothing."""

import warnings

import opweave as ow
import pytest
import schedules
import seeds
import worker

import schemas


def refusal(calls, space):
    """None where one of the calls is accepted, else what was said to the last."""
    said = "there is no call"
    for call in calls:
        try:
            exec(compile(call.program(), "call", "exec"), dict(space))
        except Exception as error:  # noqa: BLE001: the text of it is what is told
            said = f"{type(error).__name__}: {error}\n{call.program()}"
        else:
            return None
    return said


@pytest.fixture(name="refused", scope="module")
def refused_targets():
    """Target -> what its calls were refused with, of those that accept none."""
    every = schemas.targets(schemas.all_names())
    calls, space = {}, worker.namespace()
    for call in seeds.every_call():
        calls.setdefault(call.target, []).append(call)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        said = {target: refusal(calls.get(target, []), space) for target in every}
    assert len(said) > 1000
    return {target: text for target, text in said.items() if text is not None}


def test_every_operator_has_a_call_that_it_accepts(refused):
    assert not refused, "\n".join(f"{t}: {text}" for t, text in refused.items())


def test_lists_have_the_lengths_that_schemas_say():
    assert str(schemas.value_of({"name": "mask", "type": "bool[3]"})) == "[True, True, True]"
    assert str(schemas.value_of({"name": "sizes", "type": "SymInt[]?"})) == "[1, 1]"


def test_a_type_of_which_no_value_is_known_is_an_error():
    with pytest.raises(TypeError, match="no value is known of the type Future"):
        schemas.value_of({"name": "f", "type": "Future"})


def test_overloads_that_are_words_of_python_can_be_written():
    compile(schemas.target_of("random_", "from"), "target", "eval")


def test_forms_know_what_they_are_the_forms_of():
    assert schemas.functional_of(ow.ops.add.Tensor_out) == "ow.ops.add.Tensor"
    assert schemas.functional_of(ow.ops.addmm_.default) == "ow.ops.addmm.default"
    assert schemas.functional_of(ow.ops.add.Tensor) is None


def test_every_public_module_is_searched():
    owners = {path for path, _, _ in seeds.public_callables()}
    assert {"ow", "F", "ow.nn", "ow.optim", "ow.distributed", "ow.futures", "ow.Tensor"} <= owners
    targets = {c.target for c in seeds.of_signatures()}
    wanted = {"ow.Future", "ow.distributed.all_reduce", "ow.distributed.HashStore"}
    wanted |= {f"ow.__future__.{name}" for name in dir(ow.__future__) if name.startswith("set_")}
    assert wanted - targets == set()


def test_schedules_are_accepted():
    space, called = worker.namespace(), set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for call in schedules.calls():
            assert refusal([call], space) is None, refusal([call], space)
            called.add(call.target.rpartition(".")[2])
    assert set(ow.optim.lr_scheduler.__all__) - called == {
        *("LRScheduler", "SequentialLR", "ChainedScheduler"),  # with others, in their own tests
    }


def test_what_is_left_out_is_there():
    names = {name for module in seeds.public_modules().values() for name in dir(module)}
    assert set(seeds._LEFT_OUT) - names == set()

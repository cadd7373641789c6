"""States and modules as older versions of PyTorch saved them become what PyTorch makes of them
(tests/reference/old_states.py)."""

import io
import json

import opweave
import pytest
from reference import files, old_states

RECORDED = files.recorded("old_states")


@pytest.mark.parametrize("name", old_states.CASES)
def test_becomes_what_pytorch_makes_of_it(name):
    assert json.loads(json.dumps(old_states.answer(opweave, name))) == RECORDED[name]


def test_every_case_is_recorded():
    assert set(old_states.CASES) == set(RECORDED)


def test_hooks_of_loading_go_into_files_with_their_modules():
    layer = opweave.nn.utils.spectral_norm(opweave.nn.Linear(2, 2))
    file = io.BytesIO()
    opweave.save(layer, file)
    file.seek(0)
    again = opweave.load(file, weights_only=False)
    again.load_state_dict(layer.state_dict())
    (hook,) = again._load_state_dict_pre_hooks.values()
    assert hook.hook.fn is not next(iter(layer._load_state_dict_pre_hooks.values())).hook.fn


def test_a_hook_without_its_module_is_told():
    layer = opweave.nn.Linear(1, 1)
    layer.register_load_state_dict_pre_hook(lambda *given: None)
    (hook,) = layer._load_state_dict_pre_hooks.values()
    del layer
    with pytest.raises(RuntimeError, match="whose module is gone"):
        hook({}, "", {}, True, [], [], [])
    with pytest.raises(RuntimeError, match="after its module was gone"):
        type(hook).__new__(type(hook)).__setstate__(hook.__getstate__())


def test_statistics_that_a_layer_does_not_keep_are_named():
    layer = opweave.nn.InstanceNorm2d(1)
    with pytest.raises(RuntimeError, match="'running_mean' and 'running_var' for InstanceNorm2d"):
        layer.load_state_dict({"running_mean": opweave.ones(1), "running_var": opweave.ones(1)})


def test_a_copy_that_fails_is_told_with_all_else_that_is_wrong():
    class Stubborn(opweave.Tensor):
        def copy_(self, *args, **kwargs):
            raise ValueError("not this one")

    module = opweave.nn.Module()
    module.register_buffer("a", opweave.zeros(2).as_subclass(Stubborn))
    module.register_buffer("b", opweave.zeros(2))
    with pytest.raises(RuntimeError) as error:
        module.load_state_dict({"a": opweave.ones(2), "c": opweave.ones(2)})
    for text in ('Missing key(s) in state_dict: "b"', 'named "a"', "('not this one',)", '"c"'):
        assert text in str(error.value)

"""States and modules as older versions of PyTorch saved them become what PyTorch makes of them
(tests/reference/old_states.py)."""

import io
import json
from pathlib import Path

import opweave
import pytest
from reference import files, old_states, state_search

RECORDED = files.recorded("old_states")


@pytest.mark.parametrize("name", old_states.CASES)
def test_becomes_what_pytorch_makes_of_it(name):
    assert json.loads(json.dumps(old_states.answer(opweave, name))) == RECORDED[name]


# Where PyTorch's text knows of older files (tests/reference/record_older.py), and what tests it here.
KNOWS = {
    "torch._tensor.Tensor.__setstate__": "tensors_of_the_first_versions",
    "torch.amp.grad_scaler.GradScaler.__setstate__": "",  # of pickles of today
    "torch.nn.modules.activation.LogSoftmax.__setstate__": "softmax_without_a_dimension",
    "torch.nn.modules.activation.MultiheadAttention.__setstate__": "attention_of_one_width",
    "torch.nn.modules.activation.Softmax.__setstate__": "softmax_without_a_dimension",
    "torch.nn.modules.activation.Softmin.__setstate__": "softmax_without_a_dimension",
    "torch.nn.modules.batchnorm._NormBase._load_from_state_dict": "batch_norm_without_a_count",
    "torch.nn.modules.conv._ConvNd.__setstate__": "convolutions_that_pad_with_zeros",
    "torch.nn.modules.instancenorm._InstanceNorm._load_from_state_dict": "instance_norm_with_statistics",
    "torch.nn.modules.lazy.LazyModuleMixin.__init__ registers a hook": "lazy_layers_and_states_with_sizes",
    "torch.nn.modules.module.Module.__setstate__": "a_module_without_hooks",
    "torch.nn.modules.module.Module._load_from_state_dict": "one_element_for_none_of_the_dimensions",
    "torch.nn.modules.module.Module.register_load_state_dict_pre_hook registers a hook": (
        "hooks_rename_what_they_are_given"
    ),
    "torch.nn.modules.module._WrappedHook.__setstate__": "hooks_of_copies_get_the_copy",
    "torch.nn.modules.pooling.AvgPool3d.__setstate__": "pooling_of_volumes",
    "torch.nn.modules.rnn.RNNBase.__setstate__": "recurrent_layers_with_parameters_for_names",
    "torch.nn.modules.transformer.TransformerDecoderLayer.__setstate__": "transformers_with_relu",
    "torch.nn.modules.transformer.TransformerEncoderLayer.__setstate__": "transformers_with_relu",
    "torch.nn.modules.upsampling.Upsample.__setstate__": "upsampling_that_computes_its_factor",
    "torch.nn.parallel.distributed.DistributedDataParallel.__setstate__": "",  # needs a group
    "torch.nn.utils.parametrizations.weight_norm registers a hook": "weight_norm_of_a_linear",
    "torch.nn.utils.spectral_norm.SpectralNorm.apply registers a hook": (
        "spectral_norm_of_before_version_1"
    ),
    "torch.optim._adafactor.Adafactor.__setstate__": "older_states_of_Adafactor",
    "torch.optim.optimizer.Optimizer.__setstate__": "optimizers_that_were_pickled_whole",
    "torch.utils.hooks.RemovableHandle.__setstate__": "handles_of_one_dictionary",
    **{
        f"torch.optim.{name.lower()}.{name}.__setstate__": f"older_states_of_{name}"
        for name in (
            *("Adadelta", "Adagrad", "Adam", "Adamax", "AdamW", "ASGD", "NAdam", "RAdam"),
            *("RMSprop", "Rprop", "SGD"),
        )
    },
}


def test_all_that_pytorch_knows_of_older_files_has_a_case():
    known = (Path(__file__).parent / "knows_of_older_files.txt").read_text().splitlines()
    assert set(known) == set(KNOWS)
    assert {case for case in KNOWS.values() if case} <= set(old_states.CASES)


def test_a_model_of_several_processes_is_older_than_its_options(tmp_path):
    dist = opweave.distributed
    dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=1)
    try:
        model = opweave.nn.parallel.DistributedDataParallel(opweave.nn.Linear(1, 1))
        state = model.__getstate__() | {"broadcast_buffers": False}
        for name in ("require_backward_grad_sync", "forward_sync_buffers", "_state_dict_hooks"):
            del state[name]
        again = type(model).__new__(type(model))
        again.__setstate__(state)
        assert again.require_backward_grad_sync
        assert not again.forward_sync_buffers
        assert sorted(again.state_dict()) == ["module.bias", "module.weight"]
    finally:
        dist.destroy_process_group()


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


def test_states_that_chance_has_changed_are_loaded_as_by_pytorch():
    found, wanted = state_search.record(opweave), files.recorded("state_search")
    assert set(found) == set(wanted)
    differing = {
        seed: (json.loads(json.dumps(found[seed])), answer)
        for seed, answer in wanted.items()
        if answer != "told by nobody" and json.loads(json.dumps(found[seed])) != answer
    }
    assert differing == {}
    assert "told by nobody" not in found.values()

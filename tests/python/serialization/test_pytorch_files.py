"""Files that PyTorch has written are read, and say what they said."""

import collections
import pickle

import opweave
import pytest
from reference import files
from support.same import same


def path(name):
    return files.FOLDER / f"{name}.pt"


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("name", sorted(set(files.OBJECTS) - {"module"}))
def test_is_read(name, mmap):
    same(opweave.load(path(name), mmap=mmap), files.OBJECTS[name](opweave))


@pytest.mark.parametrize("name", sorted(set(files.OBJECTS) - {"module"}))
def test_is_read_by_pickle(name):
    same(opweave.load(path(name), weights_only=False), files.OBJECTS[name](opweave))


def test_views_share_their_storage():
    found = opweave.load(path("views"))
    assert len({t.untyped_storage()._cdata for t in found.values()}) == 1


def test_a_state_dict_has_its_metadata():
    found = opweave.load(path("state_dict"))
    assert isinstance(found, collections.OrderedDict)
    assert found._metadata["2"] == {"version": 2}
    files._filled(opweave).load_state_dict(found)


def test_training_goes_on():
    found, model = opweave.load(path("training")), files._filled(opweave)
    optimizer = opweave.optim.SGD(model.parameters(), lr=1.0)
    model.load_state_dict(found["model"])
    optimizer.load_state_dict(found["optimizer"])
    assert optimizer.param_groups[0]["lr"] == 0.25
    assert optimizer.state[next(model.parameters())]["momentum_buffer"].tolist() == [[1.0] * 3] * 4


def test_a_module_computes():
    found = opweave.load(path("module"), weights_only=False).eval()
    x = opweave.ones(2, 3)
    assert opweave.equal(found(x), files._filled(opweave).eval()(x))


def test_a_module_is_refused_and_says_what_to_do():
    with pytest.raises(
        pickle.UnpicklingError, match=r"torch\.nn\.modules\.container\.Sequential"
    ) as error:
        opweave.load(path("module"))
    for hint in ("add_safe_globals", "safe_globals([Sequential])", "weights_only=False"):
        assert hint in str(error.value)


def test_a_module_is_read_with_its_classes_allowed():
    unsafe = opweave.serialization.get_unsafe_globals_in_checkpoint(path("module"))
    assert sorted(unsafe) == [
        "torch.nn.modules.activation.ReLU",
        "torch.nn.modules.batchnorm.BatchNorm1d",
        "torch.nn.modules.container.Sequential",
        "torch.nn.modules.linear.Linear",
    ]
    nn = opweave.nn
    with opweave.serialization.safe_globals([nn.ReLU, nn.BatchNorm1d, nn.Sequential, nn.Linear]):
        assert len(opweave.load(path("module"))) == 4
    with pytest.raises(pickle.UnpicklingError):
        opweave.load(path("module"))


def test_programs_are_refused_by_name():
    with pytest.raises(RuntimeError, match="TorchScript archive"):
        opweave.load(path("script"))

"""PyTorch's own samples of layers and optimizers, answered there and here; and that differences are found."""

import json
import os
import pickle
import subprocess
import sys

import known
import opweave as ow
import pytest
from answers import answer, differences
from meant import MEANT
from objects import ObjectReader, ObjectWriter, keep_arguments
from support import python_with_torch


def replayed(path):
    """Lines of replay.py: in a process of its own, so that one which ends early is seen."""
    paths = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "tests/moduleinfos/replay.py", path]
    done = subprocess.run(command, capture_output=True, text=True, env=paths)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if not lines or "done" not in lines[-1]:
        pytest.fail(
            f"{lines[-1:]}: ends the process with {done.returncode}:\n{done.stderr[-2000:]}"
        )
    return lines[:-1]


@pytest.fixture(scope="module")
def lines(tmp_path_factory):
    path = tmp_path_factory.mktemp("moduleinfos") / "answers.pickle"
    command = [python_with_torch(), "tests/moduleinfos/record.py", path]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[-4000:]
    return replayed(path)


def test_nothing_is_different_that_is_not_meant(lines):
    new = known.unknown([each for each in lines if "kind" in each], MEANT)
    told = [f"{d['name']} {d['form']} {d['dtype']}: {d['kind']}: {d['words']}" for d in new]
    if told:
        pytest.fail("\n".join(told[:200]), pytrace=False)  # whole, where pytest would shorten it


def test_what_is_meant_is_there(lines):
    assert known.unused([each for each in lines if "kind" in each], MEANT) == []


def test_most_layers_and_optimizers_are_seen(lines):
    assert len({each["name"] for each in lines}) > 120
    assert sum("kind" not in each for each in lines) > 6000


# --- without PyTorch ----------------------------------------------------------------------------------------
@pytest.fixture(name="linear")
def sample_of_linear():
    writer = ObjectWriter(ow)
    return {
        "kind": "layer",
        "name": "Linear",
        "form": "",
        "made with": (writer.write((3, 2)), writer.write({})),
        "inputs": (writer.write((ow.ones(4, 3, requires_grad=True),)), writer.write({})),
        "storages": writer.storages,
        "dtype": "float64",
        "trains": True,
        "twice": True,
    }


@pytest.fixture(name="sgd")
def sample_of_sgd():
    options = ObjectWriter(ow).write({"lr": 0.1, "momentum": 0.9})
    more = {"options": options, "storages": [], "dtypes": ["float32"]}
    return {"kind": "optimizer", "name": "SGD", "form": "", "dtype": "float32", **more}


def test_a_layer_is_looked_at_as_a_whole(linear):
    linear["inputs"] = linear["inputs"][0], ("dict", [])
    found = answer(ow, {**linear, "dtype": "float32"})
    assert found["repr"] == "Linear(in_features=3, out_features=2, bias=True)"
    assert [found["names"], found["state"][1]] == [[["weight", "bias"], []], ["weight", "bias"]]
    assert {"output", "output of a copy", "gradient 1 of 0", "gradient 2 of 1"} <= set(found)
    assert not list(differences(found, found))


def test_another_layer_and_errors_are_different(linear):
    want = answer(ow, {**linear, "dtype": "float32"})
    other = {**linear, "dtype": "float32", "made with": (("sequence", [3, 5]), ("dict", []))}
    words = [f"{kind} {said}" for kind, said in differences(want, answer(ow, other))]
    assert any(each.startswith("size output: ") for each in words)
    assert any(each.startswith("values repr: ") for each in words)
    broken = answer(ow, {**other, "made with": (("sequence", [7, 5]), ("dict", []))})
    assert next(kind for kind, _ in differences(want, broken)) == "refused"
    assert next(kind for kind, _ in differences(broken, want)) == "accepted"
    assert not list(differences(broken, broken))


def test_other_steps_of_an_optimizer_are_different(sgd):
    want = answer(ow, sgd)
    assert {"repr", "options", "loss 0", "parameters 5", "state"} <= set(want)
    assert not list(differences(want, answer(ow, {**sgd, "reloaded": True})))
    other = {**sgd, "options": ("dict", [("lr", 0.1), ("momentum", 0.8)])}
    said = [words.split(":")[0] for _, words in differences(want, answer(ow, other))]
    assert "parameters 1" in said
    assert "parameters 0" not in said


def test_what_ends_the_process_is_a_failure(tmp_path, linear):
    path = tmp_path / "answers.pickle"
    path.write_bytes(pickle.dumps([({**linear, "storages": [], "kind": 3}, {})])[:-1])
    with pytest.raises(pytest.fail.Exception, match="ends the process with 1"):
        replayed(path)


def test_layers_functions_and_packed_sequences_are_written(monkeypatch):
    monkeypatch.setattr(ow.nn.Module, "__new__", ow.nn.Module.__new__, raising=False)
    keep_arguments(ow)
    packed = ow.nn.utils.rnn.pack_sequence([ow.ones(3), ow.zeros(2)])
    writer = ObjectWriter(ow)
    written = writer.write([ow.nn.Linear(2, 3, bias=False), ow.nn.functional.relu, packed])
    layer, function, sequence = ObjectReader(ow, writer.storages).read(written)
    assert repr(layer) == "Linear(in_features=2, out_features=3, bias=False)"
    assert function is ow.nn.functional.relu
    assert sequence.data.tolist() == packed.data.tolist()
    assert sequence.batch_sizes.tolist() == [2, 2, 1]

"""Files that are no checkpoint: the error is of PyTorch's class, and an UnpicklingError where PyTorch's is an
accident of what the bytes mean to pickle (tests/reference/no_checkpoints.py)."""

import io
import pickle

import opweave
import pytest
from reference import files, no_checkpoints

RECORDED = files.recorded("no_checkpoints")
# What PyTorch raises on purpose; KeyError, IndexError and others are what its reader happens to do.
MEANT = {
    "EOFError": EOFError,
    "RuntimeError": RuntimeError,
    "UnpicklingError": pickle.UnpicklingError,
}
# Read here and not there: the record is not needed, and other protocols are no secret.
READ = {"zip without a version", "old checkpoint of protocol 4"}


@pytest.mark.parametrize("way", no_checkpoints.WAYS)
@pytest.mark.parametrize("name", no_checkpoints.FILES)
def test_is_told(name, way):
    content, recorded = no_checkpoints.FILES[name], RECORDED[name]
    answer = recorded[no_checkpoints.WAYS.index(way)]
    if "read" in answer or name in READ:
        assert opweave.load(io.BytesIO(content), weights_only=way) == {"a": 1}
        return
    error = MEANT.get(answer["error"], pickle.UnpicklingError)
    file = io.BytesIO(content)
    with pytest.raises(error):
        opweave.load(file, weights_only=way)
    assert file.tell() == 0


@pytest.mark.parametrize("way", no_checkpoints.WAYS)
def test_whoever_expects_either_class_gets_it(way):
    """PyTorch's class depends on the first bytes, and programs try one reader after another."""
    for content in (b"hello world\n", b"\0" * 600, pickle.dumps(1), pickle.dumps({"a": 1}, 2)):
        for error in (pickle.UnpicklingError, RuntimeError):
            with pytest.raises(error):
                opweave.load(io.BytesIO(content), weights_only=way)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("text", "is no checkpoint: it is not a zip archive"),
        ("a page", "is text, as of a web page"),
        ("a pointer of git", "git lfs pull"),
        ("safetensors", "looks like safetensors"),
        (
            "tar of the first versions",
            r"a tar archive, the format that PyTorch wrote before version 0\.1\.10",
        ),
        ("zip of others", r"without the record data\.pkl"),
        ("pickle of protocol 2", "is a pickle and not a checkpoint"),
        (
            "old, of another version",
            "is of version 1002 of the format that PyTorch wrote before 1.6",
        ),
        ("old, without its content", "was cut off: it ends at byte"),
        ("empty", "is empty"),
    ],
)
def test_says_what_it_is(name, text):
    with pytest.raises((RuntimeError, EOFError), match=text):
        opweave.load(io.BytesIO(no_checkpoints.FILES[name]))

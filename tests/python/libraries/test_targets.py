"""Hardware targets in libraries of their own: what is said where one is missing or broken."""

import re

import pytest
from support import is_pytorch

pytestmark = pytest.mark.skipif(is_pytorch(), reason="PyTorch's devices are built in")


def test_a_target_that_is_not_installed(ow):
    assert ow.cuda.is_available() is False
    assert ow.cuda.device_count() == 0
    ow.cuda.empty_cache()
    with pytest.raises(RuntimeError, match=r"^opweave\.cuda\.synchronize: no usable cuda device$"):
        ow.cuda.synchronize()


@pytest.mark.parametrize("name", ["cuda", "mps", "xpu"])
def test_a_device_that_pytorch_has_can_be_made_and_has_nothing(ow, name):
    assert str(ow.device(name, 1)) == f"{name}:1"
    message = f"device type '{name}' has no devices: its target is not loaded"
    for call in (lambda: ow.ones(2, device=name), lambda: ow.ones(2).to(f"{name}:0")):
        with pytest.raises(RuntimeError, match=f"^{re.escape(message)}$"):
            call()


@pytest.mark.parametrize("name", ["npu"])
def test_a_device_of_a_target_that_is_not_installed(ow, name):
    message = (
        f"Expected one of {ow._C._device_types()} device type at start of device string: {name}; no "
        f"target library "
        f"libopweave_{name}.so is installed in the package's folder 'targets' or named by "
        "OPWEAVE_TARGETS"
    )
    for call in (
        lambda: ow.ones(2, device=name),
        lambda: ow.ones(2).to(f"{name}:0"),
        lambda: ow.device(name, 1),
    ):
        with pytest.raises(RuntimeError, match=f"^{re.escape(message)}$"):
            call()


def test_no_module_of_an_unknown_target(ow):
    with pytest.raises(AttributeError, match=r"^module 'opweave' has no attribute 'npu'$"):
        _ = ow.npu


def test_a_library_that_cannot_be_loaded(ow, tmp_path, monkeypatch):
    library = tmp_path / "libopweave_npu.so"
    library.write_bytes(b"not a library")
    monkeypatch.setenv("OPWEAVE_TARGETS", str(tmp_path))
    with pytest.raises(RuntimeError, match=f"^cannot load target library: {library}: "):
        ow.device("npu")


def test_a_library_that_is_no_target(ow):
    library = ow._C.__file__
    message = f"target library {library} does not define opweave_register_target"
    with pytest.raises(RuntimeError, match=f"^{re.escape(message)}$"):
        ow._C._load_target_library(library)


def test_options_of_pytorchs_allocator_are_told_to_have_no_effect(monkeypatch):
    """A library that loads, under the name of the target that has none of the options."""
    from opweave import _C, _targets

    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
    monkeypatch.setattr(_targets, "available", lambda: {"cuda": "libopweave_cuda.so"})
    monkeypatch.setattr(_targets, "_loaded", {})
    monkeypatch.setattr(_targets, "mark_tensors", lambda name: None)
    monkeypatch.setattr(_C, "_load_target_library", lambda path: None)
    with pytest.warns(UserWarning, match=r"^PYTORCH_CUDA_ALLOC_CONF is set and has no effect"):
        assert _targets.load("cuda")
    assert _targets.load("cuda")  # once: warnings are errors here

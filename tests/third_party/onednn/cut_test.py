"""What the wheel carries of oneDNN answers what the whole library does, for every kind of processor."""

import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

CUT = Path("third_party/onednn/cut.py")
WHOLE = Path("/usr/lib/x86_64-linux-gnu/libdnnl.so.2")
CALLERS = [Path("bindings/native/libopweave.so"), Path("tests/third_party/onednn/probe")]
# Those that the library can be told to take the processor for; it takes no more than there is.
PROCESSORS = ("SSE41", "AVX", "AVX2", "AVX512_CORE", "ALL")


def cut(out, *callers, library=WHOLE):
    command = [sys.executable, CUT, "--library", library, "--out", out]
    command += [f"--caller={caller}" for caller in callers]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture(name="folder", scope="module")
def folder_of_the_part(tmp_path_factory):
    """Holds what our library calls, and the probe, which walks whole lists: ours takes the first of each."""
    folder = tmp_path_factory.mktemp("part")
    done = cut(folder / "libdnnl.so.2", *CALLERS)
    assert done.returncode == 0, done.stderr
    return folder


def probed(processor, folder):
    settings = {
        "ONEDNN_MAX_CPU_ISA": processor,
        "LD_LIBRARY_PATH": str(folder),
        "OMP_NUM_THREADS": "1",  # others run beside it
    }
    environment = os.environ | settings
    done = subprocess.run([CALLERS[1].resolve()], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{processor}: {done.returncode} {done.stderr}"
    return done.stdout.splitlines()


@pytest.mark.parametrize("processor", PROCESSORS)
def test_every_implementation_answers_alike(folder, processor):
    part, whole = probed(processor, folder), probed(processor, WHOLE.parent)
    assert len(whole) > 1400
    assert part == whole


def test_the_probe_meets_what_processors_are_for():
    met = {line.split()[3] for line in probed("AVX2", WHOLE.parent) if "jit" in line}
    assert {"jit:avx2", "jit_1x1:avx2", "x64:gemm:jit"} <= met


def test_the_part_packs_to_half(folder):
    sizes = [len(zlib.compress(path.read_bytes())) for path in (folder / "libdnnl.so.2", WHOLE)]
    assert sizes[0] < sizes[1] / 2


def test_what_is_not_called_is_gone(folder):
    """A primitive of another kind ends the process: were it answered, nothing would have been cut."""
    program = """import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
engine = ctypes.c_void_p()
assert library.dnnl_engine_create(ctypes.byref(engine), 1, 0) == 0
print("made", flush=True)
library.dnnl_softmax_forward_desc_init(ctypes.create_string_buffer(4096), 64, None, 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, folder / "libdnnl.so.2"], capture_output=True, text=True
    )
    assert done.stdout == "made\n"
    assert done.returncode < 0


def test_a_caller_of_nothing_is_an_error(tmp_path):
    done = cut(tmp_path / "out", "/usr/bin/true")
    assert done.returncode != 0
    assert "nothing calls the library" in done.stderr
    assert not (tmp_path / "out").exists()


def test_another_library_is_an_error(tmp_path):
    done = cut(tmp_path / "out", CALLERS[0], library="/usr/lib/x86_64-linux-gnu/libstdc++.so.6")
    assert done.returncode != 0
    assert "has no class that descends from N4dnnl4impl16primitive_desc_tE" in done.stderr

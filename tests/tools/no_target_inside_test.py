"""What belongs to a hardware target stands in a library of its own, not in those that everybody gets."""

import re
import subprocess

import pytest

TARGETS = re.compile(r"cuda|cublas|cudnn|nvrtc|libnccl", re.IGNORECASE)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    "library", ["bindings/native/libopweave.so", "bindings/python/opweave/_C.so"]
)
def test_no_code_of_a_target(library):
    symbols = output("nm", "--dynamic", "--demangle", library)
    assert "opweave::" in symbols
    headers = output("objdump", "--private-headers", library)
    assert "NEEDED" in headers
    found = [line for line in (symbols + headers).splitlines() if TARGETS.search(line)]
    assert not found

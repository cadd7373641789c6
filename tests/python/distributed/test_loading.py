"""Programs of one process do not load what only distributed ones need."""

import subprocess
import sys

LOADED = """
import sys
import opweave
before = open("/proc/self/maps").read()
assert "opweave._distributed" not in sys.modules
assert not any(name in before for name in ("_distributed.so", "libgloo", "libcurl"))
opweave.distributed.HashStore().set("k", "v")
after = open("/proc/self/maps").read()
assert "libgloo" in after and "libcurl" not in after
"""


def test_the_extension_is_loaded_when_it_is_used():
    subprocess.run([sys.executable, "-c", LOADED], check=True)

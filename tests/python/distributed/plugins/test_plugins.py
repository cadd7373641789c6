"""Backends in libraries of their own: found, loaded once, and said what is wrong with."""

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import opweave as ow
import opweave.distributed as dist
import pytest

HOLLOW, TINY = os.environ["OPWEAVE_BACKENDS"].split(":")
ALONE = {"rank": 0, "world_size": 1}


def test_a_backend_of_another_repository():
    with ThreadPoolExecutor(8) as threads:  # one of them loads it
        found = list(threads.map(lambda _: dist.is_backend_available("tiny"), range(8)))
    assert found == [True] * 8
    dist.init_process_group("TINY", store=dist.HashStore(), **ALONE)
    try:
        assert dist.get_backend() == "tiny"
        dist.barrier()
        with pytest.raises(dist.DistBackendError, match="tiny knows barriers alone"):
            dist.all_reduce(ow.ones(2))
    finally:
        dist.destroy_process_group()
    with pytest.raises(RuntimeError, match="tiny c10d backend already exist"):
        dist.Backend.register_backend("tiny", lambda *_: None)


def test_a_library_without_the_function():
    assert not dist.is_backend_available("hollow")
    with pytest.raises(
        RuntimeError,
        match=r"libopweave_hollow\.so is no library of the backend 'hollow': it does not define "
        r"opweave_register_backend\(\)",
    ):
        dist.init_process_group("hollow", store=dist.HashStore(), **ALONE)


def in_another_process(name, places):
    program = (
        "import opweave.distributed as dist\n"
        "for _ in range(2):\n"
        "    try:\n"
        f"        dist.init_process_group({name!r}, store=dist.HashStore(), rank=0, world_size=1)\n"
        "    except Exception as error:\n"
        "        print(type(error).__name__, error)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"OPWEAVE_BACKENDS": str(places), "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.splitlines()


def test_a_library_that_registers_another_name(tmp_path):
    shutil.copy(TINY, tmp_path / "libopweave_misnamed.so")
    text = "RuntimeError the library libopweave_misnamed.so registers no backend 'misnamed'"
    assert in_another_process("misnamed", tmp_path) == [text] * 2


def test_a_library_that_cannot_be_loaded(tmp_path):
    for name in ("broken", "mpi"):
        (tmp_path / f"libopweave_{name}.so").write_text("no library")
    for line in in_another_process("broken", tmp_path):
        assert line.startswith(
            "RuntimeError the library of the backend 'broken' cannot be loaded: "
        )
        assert "libopweave_broken.so" in line
    for line in in_another_process("mpi", tmp_path):
        assert line.startswith(
            "RuntimeError Distributed package doesn't have MPI built in: install"
        )
        assert "the library of the backend 'mpi' cannot be loaded" in line


def test_names_that_are_no_files():
    for name in ("../tiny", "", "a b", "nope"):
        assert not dist.is_backend_available(name)

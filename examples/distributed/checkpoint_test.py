"""A run that is killed and started again is one without a pause, to the bit; what happens to its file."""

import errno
import io
import os
import re
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import opweave as ow
import pytest

PROGRAM = Path(__file__).with_name("checkpoint.py")


def runs(
    file: Path, *options: str, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "opweave.distributed.run", "--standalone"]
    return subprocess.run(
        [*command, "--nproc-per-node", "2", PROGRAM, file, *options],
        capture_output=True,
        text=True,
        timeout=120,
        env=dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), OMP_NUM_THREADS="1"),
        check=False,
        preexec_fn=before,
    )


def told(done: subprocess.CompletedProcess[str]) -> tuple[str, str]:
    """The first step and the hash that each rank tells, which has to be the same."""
    assert done.returncode == 0, done.stderr
    found = re.findall(r"rank \d: steps (\d+) to \d+, parameters (\w+)", done.stdout)
    assert len(found) == 2
    assert found[0] == found[1]
    first, digest = found[0]
    return first, digest


def test_a_killed_run_goes_on_to_the_same_bits(tmp_path: Path) -> None:
    whole = told(runs(tmp_path / "whole"))
    killed = runs(tmp_path / "parts", "--die-at", "12")
    assert killed.returncode != 0
    assert ow.load(tmp_path / "parts")["step"] == 10
    first, digest = told(runs(tmp_path / "parts"))
    assert (first, digest) == ("10", whole[1])
    assert told(runs(tmp_path / "parts")) == ("20", whole[1])


@pytest.mark.parametrize("compress", ["topk", "powersgd", "int8"])
def test_a_killed_run_with_compressed_gradients(compress: str, tmp_path: Path) -> None:
    """Goes on with what each rank has left behind."""
    options = ("--compress", compress)
    whole = told(runs(tmp_path / "whole", *options))
    assert runs(tmp_path / "parts", "--die-at", "12", *options).returncode != 0
    assert told(runs(tmp_path / "parts", *options)) == ("10", whole[1])
    assert whole != told(runs(tmp_path / "plain"))


def test_a_stop_and_more_steps(tmp_path: Path) -> None:
    """Also in the middle of an epoch: 100 points are 7 batches of 8 for each of 2 ranks."""
    whole = told(runs(tmp_path / "whole", "--steps", "9"))
    told(runs(tmp_path / "parts", "--steps", "3"))
    assert told(runs(tmp_path / "parts", "--steps", "9")) == ("3", whole[1])


@pytest.fixture(name="written", scope="module")
def written_file(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A checkpoint of two steps."""
    file = tmp_path_factory.mktemp("written") / "checkpoint"
    told(runs(file, "--steps", "2"))
    return file.read_bytes()


def test_a_full_disk_leaves_the_checkpoint_before(written: bytes, tmp_path: Path) -> None:
    file = tmp_path / "checkpoint"
    file.write_bytes(written)
    full = runs(
        file, "--steps", "4", before=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))
    )
    assert full.returncode != 0
    assert re.search(rf"\[Errno {errno.EFBIG}\] .*: '{file}'", full.stderr), full.stderr
    assert file.read_bytes() == written
    assert os.listdir(tmp_path) == ["checkpoint"]


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def turned(data: bytes) -> bytes:
    """With another bit in a tensor."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        name = next(n for n in archive.namelist() if n.endswith("/data/0"))
        tensor = archive.read(name)
    place = data.index(tensor)
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize("damage", [cut, turned])
def test_a_damaged_checkpoint_is_refused_by_name(
    written: bytes, damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    file = tmp_path / "checkpoint"
    file.write_bytes(damage(written))
    done = runs(file)
    assert done.returncode != 0
    assert f"RuntimeError: {file} is damaged" in done.stderr
    assert file.read_bytes() == damage(written)

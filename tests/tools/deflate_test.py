"""What the wheel's packer writes is what zlib reads."""

import importlib.util
import random
import zipfile
import zlib
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location("deflate", "tools/wheel/deflate.py")
assert SPEC is not None
assert SPEC.loader is not None
deflate = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(deflate)

TEXT = Path(__file__).read_bytes() * 50
CONTENTS = [b"", b"a", TEXT, random.Random(0).randbytes(100_000)]


@pytest.mark.parametrize("content", CONTENTS, ids=["nothing", "a byte", "text", "noise"])
def test_zlib_reads_it(content: bytes) -> None:
    assert zlib.decompress(deflate.deflated(content), wbits=-15) == content


def test_is_smaller_than_zlibs() -> None:
    assert len(deflate.deflated(TEXT)) < len(zlib.compress(TEXT, 9))


def test_members_of_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with deflate.used_by_zipfile(), zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("text"), TEXT, zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo("stored"), b"b", zipfile.ZIP_STORED)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert (archive.read("text"), archive.read("stored")) == (TEXT, b"b")
        packed = archive.getinfo("text").compress_size
    assert packed == len(deflate.deflated(TEXT))


def test_other_archives_are_written_as_ever() -> None:
    own = vars(zipfile)["_get_compressor"]
    with deflate.used_by_zipfile():
        assert vars(zipfile)["_get_compressor"] is not own
    assert vars(zipfile)["_get_compressor"] is own

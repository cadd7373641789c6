"""What a file is that load() is given: an archive, of the old format, or something else, by its name."""

import contextlib
import pickle
import re
import tarfile

from opweave.serialization._archive import looks_like_archive

# What old files of PyTorch begin with: a number, pickled by protocol 2, or by another that was asked for.
_NUMBER = bytes.fromhex("8a0a6cfc9c46f9206aa850192e")
_OLD = re.compile(rb"\x80[\2-\5](\x95.{8})?" + re.escape(_NUMBER), re.DOTALL)


class NoCheckpointError(pickle.UnpicklingError, RuntimeError):
    """A file that is none. PyTorch raises one or the other, by what the bytes happen to mean to pickle."""


def start_of(file, title):
    """Whether a checkpoint begins where a file stands: "archive" or "old", and the file stays there.

    Raises:
        NoCheckpointError: something else does.
        EOFError: nothing does.
    """
    at = file.tell()
    if looks_like_archive(file):
        return "archive"
    start = file.read(512)
    file.seek(at)
    if _OLD.match(start):
        return "old"
    if not start and at == 0:
        raise EOFError(f"{title} is empty")
    if not start:
        raise EOFError(
            f"{title} is at its end, byte {at}, and what is loaded begins where it stands: seek(0) goes back"
        )
    where = f", at byte {at} where it stands," if at else ""
    raise NoCheckpointError(f"{title}{where} {_format_of(start)}")


def _format_of(start):
    if start[257:262] == b"ustar" or _is_tar(start):
        return "is a tar archive, the format that PyTorch wrote before version 0.1.10, which is not read"
    if len(start) > 2 and (b"\x80\2" + _NUMBER).startswith(start):
        return "was cut off: it is the beginning of a file that PyTorch wrote before version 1.6"
    if start[:1] == b"\x80":
        return "is a pickle and not a checkpoint; pickle.load() may read it, if you trust it"
    if start[8:9] == b"{":
        return "looks like safetensors: opweave.utils.safetensors.load_file() reads those"
    if start.startswith(b"version https://git-lfs"):
        return "is what git has in the place of a large file: `git lfs pull` gets the file itself"
    if start.lstrip()[:1] == b"<":
        return "is text, as of a web page: the download of a file may have failed"
    return "is no checkpoint: it is not a zip archive, which checkpoints are, and nothing else that is known"


def _is_tar(start):
    with contextlib.suppress(tarfile.TarError):
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
        return True
    return False


def check_content(archive, title):
    """NoCheckpointError unless an archive has what is read of it."""
    if "constants.pkl" in archive:
        raise NoCheckpointError(
            f"{title} is a TorchScript archive, a program and not a checkpoint, which is not read. "
            f"In PyTorch, "
            "torch.save(torch.jit.load(path).state_dict(), path) saves its weights"
        )
    if "data.pkl" not in archive:
        raise NoCheckpointError(
            f"{title} is a zip archive without the record data.pkl: it is no checkpoint"
        )

"""Saving and loading: files of one GB, and of many small tensors."""

import atexit
import shutil
import tempfile
from pathlib import Path

import opweave
import torch
from measure import Pair, function
from rows import add_row

GB = [1 << 28, 1 << 28, 1 << 27, 1 << 27, 1 << 28]  # bytes of each tensor


def _large(xp) -> dict:
    return {f"w{i}": xp.ones(size // 4) for i, size in enumerate(GB)}


def _many(xp) -> dict:
    return {f"layer{i}.weight": xp.ones(16, 16) for i in range(10_000)}


def _folder() -> Path:
    """On the disk, where files are written; gone at the end."""
    folder = Path(tempfile.mkdtemp(prefix="opweave-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _saving(make):
    def prepare() -> Pair:
        folder = _folder()
        return Pair(*(_save(xp, make(xp), folder / xp.__name__) for xp in (opweave, torch)))

    return prepare


def _save(xp, state, path):
    return function(lambda: xp.save(state, path))


def _loading(make, **options):
    def prepare() -> Pair:
        path = _folder() / "state.pt"
        torch.save(make(torch), path)
        return Pair(*(_load(xp, path, options) for xp in (opweave, torch)))

    return prepare


def _load(xp, path, options):
    return function(lambda: xp.load(path, **options))


add_row("save of 1 GB", "PyTorch", 0.7, _saving(_large))
add_row("load of 1 GB", "PyTorch", 0.7, _loading(_large))
add_row("load of 1 GB, mmap", "PyTorch", 0.7, _loading(_large, mmap=True))
add_row("save of 10,000 tensors", "PyTorch", 1.0, _saving(_many))
add_row("load of 10,000 tensors", "PyTorch", 0.7, _loading(_many))

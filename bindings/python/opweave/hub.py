"""Files of weights from addresses, and models of a checkout's hubconf.py, after torch.hub."""

import contextlib
import hashlib
import importlib.util
import os
import pathlib
import re
import sys
import urllib.request
import zipfile
from urllib.parse import urlparse

from opweave import _atomic_files

__all__ = [
    "download_url_to_file",
    "get_dir",
    "help",
    "list",
    "load",
    "load_state_dict_from_url",
    "set_dir",
]

ENV_TORCH_HOME = "TORCH_HOME"
ENV_XDG_CACHE_HOME = "XDG_CACHE_HOME"
MODULE_HUBCONF = "hubconf.py"
# What names of files say of their contents: resnet-0123abcd.pth begins with these digits of its SHA-256.
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_CHUNK = 1 << 17
_dir = None


def _get_torch_home():
    """The folder of all that is kept, as PyTorch finds it: both share what is there."""
    cache = os.environ.get(ENV_XDG_CACHE_HOME, "~/.cache")
    return os.path.expanduser(os.environ.get(ENV_TORCH_HOME, os.path.join(cache, "torch")))


def get_dir():
    """The folder where files are kept: `hub` in $TORCH_HOME, or in ~/.cache/torch."""
    return os.path.join(_get_torch_home(), "hub") if _dir is None else _dir


def set_dir(d):
    """Has another folder keep them."""
    global _dir
    _dir = os.path.expanduser(d)


def _chunks(response, show):
    """The parts of an answer; what has come is printed where `show` says so."""
    total, got = response.headers.get("Content-Length"), 0
    while chunk := response.read(_CHUNK):
        yield chunk
        got += len(chunk)
        if show and total:
            sys.stderr.write(f"\r{100 * got / int(total):5.1f}% of {int(total) / 2**20:.1f} MB")
    if show and total:
        sys.stderr.write("\n")


def download_url_to_file(url, dst, hash_prefix=None, progress=True):
    """Writes what is at an address into a file, which is there whole or not at all.

    Args:
        url: http, https, ftp or file.
        dst: path of the file.
        hash_prefix: the first digits of the SHA-256 of what is expected.
        progress: whether to say on stderr how much has come.

    Raises:
        urllib.error.URLError: the address does not answer.
        RuntimeError: something else is there.
    """
    request = urllib.request.Request(url, headers={"User-Agent": "torch.hub"})
    digest = hashlib.sha256()
    with urllib.request.urlopen(request) as response, _atomic_files.replacing(dst) as file:
        for chunk in _chunks(response, progress):
            file.write(chunk)
            digest.update(chunk)
        found = digest.hexdigest()
        if hash_prefix and not found.startswith(hash_prefix):
            raise RuntimeError(
                f'invalid hash value (expected "{hash_prefix}", got "{found[: len(hash_prefix)]}") of {url}'
            )


def load_state_dict_from_url(
    url,
    model_dir=None,
    map_location=None,
    progress=True,
    check_hash=False,
    file_name=None,
    weights_only=True,
):
    """Loads what opweave.save() or PyTorch wrote and an address has; a file that was fetched before is kept.

    Args:
        url: see download_url_to_file(). An archive of one file is unpacked.
        model_dir: where the file is kept; `checkpoints` in get_dir() if it is not given.
        map_location: see opweave.load().
        check_hash: whether the file's name ends with the first digits of its SHA-256, "name-0123abcd.pth".
        file_name: its name; that in the address if it is not given.
        weights_only: see opweave.load(); unlike PyTorch's, True by default: state_dicts need no more.

    Raises:
        urllib.error.URLError: the address does not answer.
        RuntimeError: the file is another.
    """
    folder = os.path.join(get_dir(), "checkpoints") if model_dir is None else os.fspath(model_dir)
    os.makedirs(folder, exist_ok=True)
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        sys.stderr.write(f'Downloading: "{url}" to {path}\n')
        found = HASH_REGEX.search(name) if check_hash else None
        download_url_to_file(url, path, found.group(1) if found else None, progress)
    from opweave.serialization import load as load_file

    return load_file(_unpacked(path, folder), map_location=map_location, weights_only=weights_only)


def _unpacked(path, folder):
    """The file in an archive of one, as old files of weights are; the path itself where it is none."""
    if not zipfile.is_zipfile(path):
        return path
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if len(names) != 1 or names[0].endswith("/"):
            return path  # the format of save() is an archive itself
        inner = os.path.join(folder, os.path.basename(names[0]))
        with archive.open(names[0]) as source, _atomic_files.replacing(inner) as file:
            file.write(source.read())
    return inner


def _refuse_github(function, source):
    if source == "github":
        raise NotImplementedError(
            f"opweave.hub.{function}(): repositories are not fetched; clone it, and pass the folder with "
            "source='local'"
        )
    if source != "local":
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')


@contextlib.contextmanager
def _hubconf(folder):
    """The module of a checkout's hubconf.py, whose neighbours it can import meanwhile."""
    path = pathlib.Path(folder) / MODULE_HUBCONF
    if not path.exists():
        raise FileNotFoundError(f"opweave.hub: there is no {MODULE_HUBCONF} in {os.fspath(folder)}")
    sys.path.insert(0, os.fspath(folder))
    try:
        spec = importlib.util.spec_from_file_location(MODULE_HUBCONF, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        _check_dependencies(module)
        yield module
    finally:
        sys.path.remove(os.fspath(folder))


def _check_dependencies(m):
    lacking = [
        name
        for name in getattr(m, "dependencies", ())
        if name not in sys.modules and importlib.util.find_spec(name) is None
    ]
    if lacking:
        raise RuntimeError(f"Missing dependencies: {', '.join(lacking)}")


def _entry(module, name):
    if not isinstance(name, str):
        raise ValueError("Invalid input: model should be a string of function name")
    found = getattr(module, name, None)
    if not callable(found):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return found


def load(repo_or_dir, model, *args, source="github", **options):
    """What a function of a checkout's hubconf.py makes.

    Args:
        repo_or_dir: the folder of the checkout.
        model: the function's name; `args` and what `options` do not name themselves are its arguments.
        source: "local"; "github", PyTorch's default, is refused: repositories are not fetched.

    Raises:
        FileNotFoundError: there is no hubconf.py.
        RuntimeError: it has no such function, or lacks what it depends on.
        NotImplementedError: "github".
    """
    _refuse_github("load", source)
    for own in ("trust_repo", "force_reload", "verbose", "skip_validation"):
        options.pop(own, None)
    with _hubconf(repo_or_dir) as module:
        return _entry(module, model)(*args, **options)


def list(github, force_reload=False, skip_validation=False, trust_repo="check", verbose=True):
    """The names of functions that a checkout's hubconf.py has; `github` is its folder."""
    if not os.path.isdir(github):
        _refuse_github("list", "github")
    with _hubconf(github) as module:
        return [n for n, f in vars(module).items() if callable(f) and not n.startswith("_")]


def help(github, model, force_reload=False, skip_validation=False, trust_repo="check"):
    """The docstring of one of them."""
    if not os.path.isdir(github):
        _refuse_github("help", "github")
    with _hubconf(github) as module:
        return _entry(module, model).__doc__

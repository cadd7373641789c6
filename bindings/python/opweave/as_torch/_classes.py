"""Where classes say that they are from: programs print types, and libraries look for "torch" in that.

pytorch_classes.txt has the module of each of PyTorch's public classes (tests/reference/record_names.py
writes it); what is not in it is from the module in which programs find it.
"""

import functools
import pathlib

from opweave.as_torch import _lacking

_HEAP_TYPE = 1 << 9


@functools.cache
def _recorded():
    """The modules by the class's name: more than one where several classes have it."""
    text = (pathlib.Path(__file__).parent / "pytorch_classes.txt").read_text()
    found = {}
    for line in text.splitlines():
        module, _, names = line.partition(":")
        for name in names.split():
            found.setdefault(name, []).append(module)
    return found


@functools.cache
def _exists(home):
    """Whether programs can import one of PyTorch's modules: a file, or most of it is elsewhere. Nothing is
    imported for the answer."""
    path = pathlib.Path(__file__).parents[1].joinpath(*home.split(".")[1:])
    if path.is_dir() or path.with_suffix(".py").exists() or home in _lacking.names_elsewhere():
        return True
    return 2 * len(_lacking.aliases().get(home, ())) >= len(
        _lacking.pytorch_names().get(home, (0,))
    )


def _home(cls, place):
    """The module of PyTorch for a class of ours that a module of PyTorch's, `place`, has."""
    own = "torch" + cls.__module__.removeprefix("opweave")
    homes = [home for home in _recorded().get(cls.__qualname__, []) if _exists(home)]
    near = [home for home in homes if home == own or f"{home}.".startswith(f"{place}.")]
    if near or len(homes) == 1:
        return (near or homes)[0]
    hidden = any(part.startswith("_") for part in own.split("."))
    return place if hidden else own


def rename(module, place):
    """Has the classes of one of Opweave's modules say that they are PyTorch's.

    Args:
        place: the name of PyTorch's module.
    """
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and name == value.__qualname__:
            named(value, place)


def named(cls, place):
    """A class, which if it is ours says from now on that it is from one of PyTorch's modules."""
    ours = str(vars(cls).get("__module__")).partition(".")[0] == "opweave"
    if ours and cls.__flags__ & _HEAP_TYPE:
        cls.__module__ = _home(cls, place)
    return cls


_lacking.named = named

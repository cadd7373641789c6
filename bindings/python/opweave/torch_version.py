"""The version of PyTorch whose names Opweave has, as scripts compare it."""

import re

__all__ = ["TorchVersion"]


def _key(version):
    """What orders versions: the numbers of the release, whether it is a final one, and the local part."""
    if not isinstance(version, str) and hasattr(version, "__iter__"):
        version = ".".join(map(str, version))
    pattern = r"v?(\d+(?:\.\d+)*)([-_.]?(?:a|b|c|rc|alpha|beta|dev|pre)\w*)?[^+]*\+?(.*)"
    found = re.match(pattern, str(version))
    if found is None:
        return None
    numbers = [int(n) for n in found[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers), found[2] is None, found[3]


class TorchVersion(str):
    """A str that compares as a version with others, given as text, as a tuple of numbers or as objects whose
    text is a version; with text that is none it compares as text. One with a local part ("+cpu") is greater
    than the same without.

    `TorchVersion("2.15.0+cpu") >= "2.9"` and `>= (1, 13)` are true.
    """

    def _pair(self, other):
        """What to compare instead of the two."""
        theirs = _key(other)
        return (str(self), other) if theirs is None else (_key(self), theirs)

    def __eq__(self, other):
        mine, theirs = self._pair(other)
        return mine == theirs

    def __ne__(self, other):
        return not self == other

    def __lt__(self, other):
        mine, theirs = self._pair(other)
        return mine < theirs

    def __gt__(self, other):
        mine, theirs = self._pair(other)
        return mine > theirs

    def __le__(self, other):
        return not self > other

    def __ge__(self, other):
        return not self < other

    __hash__ = str.__hash__

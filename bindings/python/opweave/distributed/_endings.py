"""What other ranks are told of the exception with which this one ends, or leaves its groups."""

import contextlib
import traceback

# With these a program says that it is done.
_NO_FAILURES = (StopIteration, StopAsyncIteration, GeneratorExit, SystemExit)


def described(error):
    """ "KeyError: 'no such column'"."""
    text = type(error).__name__
    with contextlib.suppress(Exception):  # its text is the program's
        text += f": {error}"
    return text.encode(errors="replace").decode()


def _place(error):
    frames = traceback.extract_tb(error.__traceback__)
    return f", at {frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""


def what_raised(error, group):
    """ "rank 1 raised KeyError: 'no such column', at train.py:12 in step"."""
    return f"rank {group.rank()} raised {described(error)}{_place(error)}"


def tell_others(error, groups):
    """Ends groups with what this rank has raised: else those that wait for it learn only that it is gone."""
    if isinstance(error, _NO_FAILURES):
        return
    for group in groups:
        group.abort(what_raised(error, group))

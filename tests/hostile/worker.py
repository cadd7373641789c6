"""Makes the calls of a range of numbers, one after the other, and says what came of them.

The number of a call and the seed decide the call. Which one is being made stands in a file, for the
parent to read when this process is no more.
"""

import argparse
import contextlib
import json
import linecache
import os
import random
import re
import resource
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

# Words that no message to a user has: ours for what cannot happen, names of files, of C++.
INNER_WORDS = re.compile(
    r"internal (error|assert)|\bstd::|\b[\w/]+\.(cc|h)\b|bad_(alloc|variant|optional|function|cast)"
    r"|vector::|basic_string|array::at|\b_M_|terminate called|not one of ours",
    re.IGNORECASE,
)
# What is said where no operator is known begins with the name of the one that was called.
NAMES_NOTHING = re.compile(
    r"^(numel: the product|storage size calculation|\w+ allocator: tried|a size is out of the range)",
    re.IGNORECASE,
)


# What Python says where one of our lines cannot go on with numbers, sizes or ranks that nobody has checked:
# those of a user's own mistake (types, names of arguments) are not among them.
PYTHON_WORDS = re.compile(
    r"values to unpack|(division|modulo) by zero|(list|tuple|string) index out of range"
    r"|pop from (an )?empty|(max|min)\(\) (arg|iterable argument) is (an )?empty|zip\(\) argument \d"
    r"|cannot convert float|math (domain|range) error|too large to convert|before assignment"
    r"|cannot access local variable|not associated with a value|int too large|must not be zero"
    r"|negative shift count|StopIteration",
)


def is_own(error):
    """Whether a line of ours, and no `raise` of it, ended a call: the last frame is in the package."""
    frames = list(traceback.walk_tb(error.__traceback__))
    if not frames:
        return False
    frame, line = frames[-1]
    name = frame.f_code.co_filename
    if f"{os.sep}opweave{os.sep}" not in name:
        return False
    return not linecache.getline(name, line).lstrip().startswith("raise")


def pythons_own(error):
    """What Python said of a line of ours, if that is how a call ended."""
    text = f"{type(error).__name__}: {error}"
    return text if PYTHON_WORDS.search(text) and is_own(error) else None


# A program that cannot be read, or whose own names and assertions fail, has called nothing.
NO_ANSWERS = (SystemError, AssertionError, NameError, SyntaxError)


def is_comparison(error):
    """Whether something that was called says that what it compared differs, as `testing` does."""
    frames = list(traceback.walk_tb(error.__traceback__))
    return isinstance(error, AssertionError) and bool(str(error)) and len(frames) > 2


def bad_text(error):
    """What is wrong about an exception, if anything."""
    if isinstance(error, NO_ANSWERS) and not is_comparison(error):
        return f"{type(error).__name__}: {error}"
    with contextlib.suppress(Exception):
        text = f"{type(error).__name__}: {error}"
        named_nothing = NAMES_NOTHING.search(str(error)) is not None
        if own := pythons_own(error):
            return own
        if named_nothing or (INNER_WORDS.search(text) and "on purpose" not in text):
            return text
    return None


def namespace():
    import values

    space = {"__name__": "hostile"}
    exec(values.PRELUDE, space)
    space["touch"] = touch
    return space


def touch(value, depth=0):
    """Reads what a call gave, and runs it backwards."""
    import opweave as ow

    if isinstance(value, (list, tuple)) and depth < 3:
        for v in value[:8]:
            touch(v, depth + 1)
    elif isinstance(value, ow.Tensor) and value.device.type != "meta" and value.numel() < 10**7:
        if value.requires_grad:
            ow.autograd.backward([value], [ow.ones_like(value)])
        repr(value)
        value.sum()


def make(program, space):
    """Runs a program; the text of an error that nobody should see, or None, and whether it ended well."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(program, "call", "exec"), dict(space))
        except SystemExit:
            return None, False
        except BaseException as error:  # noqa: BLE001: any that Python knows is an answer
            return bad_text(error), False
    return None, True


def limit(megabytes):
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if megabytes:
        size = megabytes << 20
        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def quiet():
    """What a call prints is nobody's business; findings go to the standard output that was there before."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    return out


def at(place, number):
    """Tells the parent which call is next."""
    if place is not None:
        os.pwrite(place, b"%20d" % number, 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("--place", help="the file that tells the number of the call")
    parser.add_argument("--megabytes", type=int, default=0)
    parser.add_argument("--program", help="run this file instead")
    parser.add_argument("--show", action="store_true", help="print the calls instead")
    options = parser.parse_args()
    limit(options.megabytes)
    out = quiet()
    place = os.open(options.place, os.O_WRONLY | os.O_CREAT) if options.place else None
    sys.setrecursionlimit(500)
    if options.program:
        program, space = Path(options.program).read_text(), namespace()
        at(place, 0)
        print(json.dumps({"text": make(program, space)[0]}), file=out)
        return
    import breaking
    import seeds

    calls, space, accepted = seeds.every_call(), namespace(), 0
    os.chdir(tempfile.mkdtemp(prefix="hostile-"))
    for number in range(options.first, options.first + options.count):
        g = random.Random(f"{options.seed}:{number}")
        program = breaking.break_call(g, g.choice(calls)).program()
        if options.show:
            print(program, end="\n\n", file=out)
            continue
        at(place, number)
        text, well = make(program, space)
        accepted += well
        if text is not None:
            print(json.dumps({"number": number, "text": text, "program": program}), file=out)
    if not options.show:
        print(json.dumps({"accepted": accepted}), file=out)
    at(place, options.first + options.count)


if __name__ == "__main__":
    main()

"""What is different between two answers to a call (calls.py), by kind."""

import builtins

import numpy

# Relative and absolute, as those of assert_close; and relative to the largest element, for sums that
# nearly cancel out and are added in another order.
_TOLERANCES = {
    "float64": (1e-7, 1e-7, 1e-9),
    "float32": (1.3e-6, 1e-5, 1e-5),
    "bfloat16": (1.6e-2, 1e-5, 1e-2),
    "float16": (1e-3, 1e-5, 1e-3),
}
_EXACT = (0.0, 0.0, 0.0)


def numbers(described):
    """The elements of a tensor that is written down."""
    dtype, raw = described["dtype"], described["values"]
    if dtype == "bfloat16":
        bits = numpy.frombuffer(raw, numpy.uint16).astype(numpy.uint32) << 16
        return bits.view(numpy.float32).reshape(described["size"])
    return numpy.frombuffer(raw, dtype).reshape(described["size"])


def _values(want, got):
    if want["values"] is None or got["values"] == want["values"]:
        return
    relative, absolute, of_all = _TOLERANCES.get(want["dtype"], _EXACT)
    theirs, ours = numbers(want), numbers(got)
    greatest = numpy.abs(theirs[numpy.isfinite(theirs)]).max(initial=0) if of_all else 0
    absolute = max(absolute, of_all * float(greatest))
    close = numpy.isclose(ours, theirs, relative, absolute, equal_nan=True)
    if not close.all():
        at = tuple(int(i) for i in numpy.argwhere(~close)[0])
        wrong = int((~close).sum())
        yield "values", f"{wrong} of {close.size}, at {at}: {ours[at]}, not {theirs[at]}"


def _moves(described):
    """Strides of the dimensions along which there is something."""
    if 0 in described["size"]:
        return []
    pairs = zip(described["size"], described["stride"], strict=True)
    return [stride for size, stride in pairs if size > 1]


def _tensor(want, got):
    for key in ("dtype", "size", "device"):
        if want[key] != got[key]:
            yield key, f"{got[key]}, not {want[key]}"
            return
    if _moves(want) != _moves(got):
        yield "stride", f"{got['stride']}, not {want['stride']} of sizes {want['size']}"
    for key in ("shares", "requires_grad"):
        if want[key] != got[key]:
            yield key, f"{got[key]}, not {want[key]}"
    yield from _values(want, got)


def _sequence(want, got):
    if want[0] == "other" or got[0] == "other":
        if want != got:
            yield "result", f"{got}, not {want}"
        return
    if want[0] != got[0] or len(want[2]) != len(got[2]):
        yield "result", f"a {got[0]} of {len(got[2])}, not a {want[0]} of {len(want[2])}"
        return
    if want[1] != got[1]:
        yield "fields", f"{got[1]}, not {want[1]}"
    for theirs, ours in zip(want[2], got[2], strict=True):
        yield from results(theirs, ours)


def _is_close(want, got):
    if isinstance(want, float) and isinstance(got, float):
        return numpy.isclose(got, want, 1e-6, 1e-8, equal_nan=True)
    return want == got


def results(want, got):
    """Of a result, or of several."""
    if type(want) is not type(got):
        yield "result", f"a {type(got).__name__}, not a {type(want).__name__}"
    elif isinstance(want, dict):
        yield from _tensor(want, got)
    elif isinstance(want, tuple):
        yield from _sequence(want, got)
    elif not _is_close(want, got):
        yield "values", f"{got}, not {want}"


def _gradients(want, got):
    if (want is None) != (got is None) or len(want or []) != len(got or []):
        yield "gradient", f"of {len(got or [])} inputs, not {len(want or [])}"
        return
    for i, (theirs, ours) in enumerate(zip(want or [], got or [], strict=True)):
        if theirs is None or ours is None:
            left = theirs or ours
            if left and numbers(left).any():
                yield (
                    "gradient",
                    f"of input {i}: {'none' if ours is None else 'one'}, unlike PyTorch",
                )
            continue
        for kind, words in results({**theirs, "stride": ours["stride"]}, ours):
            yield "gradient", f"of input {i}: {kind} {words}"


def _builtin(names):
    return next((name for name in names if hasattr(builtins, name)), names[0])


def _errors(want, got):
    if _builtin(want[1]) not in got[1]:
        yield "exception", f"{got[1][0]}: {got[2]}, not {want[1][0]}: {want[2]}"


def differences(want, got):
    """Of an answer from PyTorch's: pairs of a kind and words."""
    if want[0] != got[0]:
        if got[0] == "error":
            yield "refused", f"{got[1][0]}: {got[2]}"
        else:
            yield "accepted", f"{want[1][0]}: {want[2]}"
    elif want[0] == "error":
        yield from _errors(want, got)
    else:
        yield from results(want[1], got[1])
        if [i for i, _ in want[2]] != [i for i, _ in got[2]]:
            yield "written", f"inputs {[i for i, _ in got[2]]}, not {[i for i, _ in want[2]]}"
        else:
            for (_, theirs), (_, ours) in zip(want[2], got[2], strict=True):
                yield from results(theirs, ours)
        yield from _gradients(want[3], got[3])

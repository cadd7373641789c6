"""Compares encoded answers with recorded ones, within the tolerance of their dtype."""

import builtins
import math

# relative, absolute
TOLERANCE = {
    "float64": (1e-9, 1e-11),
    "float32": (3e-6, 1e-7),
    "float16": (2e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
}


def _close(got, want, relative, absolute):
    if want != want or got != got:
        return (want != want) == (got != got)
    if math.isinf(want) or math.isinf(got):
        return got == want
    return abs(got - want) <= absolute + relative * abs(want)


def _scale(values):
    """Sums lose digits in proportion to their largest term."""
    return max([1.0, *(min(abs(v), 1e3) for v in values if math.isfinite(v))])


def _values(got, want, dtype, tol, summed):
    if dtype not in TOLERANCE:
        return [] if got == want else [f"values {got}, expected {want}"]
    relative, absolute = (t * tol for t in TOLERANCE[dtype])
    if summed:
        absolute = max(absolute, relative / 4 * _scale(want))
    wrong = [
        i
        for i, (g, w) in enumerate(zip(got, want, strict=False))
        if not _close(g, w, relative, absolute)
    ]
    if not wrong:
        return []
    some = ", ".join(f"[{i}] {got[i]!r} expected {want[i]!r}" for i in wrong[:5])
    return [f"{len(wrong)} of {len(want)} values differ: {some}"]


def _strides(got, want):
    """Strides that matter: of dims with more than one element, in a tensor that has elements."""
    if 0 in want["shape"]:
        return []
    pairs = zip(want["shape"], got["stride"], want["stride"], strict=False)
    if all(size == 1 or g == w for size, g, w in pairs):
        return []
    return [f"strides {got['stride']}, expected {want['stride']}"]


def _tensor(got, want, tol, summed):
    found = [f"{k} {got[k]}, expected {want[k]}" for k in ("dtype", "shape") if got[k] != want[k]]
    if found:
        return found
    if "values" in want:
        found += _values(got["values"], want["values"], want["dtype"], tol, summed)
    if "stride" in want:
        found += _strides(got, want)
        found += [
            f"{k} {got[k]}, expected {want[k]}"
            for k in ("offset", "is_view", "aliases")
            if got[k] != want[k]
        ]
    return found


def differences(got, want, tol=1.0, summed=True):
    """What differs between two encoded answers, in words; nothing if they agree."""
    if isinstance(want, list):
        if not isinstance(got, list) or len(got) != len(want):
            return [f"{got}, expected {want}"]
        return [
            f"item {i}: {d}"
            for i, (g, w) in enumerate(zip(got, want, strict=False))
            for d in differences(g, w, tol, summed)
        ]
    if isinstance(want, dict) and isinstance(got, dict) and got.keys() == want.keys():
        if "dtype" in want:
            return _tensor(got, want, tol, summed)
        if "float" in want:
            return _values([got["float"]], [want["float"]], "float64", tol, summed)
        pairs = ((k, differences(got[k], want[k], tol, summed)) for k in want)
        return [f"{k}: {d}" for k, found in pairs for d in found]
    return [] if type(got) is type(want) and got == want else [f"{got!r}, expected {want!r}"]


def error_differences(got, want, says=""):
    """How an error differs from the recorded one: in type, or in a word that its text lacks."""
    if "error" not in got:
        return [f"no error, expected {want['error']}; the answer was {got['value']}"]
    expected = getattr(builtins, want["error"])
    # PyTorch raises NotImplementedError where a kernel lacks a dtype: elsewhere a RuntimeError
    accepted = (expected, RuntimeError) if expected is NotImplementedError else expected
    found = []
    if not issubclass(getattr(builtins, got["error"]), accepted):
        found.append(f"{got['error']}: {got['message']}; expected {want['error']}")
    text = got["message"].lower()
    found += [
        f"the text lacks {word!r}: {got['message']}"
        for word in says.split()
        if word.lower() not in text
    ]
    return found

"""How tensors print, character for character as PyTorch prints them."""

import math

from opweave import _C

_PROFILES = {
    "default": (4, 1000, 3, 80),
    "short": (2, 1000, 2, 80),
    "full": (4, math.inf, 3, 80),
}


class _Options:
    precision, threshold, edgeitems, linewidth = _PROFILES["default"]
    sci_mode = None


PRINT_OPTS = _Options()  # libraries read it, and call _tensor_str()


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
):
    """Sets how tensors print.

    Args:
        precision: digits after the point.
        threshold: number of elements from which on only the edges are shown.
        edgeitems: how many items each edge has.
        linewidth: characters of a line.
        profile: "default", "short" or "full": sets all of these first.
        sci_mode: whether floats print in scientific notation; None decides by their range.
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"unknown profile {profile!r}; there are {', '.join(_PROFILES)}")
        chosen = _PROFILES[profile]
        PRINT_OPTS.precision, PRINT_OPTS.threshold, PRINT_OPTS.edgeitems, PRINT_OPTS.linewidth = (
            chosen
        )
    given = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    for name, value in given.items():
        if value is not None:
            setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


_GAP = object()  # stands for the items that a summary leaves out


def _values(tensor, summarize):
    """The elements as nested lists, with gaps where a summary has them."""
    edge = PRINT_OPTS.edgeitems
    size = tensor.size(0)
    if not summarize or size <= 2 * edge:
        return tensor.tolist() if tensor.dim() == 1 else [_values(t, summarize) for t in tensor]
    head, tail = tensor[:edge], tensor[size - edge :]
    if tensor.dim() == 1:
        return [*head.tolist(), _GAP, *tail.tolist()]
    return [
        *(_values(t, summarize) for t in head),
        _GAP,
        *(_values(t, summarize) for t in tail),
    ]


def _flat(values):
    for value in values:
        if isinstance(value, list):
            yield from _flat(value)
        elif value is not _GAP:
            yield value


class _Format:
    """Writes all elements of a tensor in one width and notation."""

    def __init__(self, values, floating):
        self.floating = floating
        self.scientific = False
        self.whole = True  # floats without a fraction: "3."
        self.width = 1
        if floating:
            self._study([v for v in values if math.isfinite(v) and v != 0])
        else:
            self.width = max((len(str(v)) for v in values), default=1)

    def _study(self, finite):
        """Chooses the notation; without a finite value that is not zero, nothing is aligned."""
        if finite:
            smallest, largest = min(map(abs, finite)), max(map(abs, finite))
            self.whole = all(v == math.ceil(v) for v in finite)
            wide = largest / smallest > 1000 or largest > 1e8
            self.scientific = wide or (not self.whole and smallest < 1e-4)
            if PRINT_OPTS.sci_mode is not None:
                self.scientific = PRINT_OPTS.sci_mode
        self.width = max((len(self._text(v)) for v in finite), default=1)

    def _text(self, value):
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{PRINT_OPTS.precision}e}"
        if self.whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{PRINT_OPTS.precision}f}"

    def __call__(self, value):
        return self._text(value).rjust(self.width)


class _ComplexFormat:
    """Writes complex numbers: their parts have a width and a notation each."""

    def __init__(self, values):
        self._real = _Format([v.real for v in values], floating=True)
        self._imag = _Format([v.imag for v in values], floating=True)
        self.width = self._real.width + self._imag.width + 1

    def __call__(self, value):
        imag = (self._imag(value.imag) + "j").lstrip()
        return self._real(value.real) + ("" if imag[0] in "+-" else "+") + imag


def _format(values, dtype):
    if dtype.is_complex:
        return _ComplexFormat(values)
    return _Format(values, dtype.is_floating_point)


def _vector(values, indent, formatter):
    per_line = max(1, math.floor((PRINT_OPTS.linewidth - indent) / (formatter.width + 2)))
    words = [" ..." if v is _GAP else formatter(v) for v in values]
    lines = [", ".join(words[i : i + per_line]) for i in range(0, len(words), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _nested(values, dim, indent, formatter):
    if dim == 1:
        return _vector(values, indent, formatter)
    parts = ["..." if v is _GAP else _nested(v, dim - 1, indent + 1, formatter) for v in values]
    return "[" + ("," + "\n" * (dim - 1) + " " * (indent + 1)).join(parts) + "]"


def _tensor_str(self, indent):
    tensor = self.detach()
    if tensor.dim() == 0:
        value = tensor.item()
        return _format([value], tensor.dtype)(value)
    values = _values(tensor, tensor.numel() > PRINT_OPTS.threshold)
    formatter = _format(list(_flat(values)), tensor.dtype)
    return _nested(values, tensor.dim(), indent, formatter)


def _autograd_suffix(tensor):
    grad_fn = tensor.grad_fn
    if grad_fn is not None:
        return [f"grad_fn=<{grad_fn.name()}>"]
    return ["requires_grad=True"] if tensor.requires_grad else []


def _suffixes(tensor):
    suffixes = []
    if tensor.device.type != _C._default_device().type:
        suffixes.append(f"device='{tensor.device}'")
    default = _C.get_default_dtype()
    if tensor.is_meta:
        suffixes.append(f"size={tuple(tensor.shape)}")
        usual = (default,)
    elif tensor.numel() == 0:
        if tensor.dim() != 1:
            suffixes.append(f"size={tuple(tensor.shape)}")
        usual = (default,)
    else:
        usual = (default, _C.int64, _C.bool, default.to_complex())
    if tensor.dtype not in usual:
        suffixes.append(f"dtype={tensor.dtype}")
    return suffixes + _autograd_suffix(tensor)


def tensor_str(tensor):
    """repr() of a tensor."""
    if _C._dispatch_modes():
        from opweave._dispatch_modes import unseen

        with unseen():
            return tensor_str(tensor)
    level, value = _C._batch_value(tensor)
    if level:
        inner = tensor_str(value).replace("\n", "\n    ")
        return f"BatchedTensor(level={level}, value=\n    {inner}\n)"
    cls = type(tensor)
    if getattr(tensor, "_is_param", False):
        return f"Parameter({_shown(tensor, cls.__name__)})"
    own = cls.__module__.partition(".")[0] in ("opweave", _C._printed_package())
    return _shown(tensor, "tensor" if own else cls.__name__)


def _shown(tensor, name):
    text = name + "("
    indent = len(text)
    if tensor.is_meta:
        text += "..."
    elif tensor.numel() == 0:
        text += "[]"
    else:
        text += _tensor_str(tensor, indent)
    line = len(text) - text.rfind("\n") + 1
    for suffix in _suffixes(tensor):
        if line + len(suffix) + 2 > PRINT_OPTS.linewidth:
            text += ",\n" + " " * indent + suffix
            line = indent + len(suffix)
        else:
            text += ", " + suffix
            line += len(suffix) + 2
    return text + ")"

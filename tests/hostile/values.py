"""Arguments as trees of text, so that a call can be printed, broken and made smaller."""

from dataclasses import dataclass, field

# What a program that was found begins with; the worker runs the same lines.
PRELUDE = """\
import contextlib
import importlib
import pkgutil

import numpy as np
import opweave as ow
import opweave.distributed as dist
import opweave.nn.functional as F

for module in pkgutil.walk_packages(ow.__path__, "opweave."):
    if "._" not in module.name:
        with contextlib.suppress(ImportError):  # one that is there to say what is not
            importlib.import_module(module.name)


class Evil:
    \"\"\"A number whose conversion does something else first.\"\"\"

    def __init__(self, value, act):
        self.value, self.act = value, act

    def __index__(self):
        self.act()
        return self.value

    __int__ = __index__

    def __float__(self):
        self.act()
        return float(self.value)

    def __bool__(self):
        self.act()
        return bool(self.value)


def fail():
    raise ValueError("on purpose")


def evil_list(values, i, act="clear"):
    out = list(values)
    out.insert(i, Evil(1, lambda: getattr(out, act)()))
    return out


def group():
    \"\"\"A group of two ranks, of which the other one is only said to be there.\"\"\"
    if not dist.is_initialized():
        dist.init_process_group("fake", store=dist.HashStore(), rank=0, world_size=2)
    return dist.group.WORLD
"""


@dataclass
class Text:
    """An expression of Python."""

    text: str

    def __str__(self):
        return self.text


@dataclass
class Items:
    """A list, or a tuple."""

    items: list
    brackets: str = "[]"

    def __str__(self):
        inside = ", ".join(map(str, self.items))
        if self.brackets == "()" and len(self.items) == 1:
            inside += ","
        return self.brackets[0] + inside + self.brackets[1]


@dataclass
class Array:
    """A tensor: its elements are given, or all ones."""

    shape: tuple
    dtype: str = "float32"
    elements: list | None = None
    layout: str = ""
    grad: bool = False
    device: str = ""

    def base(self):
        if self.elements is None:
            return f"ow.ones({self.shape}, dtype=ow.{self.dtype})"
        text = f"ow.tensor({self.elements}, dtype=ow.{self.dtype})"
        return text if self.shape == (len(self.elements),) else f"{text}.reshape({self.shape})"

    def __str__(self):
        text = self.base()
        if self.layout == "strided":
            text = f"ow.stack([{text}] * 2, -1)[..., 0]"
        elif self.layout == "transposed" and len(self.shape) > 1:
            text = f"{text}.transpose(-1, -2).contiguous().transpose(-1, -2)"
        elif self.layout == "expanded" and self.shape:
            text = f"{text}[:1].expand({self.shape})" if self.shape[0] else text
        elif self.layout == "shifted":
            text = f"ow.cat([ow.ones(3, dtype=ow.{self.dtype}), {text}.reshape(-1)])[3:].view({self.shape})"
        if self.device:
            text += f".to('{self.device}')"
        return text + (".requires_grad_()" if self.grad else "")


@dataclass
class Same:
    """The same object as another argument of the call."""

    name: str

    def __str__(self):
        return self.name


@dataclass
class Call:
    """A call: what is called, with which arguments, what is done before and after."""

    target: str
    positional: list
    keywords: dict
    after: list = field(default_factory=list)
    method: bool = False  # of the first argument

    def program(self):
        names = [f"a{i}" for i in range(len(self.positional))]
        lines = [f"{n} = {v}" for n, v in zip(names, self.positional)]
        given = names[1:] if self.method else names
        given += [f"{k}={v}" for k, v in self.keywords.items()]
        target = f"a0.{self.target}" if self.method else self.target
        return "\n".join([*lines, f"r = {target}({', '.join(given)})", *self.after])


def as_value(x):
    """The tree of a value: tensors by shape, dtype and elements."""
    if isinstance(x, (list, tuple)):
        return Items([as_value(v) for v in x], "[]" if isinstance(x, list) else "()")
    if hasattr(x, "data_ptr"):
        return as_array(x)
    if isinstance(x, float) and (x != x or x in (float("inf"), float("-inf"))):
        return Text(f"float('{x}')")
    if type(x).__name__ in ("dtype", "layout", "memory_format"):
        return Text("ow." + str(x).split(".")[-1])
    if x is None or isinstance(x, (bool, int, float, str)):
        return Text(repr(x))
    if type(x).__name__ == "device":
        return Text(repr(str(x)))
    if type(x).__name__ == "Generator":
        return Text("ow.Generator()")
    return None


def as_array(t):
    dtype = str(t.dtype).split(".")[-1]
    elements = t.detach().reshape(-1).tolist() if t.numel() <= 24 else None
    if elements is not None and any(e != e or e in (float("inf"), -float("inf")) for e in elements):
        elements = None
    return Array(tuple(t.shape), dtype, elements)

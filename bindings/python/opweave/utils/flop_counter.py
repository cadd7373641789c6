"""Counting floating-point operations by the shapes of what operators are given, forward and backward.

Operators without a formula count nothing. Attention is made of products here, and counts as those do.
"""

import functools
import warnings
from collections import Counter, defaultdict

from opweave import _C
from opweave._ops import HigherOrderOperator, OpOverloadPacket, aten
from opweave.utils import _flop_formulas
from opweave.utils._flop_formulas import (  # noqa: F401 - as PyTorch's module has them
    addmm_flop,
    baddbmm_flop,
    bmm_flop,
    conv_backward_flop,
    conv_flop,
    conv_flop_count,
    mm_flop,
    sdpa_backward_flop,
    sdpa_backward_flop_count,
    sdpa_flop,
    sdpa_flop_count,
)
from opweave.utils._python_dispatch import TorchDispatchMode
from opweave.utils._pytree import tree_map, tree_map_
from opweave.utils.module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]
_UNITS = ["", "K", "M", "B", "T"]


def get_shape(value):
    """A tensor's shape; anything else as it is."""
    return value.shape if isinstance(value, _C.Tensor) else value


def shape_wrapper(formula):
    """The formula, given shapes in the place of tensors, and those of the results as `out_shape`."""

    @functools.wraps(formula)
    def wrapped(*args, out_val=None, **kwargs):
        args, kwargs, out_shape = tree_map(get_shape, (args, kwargs, out_val))
        return formula(*args, out_shape=out_shape, **kwargs)

    return wrapped


flop_registry = {
    getattr(aten, name): shape_wrapper(formula) for name, formula in _flop_formulas.FORMULAS.items()
}


def register_flop_formula(targets, get_raw=False):
    """A decorator: the function says what calls of operators count.

    Args:
        targets: `torch.ops.mylib.op`, or a list of such.
        get_raw: whether it is given tensors, and the results as `out_val`, not shapes and `out_shape`.

    Raises:
        ValueError: a target is no operator with all its overloads.
        RuntimeError: a target has a formula.
    """

    def decorate(formula):
        counted = formula if get_raw else shape_wrapper(formula)

        def register(target):
            if not isinstance(target, (OpOverloadPacket, HigherOrderOperator)):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be OpOverloadPacket "
                    f"(i.e. torch.ops.mylib.foo), got {target} which is of type {type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = counted

        tree_map_(register, targets)
        return counted

    return decorate


def normalize_tuple(value):
    """A tuple as it is, anything else as a tuple of one."""
    return value if isinstance(value, tuple) else (value,)


def get_suffix_str(number):
    """The unit in which a number has two to four digits."""
    return _UNITS[max(0, min(len(_UNITS) - 1, (len(str(number)) - 2) // 3))]


def convert_num_with_suffix(number, suffix):
    """A number in a unit, with three digits behind the point."""
    return f"{number / 1000 ** _UNITS.index(suffix):.3f}{suffix}"


def convert_to_percent_str(num, denom):
    """A share in percent."""
    return "0%" if denom == 0 else f"{num / denom:.2%}"


class FlopCounterMode:
    """Within `with`, counts the floating-point operations of what runs, for each module and operator.

    Args:
        mods: not needed.
        depth: of the modules that the table shows.
        display: whether to print the table at the end.
        custom_mapping: formulas by operator, beside those that are registered; they are given shapes,
            unless they
            have an attribute `_get_raw` that is true.
        skip_unsupported: of operators that take functions, of which there are none.
    """

    def __init__(
        self, mods=None, depth=2, display=True, custom_mapping=None, skip_unsupported=False
    ):
        if mods is not None:
            warnings.warn(
                "mods argument is not needed anymore, you can stop passing it", stacklevel=2
            )
        self.flop_counts = defaultdict(lambda: defaultdict(int))
        self.depth, self.display, self.skip_unsupported = depth, display, skip_unsupported
        own = {
            target: formula if getattr(formula, "_get_raw", False) else shape_wrapper(formula)
            for target, formula in (custom_mapping or {}).items()
        }
        self.flop_registry = {**flop_registry, **own}
        self.mod_tracker = ModuleTracker()
        self.mode = None

    def get_total_flops(self):
        """Of everything."""
        return sum(self.flop_counts["Global"].values())

    def get_unsupported_ops(self):
        """Operators that take functions and have no formula, with how often they ran: there are none."""
        return Counter()

    def get_flop_counts(self):
        """{name of a module, or "Global": {operator: count}}"""
        return {module: dict(counts) for module, counts in self.flop_counts.items()}

    def get_table(self, depth=None):
        """The counts as text, of modules that are no deeper than `depth`."""
        depth = self.depth if depth is None else depth
        modules = [
            m
            for m in sorted(self.flop_counts)
            if m != "Global" and (depth is None or m.count(".") < depth)
        ]
        rows = [row for m in modules for row in self._rows(m, m.count("."))]
        whole = self.get_total_flops()
        if "Global" in self.flop_counts and all(self._total(m) < whole for m in modules):
            rows = self._rows("Global", 0) + [(" " + name, *rest) for name, *rest in rows]
        return _table([("Module", "FLOP", "% Total"), *(rows or [("Global", "0", "0%")])])

    def _total(self, module):
        return sum(self.flop_counts[module].values())

    def _rows(self, module, depth):
        whole, room = self.get_total_flops(), " " * depth
        unit = get_suffix_str(whole)
        counted = (lambda n, _: f"{n:g}") if unit == "" else convert_num_with_suffix
        named = [(room + module, self._total(module))]
        named += [(f"{room} - {op}", count) for op, count in self.flop_counts[module].items()]
        return [
            (name, counted(count, unit), convert_to_percent_str(count, whole))
            for name, count in named
        ]

    def __enter__(self):
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = _Counting(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *exception):
        self.mode.__exit__(*exception)
        self.mode = None
        self.mod_tracker.__exit__()
        if self.display:
            print(self.get_table(self.depth))

    def _count(self, packet, result, args, kwargs):
        formula = self.flop_registry.get(packet)
        if formula is not None:
            count = formula(*args, **kwargs, out_val=result)
            for module in set(self.mod_tracker.parents):
                self.flop_counts[module][packet] += count


class _Counting(TorchDispatchMode):
    def __init__(self, counter):
        super().__init__()
        self._counter = counter

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        self._counter._count(func.overloadpacket, result, args, kwargs)
        return result


def _table(rows):
    """Columns under a line of dashes, the first to the left."""
    head, *_ = rows
    widths = [max(len(head[i]) + 2, *(len(row[i]) for row in rows)) for i in range(len(head))]

    def line(row):
        name, *numbers = row
        cells = [name.ljust(widths[0])]
        cells += [n.rjust(w) for n, w in zip(numbers, widths[1:], strict=True)]
        return "  ".join(cells).rstrip()

    dashes = "  ".join("-" * w for w in widths)
    return "\n".join([line(head), dashes, *(line(row) for row in rows[1:])])

"""Runs printed kernels on arrays of NumPy: what a target has beside its kernels, by the document alone.

Calls of operators that have an expression, and formulas over such: promotion, broadcasting, and the trees of
backward passes. A number that stands for a tensor is a number of Python, and promotes as one.
"""

import ctypes
import operator as symbols
import subprocess
from pathlib import Path

import numpy as np
from printer import c_name, print_kernels

DEFAULT_FLOAT = "float32"
_CATEGORY = {"boolean": 0, "unsigned_integer": 1, "signed_integer": 1, "floating": 2, "complex": 3}
_BINARY = {
    "+": symbols.add, "-": symbols.sub, "*": symbols.mul, "/": symbols.truediv,
    "==": symbols.eq, "!=": symbols.ne, "<": symbols.lt, "<=": symbols.le, ">": symbols.gt, ">=": symbols.ge,
}  # fmt: skip


class DivisionByZeroError(ArithmeticError):
    pass


def is_number(value):
    return isinstance(value, bool | int | float)


def _dtype_of_number(value):
    kinds = {bool: "bool", int: "int64", float: DEFAULT_FLOAT}
    return kinds[type(value)]


def constant(data):
    """A constant of the document in Python."""
    if data["kind"] == "list":
        return [constant(item) for item in data["value"]]
    return float(data["value"]) if data["kind"] == "real" else data["value"]


class Promotion:
    """Which dtype an expression is computed in, by the document's table of dtypes."""

    def __init__(self, table):
        self._promotions = table["promotions"]
        self._category = {d["name"]: _CATEGORY[d["category"]] for d in table["list"]}

    def _by_priority(self, first, second):
        if first is None or second is None:
            return first or second
        rises = self._category[second] > self._category[first]
        return self._promotions[first][second] if rises else first

    def _promoted(self, values):
        """Of tensors with dimensions, of those without, and of numbers, each before the next."""
        common = None
        groups = (
            [v.dtype.name for v in values if not is_number(v) and v.ndim],
            [v.dtype.name for v in values if not is_number(v) and not v.ndim],
            [_dtype_of_number(v) for v in values if is_number(v)],
        )
        for names in groups:
            found = None
            for name in names:
                found = name if found is None else self._promotions[found][name]
            common = self._by_priority(common, found)
        return common

    def compute_dtype(self, expression, values):
        pairs = list(zip(expression["arguments"], values, strict=True))
        elements = [v for a, v in pairs if a["read"] == "elements" and v is not None]
        if expression["compute"] in ("first", "same"):
            return self._promoted(elements[:1])
        given = [v for a, v in pairs if a.get("promotes") and v is not None]
        dtype = self._promoted(given) or "bool"
        floats = expression["compute"] == "int_to_float" and self._category[dtype] < 2
        return DEFAULT_FLOAT if floats else dtype


class Target:
    """The kernels of a document, compiled."""

    def __init__(self, model, folder):
        text, self.printed = print_kernels(model)
        self.operators = {operator["name"]: operator for operator in model["operators"]}
        self.vocabulary = {function["op"]: function for function in model["intrinsics"]}
        self._promotion = Promotion(model["dtypes"])
        self._library = self._compiled(text, Path(folder))

    @staticmethod
    def _compiled(text, folder):
        source, library = folder / "kernels.c", folder / "kernels.so"
        source.write_text(text)
        include = Path(__file__).parent
        options = ["-std=c99", "-O1", "-w", "-ffp-contract=off", "-shared", "-fPIC"]
        subprocess.run(["gcc", *options, f"-I{include}", "-o", library, source, "-lm"], check=True)
        return ctypes.CDLL(str(library))

    # --- calls

    def run(self, name, values):
        """An operator that has an expression, of arguments in the order of its schema."""
        expression = self.operators[name]["computes"]["expression"]
        return self.run_kernel(
            c_name(name), expression, self._promotion.compute_dtype(expression, values), values
        )

    def run_kernel(self, name, expression, dtype, values):
        arrays, numbers = [], []
        for argument, value in zip(expression["arguments"], values, strict=True):
            if argument["read"] in ("elements", "mask"):
                value = np.zeros((), bool) if value is None else np.asarray(value)
                arrays.append(value.astype("bool" if argument["read"] == "mask" else dtype))
            elif argument["read"] == "number":
                numbers.append(False if value is None else value)
        with np.errstate(all="ignore"):
            numbers = np.array([np.asarray(n).astype(dtype) for n in numbers] or [0], dtype)
        shape = np.broadcast_shapes(*(a.shape for a in arrays))
        arrays = [np.ascontiguousarray(np.broadcast_to(a, shape)) for a in arrays]
        out = np.empty(shape, "bool" if expression["result"] == "boolean" else dtype)
        self._call(f"kernel_{name}_{dtype}", arrays, numbers, values, out)
        return out

    def _call(self, kernel, arrays, numbers, values, out):
        texts = [v.encode() if isinstance(v, str) else None for v in values]
        failed = getattr(self._library, kernel)(
            (ctypes.c_void_p * max(len(arrays), 1))(*(a.ctypes.data for a in arrays)),
            numbers.ctypes.data_as(ctypes.c_void_p),
            (ctypes.c_bool * len(values))(*(v is not None for v in values)),
            (ctypes.c_char_p * len(values))(*texts),
            out.ctypes.data_as(ctypes.c_void_p),
            ctypes.c_int64(out.size),
        )
        if failed:
            raise DivisionByZeroError

    def call(self, name, values):
        """Any operator that backward passes of expressions call."""
        by_hand = {
            "to.dtype": lambda self, dtype, *_: np.asarray(self).astype(dtype),
            "full_like": lambda self, value, dtype, *_: np.full_like(self, value, dtype),
            "pow.Tensor_Scalar": lambda *values: self.run("pow.Tensor_Tensor", values),
            "polygamma": lambda n, x: self.run("_polygamma", [x, n]),
        }
        if name in by_hand:
            return by_hand[name](*values)
        computes = self.operators[name]["computes"]
        if computes["by"] == "expression":
            return self.run(name, values)
        if computes["by"] == "formula":
            return Formula(self, computes["formula"], values, parts=computes.get("parts")).value()
        raise NotImplementedError(f"{name} has kernels by hand, and no C here")


class Formula:
    """A tree over operators, with what it reads; nodes are computed when they are first needed, once."""

    def __init__(self, target, formula, arguments, results=(), gradients=(), parts=None):
        self._target, self._nodes, self._known = target, formula["nodes"], {}
        self._given = {"argument": arguments, "result": results, "gradient": gradients}
        self._parts, self._context = parts, (arguments, results, gradients, parts)

    def value(self, place=-1):
        place %= len(self._nodes)
        if place not in self._known:
            node = self._nodes[place]
            self._known[place] = getattr(self, "_" + node["kind"])(node)
        return self._known[place]

    def _operands(self, node):
        return [self.value(place) for place in node.get("operands", [])]

    def _argument(self, node):
        return self._given["argument"][node["argument"]]

    def _result(self, node):
        return self._given[node["kind"]][node["result"]]

    _gradient = _result

    def _constant(self, node):
        return constant(node["constant"])

    def _part(self, node):
        return Formula(self._target, self._parts[node["index"]]["formula"], *self._context).value()

    def _call(self, node):
        return self._target.call(node["operator"], self._operands(node))

    def _property(self, node):
        value = self.value(node["operands"][0])
        known = {
            "scalar_type": lambda: value.dtype.name,
            "defined": lambda: value is not None,
            "has_value": lambda: value is not None,
            "sizes": lambda: list(value.shape),
            "dim": lambda: value.ndim,
            "numel": lambda: value.size,
        }
        return known[node["property"]]()

    def _tuple(self, node):
        return self._operands(node)

    _list = _tuple

    def _element(self, node):
        return self._operands(node)[0][node["index"]]

    def _unary(self, node):
        value = self._operands(node)[0]
        return not value if node["symbol"] == "!" else -value

    def _binary(self, node):
        first = self.value(node["operands"][0])
        if node["symbol"] in ("&&", "||"):
            return self.value(node["operands"][1]) if first == (node["symbol"] == "&&") else first
        return _BINARY[node["symbol"]](first, self.value(node["operands"][1]))

    def _conditional(self, node):
        condition, yes, no = node["operands"]
        return self.value(yes if self.value(condition) else no)

    def _convert(self, node):
        value = self._operands(node)[0]
        return float(value) if node["conversion"] == "int_to_float" else value

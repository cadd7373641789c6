"""Operators and kernels from Python, after torch.library.

`custom_op` makes a Python function an operator; `Library` is beneath it.

with Library("mine") as library:
    library.define("twice(Tensor self) -> Tensor")
    library.impl("twice", lambda x: x + x, "cpu")
    opweave.ops.mine.twice(t)
"""

import importlib

from opweave import _C

# PyTorch's names of dispatch keys whose names differ here.
_KEYS = {"AutogradCPU": "Autograd"}
_EVERYWHERE = ("", "CompositeExplicitAutograd", "CompositeImplicitAutograd")


def _key(name):
    target = name.lower()  # PyTorch's CPU is our cpu
    return target if _C._has_device_type(target) else _KEYS.get(name, name)


class Library:
    """What a program adds to the dispatcher; taken back by close(), or at the end of a `with` block.

    Args:
        ns: the namespace of the operators that it defines, and of the names it implements; "" and
            "aten" stand for the built-in operators.
        kind: for PyTorch's programs; no difference is made.
        dispatch_key: of kernels that name none.
    """

    def __init__(self, ns="", kind="FRAGMENT", dispatch_key=""):
        if kind not in ("DEF", "IMPL", "FRAGMENT"):
            raise ValueError(f"unsupported library kind: {kind}")
        self.ns = ns
        self._prefix = "" if ns in ("", "aten", "opweave") else f"{ns}::"
        self._dispatch_key = dispatch_key
        self._kernels = []  # each restores what was there before when it goes away
        self._operators = []
        self._fallbacks = []

    def define(self, schema):
        """Adds an operator; returns its name.

        Args:
            schema: as in ops.yaml: "f(Tensor self, *, float eps=1e-5) -> Tensor".
        """
        operator = _C._define_operator(self._prefix + schema.strip())
        name = operator.name + (f".{operator.overload}" if operator.overload else "")
        self._operators.append(name)
        return name.removeprefix(self._prefix)

    def impl(self, op_name, fn, dispatch_key=""):
        """Makes a function the kernel of an operator.

        Args:
            op_name: "add.Tensor", or the operator itself.
            fn: gets the arguments: keyword-only ones by keyword, all others by position.
            dispatch_key: "cpu", "meta", "Autograd", …; none for every target that exists now.
        """
        operator = self._find(op_name)
        if not callable(fn):
            raise TypeError(f"a kernel has to be callable, got {type(fn).__name__}")
        key = dispatch_key or self._dispatch_key
        keys = _C._device_types().split(", ") if key in _EVERYWHERE else [_key(key)]
        self._kernels.extend(operator._set_kernel(k, fn) for k in keys)

    def fallback(self, fn, dispatch_key=""):
        """Makes fn(operator, *args, **kwargs) the kernel of every operator that has none for the key."""
        key = _key(dispatch_key or self._dispatch_key)
        _C._register_fallback(key, fn)
        self._fallbacks.append(key)

    def _find(self, op):
        if isinstance(op, _C._Operator):
            return op
        name = str(op)
        if "::" not in name:
            name = self._prefix + name
        operator = _C._find_operator(name.removesuffix(".default"))
        if operator is None:
            left_out = _C._left_out_message(name)
            raise RuntimeError(left_out or f"there is no operator '{name}'")
        return operator

    def close(self):
        """Takes everything back: kernels in the reverse order of their registration."""
        while self._fallbacks:
            _C._remove_fallback(self._fallbacks.pop())
        while self._kernels:
            self._kernels.pop()
        while self._operators:
            _C._undefine_operator(self._operators.pop())

    _destroy = close

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


class dispatch_keys:  # noqa: N801
    """Inside of the block, calls of this thread include or exclude dispatch keys.

    A kernel that calls the operator it implements excludes its own key, or the call comes back to it.
    """

    def __init__(self, *, include=(), exclude=()):
        self._include, self._exclude = tuple(include), tuple(exclude)

    def __enter__(self):
        self._previous = _C._change_keys(self._include, self._exclude)

    def __exit__(self, *exception):
        _C._restore_keys(self._previous)


def register_functionality(name, *, above=(), below=()):
    """A dispatch key of one's own, with a place in the order: above and below keys of these names.

    Without any, above all that there are. docs/functionality.md tells more.
    """
    _C._register_functionality(name, " ".join(above), " ".join(below))
    return name


# Where names of this module are defined that need it.
_ELSEWHERE = {
    **dict.fromkeys(
        [
            "CustomOpDef",
            "custom_op",
            "define",
            "impl",
            "register_autocast",
            "register_autograd",
            "register_fake",
            "register_kernel",
            "register_vmap",
        ],
        "operators",
    ),
    "impl_abstract": "operators",
    "infer_schema": "schema_inference",
    "opcheck": "checks",
    "OpCheckError": "checks",
}


def __getattr__(name):
    if name not in _ELSEWHERE:
        raise AttributeError(f"module 'opweave.library' has no attribute '{name}'")
    home = importlib.import_module(f"opweave._custom_ops.{_ELSEWHERE[name]}")
    value = globals()[name] = getattr(home, name)
    return value


def __dir__():
    return sorted({*globals(), *_ELSEWHERE})

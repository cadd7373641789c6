"""Libraries: operators and kernels that a program adds and takes back."""

import weakref

from opweave import _C, _dispatch_modes, _ops
from opweave._custom_ops import awaited
from opweave._custom_ops.fakes import place_of
from opweave._custom_ops.keys import EVERYWHERE, DispatchKeySet, fallthrough_kernel, key_name
from opweave._custom_ops.tags import check_promises, given_tags

_implemented = {}  # Python kernels that are registered: function by (operator, key)
_defining = weakref.WeakValueDictionary()  # libraries of kind DEF by namespace
_BUILT_IN = ("", "aten", "opweave")  # namespaces of Opweave's own operators


class _Registered:
    """What a library added, to be taken back: kernels in the reverse order of their registration."""

    def __init__(self):
        self.kernels = []  # (operator and key, what restores the former kernel when it goes away)
        self.rules = []  # of modes: operator and class
        self.operators = []
        self.fallbacks = []

    def set_kernels(self, operator, keys, fn, kernel, alone):
        """The kernel, or None for what passes a key by, of a function; `alone`: in whose namespace and for
        which key it may not take the place of another."""
        places = [(_full_name(operator), k) for k in keys]
        if taken := alone is not None and [place for place in places if place in _implemented]:
            raise RuntimeError(
                "This is not allowed since there's already a kernel registered from python overriding "
                f"{operator.name.rpartition('::')[2]}'s behavior for {alone[1] or taken[0][1]} dispatch key "
                f"and {alone[0]} namespace."
            )
        for place in places:
            restore = operator._set_kernel(place[1], kernel)
            self.kernels.append((place, restore))
            _implemented[place] = fn

    def take_back(self):
        awaited.forget(self)
        while self.fallbacks:
            _C._remove_fallback(self.fallbacks.pop())
        while self.rules:
            _dispatch_modes.rules.pop(self.rules.pop(), None)
        while self.kernels:
            place, _ = self.kernels.pop()
            _implemented.pop(place, None)
        while self.operators:
            _C._undefine_operator(self.operators.pop())


class Library:
    """What a program adds to the dispatcher; taken back by close(), at the end of a `with` block, or when
    nothing refers to the library any more.

    Args:
        ns: the namespace of the operators that it defines, and of the names it implements; "" and
            "aten" stand for the built-in operators.
        kind: "DEF": it alone defines operators of the namespace by this kind; "IMPL": it defines none;
            "FRAGMENT": neither.
        dispatch_key: of kernels that name none.

    Raises:
        ValueError: there is no such kind, or the namespace is reserved.
        RuntimeError: another library of kind DEF has the namespace.
    """

    __module__ = "opweave.library"

    def __init__(self, ns="", kind="FRAGMENT", dispatch_key=""):
        if kind not in ("DEF", "IMPL", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns == "prim" and kind != "IMPL":
            raise ValueError(
                f"{ns} is a reserved namespace. Please try creating a library with another name."
            )
        if kind == "DEF":
            if ns in _defining:
                raise RuntimeError(
                    f"Only a single library of kind DEF can be used for the namespace {ns}; use the kind "
                    "FRAGMENT to define more of its operators"
                )
            _defining[ns] = self
        self.ns = ns
        self.kind = kind
        self.dispatch_key = dispatch_key
        self._prefix = "" if ns in _BUILT_IN else f"{ns}::"
        self._added = _Registered()
        self._finalizer = weakref.finalize(self, self._added.take_back)
        self._finalizer.atexit = False

    def __repr__(self):
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema, alias_analysis="", *, tags=()):
        """Adds an operator; returns its name.

        Args:
            schema: as in ops.yaml: "f(Tensor self, *, float eps=1e-5) -> Tensor".
            alias_analysis: for PyTorch's programs; the schema says what is written and shared.
            tags: members of opweave.Tag.

        Raises:
            RuntimeError: the schema is none, the name is taken, or of another namespace.
            ValueError: the schema breaks what the tags `out` or `inplace` say.
        """
        if alias_analysis not in ("", "FROM_SCHEMA", "CONSERVATIVE"):
            raise RuntimeError(f"Invalid alias_analysis type {alias_analysis}")
        self._check_alive()
        if self.kind == "IMPL":
            raise RuntimeError(
                f"Cannot define an operator in a library of kind IMPL: {schema!r}; use the kind FRAGMENT"
            )
        tags = given_tags(tags)
        schema = schema.strip()
        given = schema.partition("(")[0].partition(".")[0]
        namespace, separator, _ = given.partition("::")
        if separator and namespace != self.ns:
            raise RuntimeError(
                f"Explicitly provided namespace ({namespace}) in schema string does not match the namespace "
                f"of the library ({self.ns})"
            )
        operator = _C._define_operator(schema if separator else self._prefix + schema)
        operator._set_tags(tags)
        name = _full_name(operator)
        try:
            check_promises(operator)
        except ValueError:
            _C._undefine_operator(name)
            raise
        self._added.operators.append(name)
        awaited.defined()
        return given

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=True):
        """Makes a function the kernel of an operator, also of one that is defined later.

        Args:
            op_name: "add.Tensor", or the operator itself.
            fn: gets the arguments: keyword-only ones by keyword, all others by position. Or
                `fallthrough_kernel`: calls pass the key by.
            dispatch_key: "cpu", "meta", "Autograd", …; none for every target that exists now.
            with_keyset: whether `fn` gets the keys of the call, a DispatchKeySet, before the arguments.
            allow_override: whether it may take the place of another Python kernel.

        Raises:
            TypeError: `fn` cannot be called.
            RuntimeError: there is no such built-in operator, no such key, or a kernel that may not be
                overridden.
        """
        if not callable(fn):
            raise TypeError(
                f"Input function is required to be a callable but found type {type(fn)}"
            )
        self._check_alive()
        operator = self._find(op_name, may_come=True)
        key = dispatch_key or self.dispatch_key
        keys = _C._device_types().split(", ") if key in EVERYWHERE else [key_name(key)]
        kernel = None if fn is fallthrough_kernel else _with_keys(fn) if with_keyset else fn
        added, place = self._added, (self.ns, key)  # not the library, which may go before

        def set_kernel(operator):
            added.set_kernels(operator, keys, fn, kernel, None if allow_override else place)

        if operator is None:
            awaited.keep(self._name_of(op_name), added, set_kernel)
        else:
            set_kernel(operator)

    def fallback(self, fn, dispatch_key="", *, with_keyset=False):
        """Makes fn(operator, *args, **kwargs) the kernel of every operator that has none for the key.

        Args:
            fn: the function, or `fallthrough_kernel`, which is what happens without any.
            dispatch_key: the key.
            with_keyset: whether `fn` gets the keys of the call before the operator.

        Raises:
            RuntimeError: the library has a namespace: a fallback is for the operators of all.
        """
        if self.ns not in (*_BUILT_IN, "_"):
            raise RuntimeError(
                'Fallback can only be registered using library fragment on the global namespace "_" but it '
                f"is {self.ns}"
            )
        key = dispatch_key or self.dispatch_key
        if not key:
            raise AssertionError("dispatch_key must not be empty for fallback")
        self._check_alive()
        if fn is fallthrough_kernel:
            return
        kernel = _with_keys(fn) if with_keyset else fn
        _C._register_fallback(key_name(key), kernel)
        self._added.fallbacks.append(key_name(key))

    def _register_torch_dispatch_rule(self, op_name, torch_dispatch_class, fn):
        """What an operator does under a mode of the class: fn(mode, func, types, args, kwargs)."""
        place = (_ops.overload_of(self._find(op_name)).name(), torch_dispatch_class)
        _dispatch_modes.rules[place] = fn
        self._added.rules.append(place)

    def register_symm_mem_args(self, op_name, arg_names):
        """NotImplementedError: no tensor has memory that several processes address alike."""
        raise NotImplementedError(
            f"opweave.library.Library.register_symm_mem_args: {op_name!r} cannot ask for symmetric memory of "
            f"{arg_names!r}: no allocator here has any"
        )

    def _find(self, op, may_come=False):
        """The operator; None for one that is not there and that its namespace may get."""
        op = _ops.operator_of(op)
        if isinstance(op, _C._Operator):
            return op
        if not isinstance(op, str):
            raise RuntimeError(
                "impl should be passed either a name or an OpOverload object as the first argument, got "
                f"{type(op)}"
            )
        name = self._name_of(op)
        operator = _C._find_operator(name)
        if operator is None and not (may_come and "::" in name):
            left_out = _C._left_out_message(name)
            raise RuntimeError(left_out or f"there is no operator '{name}'")
        return operator

    def _name_of(self, op):
        name = op.removeprefix("aten::") if "::" in op else self._prefix + op
        return name.removesuffix(".default")

    def _check_alive(self):
        if not self._finalizer.alive:
            raise AssertionError("Library object has been destroyed")

    def close(self):
        """Takes everything back: kernels in the reverse order of their registration."""
        _defining.pop(self.ns, None) if _defining.get(self.ns) is self else None
        self._finalizer()

    _destroy = close

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


def _full_name(operator):
    return operator.name + (f".{operator.overload}" if operator.overload else "")


def _with_keys(fn):
    return lambda *args, **kwargs: fn(DispatchKeySet(_C._called_keys()), *args, **kwargs)


def fake_place(operator):
    """Where the fake of an operator was written that is registered from Python; None without one."""
    fn = _implemented.get((_full_name(operator), "meta"))
    return fn and place_of(getattr(fn, "fake", fn))


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

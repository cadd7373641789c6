"""custom_op: an operator that is a Python function, and what is registered for it."""

import contextlib
import enum
import inspect
import logging
from collections.abc import Sequence

from opweave import _C
from opweave._custom_ops.autocasting import autocast_kernel, check_device_type
from opweave._custom_ops.batching import batched_kernel
from opweave._custom_ops.fakes import fake_kernel
from opweave._custom_ops.gradients import autograd_kernel, writing_kernel
from opweave._custom_ops.keys import is_target
from opweave._custom_ops.library import Library, dispatch_keys
from opweave._custom_ops.schema_inference import infer_schema
from opweave._custom_ops.structure import as_tuple, tensors
from opweave._custom_ops.tags import check_tags
from opweave._ops import operator_of, overload_of
from opweave._tags import Tag
from opweave.utils._python_dispatch import TorchDispatchMode

_log = logging.getLogger(__name__)
_definitions = {}  # CustomOpDef by qualified name
device_types_t = str | Sequence[str] | None


class EffectType(enum.Enum):
    """What a call does besides its results: ORDERED: calls have to stay in the order of the program."""

    ORDERED = "Ordered"


def split_name(qualname):
    """("mine", "f") of "mine::f". ValueError where that is no such name."""
    namespace, separator, name = str(qualname).partition("::")
    if not separator or not namespace.isidentifier() or not name.isidentifier():
        raise ValueError(
            f'Expected `qualname` to be of the form "namespace::name", but got {qualname}: a namespace and a '
            "name, both as Python writes names"
        )
    if namespace in ("aten", "opweave"):
        raise ValueError(
            f"'{namespace}' is the namespace of built-in operators: {qualname!r} needs another"
        )
    return namespace, name


def _one_or_more(device_types):
    """Names of targets; None for every one."""
    if device_types is None:
        return None
    names = [device_types] if isinstance(device_types, str) else list(device_types)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(
                f"device_types: expected names of device types, got {type(name).__name__}"
            )
        if not is_target(name.lower()):
            raise ValueError(
                f"device_types: unknown device type '{name}'; known: {_C._device_types()}"
            )
    return names


def register_for(library, op, device_types, fn):
    """The kernel of an operator, or its name, for targets by name, or with None for all but meta."""
    names = _one_or_more(device_types)
    every = [name for name in _C._device_types().split(", ") if name != "meta"]
    for key in every if names is None else names:
        library.impl(op, fn, key)


def check_mode(kind):
    """NotImplementedError for a class that is none of modes."""
    if not isinstance(kind, type) or not issubclass(kind, TorchDispatchMode):
        name = kind.__name__ if isinstance(kind, type) else repr(kind)
        raise NotImplementedError(
            f"opweave.library.register_torch_dispatch: operators are not dispatched on {name}, which is no "
            "TorchDispatchMode: a subclass of Tensor sees calls by __torch_function__"
        )


class OperatorRules:
    """What programs register for one operator: kept, so that it lives as long as the operator."""

    def __init__(self, operator, library):
        self._operator = operator
        self._library = library
        self._name = operator.name
        self._backward = self._setup_context = None
        self._autocast = {}  # dtypes by kind of device

    def register_kernel(self, device_types, fn):
        """For all targets but meta: what tensors without data give a fake says."""
        register_for(self._library, self._operator, device_types, fn)

    def register_fake(self, fn):
        self._library.impl(self._operator, fake_kernel(self._name, fn), "meta")

    def register_autograd(self, backward, setup_context):
        if written := [a["name"] for a in self._operator.arguments if a["written"]]:
            raise RuntimeError(
                f"Cannot register autograd formula for {self._name}: it writes {', '.join(written)}; only a "
                "functional operator, which writes none of its arguments, can have one"
            )
        _check_setup_context(setup_context, self._operator)
        self._backward, self._setup_context = backward, setup_context
        self.record_calls()

    def record_calls(self):
        """Registers what autograd has to see: a node, or that arguments were written."""
        if any(a["written"] for a in self._operator.arguments):
            key = "ADInplaceOrView"
            below = lambda: dispatch_keys(exclude=[key])  # noqa: E731
            kernel = writing_kernel(self._operator, self._name, below)
        else:
            key = "Autograd"
            rules = (self._backward, self._setup_context)
            below = lambda: dispatch_keys(exclude=[key])  # noqa: E731
            kernel = autograd_kernel(self._operator, self._name, *rules, below)
        self._library.impl(self._operator, kernel, key)

    def register_vmap(self, rule):
        self._library.impl(
            self._operator, batched_kernel(self._operator, self._name, rule), "Batched"
        )

    def register_autocast(self, device_type, cast_inputs):
        device_type = check_device_type(device_type, cast_inputs)
        if not self._autocast:
            below = lambda: dispatch_keys(exclude=["Autocast"])  # noqa: E731
            kernel = autocast_kernel(self._operator, self._autocast, below)
            self._library.impl(self._operator, kernel, "Autocast")
        self._autocast.setdefault(device_type, cast_inputs)

    def register_torch_dispatch(self, kind, fn):
        """What it does under modes of a class."""
        self._library._register_torch_dispatch_rule(self._operator, kind, fn)


def _check_setup_context(setup_context, operator):
    if setup_context is None:
        return
    expected = ["ctx", "inputs", "output"]
    if any(a["keyword_only"] for a in operator.arguments):
        expected.insert(2, "keyword_only_inputs")
    if list(inspect.signature(setup_context).parameters) != expected:
        raise RuntimeError(
            f"{operator.name}: setup_context has to take ({', '.join(expected)}), got "
            f"{inspect.signature(setup_context)}"
        )


def _no_fake(definition):
    operator = definition._rules._operator

    def fake(*args, **kwargs):
        if not operator.returns:
            return
        raise RuntimeError(
            f"There was no fake impl registered for {definition!r}, which says what its results look like. "
            f"Please use `{definition.__name__}.register_fake` to add one"
        )

    return fake


def _check_arguments(operator):
    for argument in operator.arguments:
        if argument["keyword_only"] and argument["type"].startswith("Tensor"):
            raise NotImplementedError(
                f"custom_op with kwarg-only Tensor args. Please make your tensors not kwarg-only. Got: "
                f"{operator.schema}"
            )


class CustomOpDef:
    """An operator made by `custom_op`; called like a function.

    What it is registered for: kernels of targets, the fake (what results look like, on the device
    "meta"), gradients, vmap. Without a vmap rule examples run one after the other.
    """

    def __init__(self, qualname, schema, fn, device_types, tags=()):
        namespace, name = split_name(qualname)
        if qualname in _definitions:
            _definitions.pop(qualname)._rules._library.close()
        self._qualname = qualname
        self._init_fn = fn
        library = Library(namespace)
        library.define(name + schema, tags=(Tag.pt2_compliant_tag, *tags))
        operator = _C._find_operator(qualname)
        self._opoverload = overload_of(operator)
        self._namespace, self._name, self._schema = namespace, name, schema
        try:
            _check_arguments(operator)
        except NotImplementedError:
            library.close()
            raise
        self._rules = OperatorRules(operator, library)
        self.__name__, self.__doc__ = name, fn.__doc__
        self._kernels = {}  # of kinds of devices, None for all
        self._disabled = set()
        self.register_kernel(device_types, fn)
        self._rules.register_fake(_no_fake(self))
        self._rules.record_calls()
        self._rules.register_vmap(None)
        _definitions[qualname] = self

    def __call__(self, *args, **kwargs):
        return self._opoverload(*args, **kwargs)

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"

    def register_kernel(self, device_types, fn=None, /):
        """The implementation for some targets, or with None for all; also as a decorator.

        Its results may not be, or share memory with, an argument: RuntimeError.
        """

        names = _one_or_more(device_types)

        def register(function):
            for name in [None] if names is None else names:
                self._kernels[name] = function
                self._rules.register_kernel(name, self._checked(function, name))
            return function

        return register if fn is None else register(fn)

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type, enabled=True):
        """Inside of the block calls on a kind of device run its kernel, or the function that made the
        operator.

        Args:
            device_type: for which a kernel was registered.
            enabled: whether it runs.
        """
        was_disabled = device_type in self._disabled
        action = "enable" if enabled else "disable"
        if device_type not in self._kernels:
            _log.warning(
                "Attempted to %s kernel for %s but no kernel was registered for this device type.",
                action,
                device_type,
            )
        if enabled != was_disabled:
            _log.warning(
                "Attempted to %s kernel for %s but it was already %sd.", action, device_type, action
            )
        elif enabled:
            self._disabled.discard(device_type)
        else:
            self._disabled.add(device_type)
        try:
            yield
        finally:
            (self._disabled.add if was_disabled else self._disabled.discard)(device_type)

    def register_effect(self, effect):
        """Says that calls have to stay in order (EffectType.ORDERED), or need not (None).

        They always do: nothing here moves calls.
        """
        if effect is not None and not isinstance(effect, EffectType):
            raise TypeError(
                f"register_effect(): expected an EffectType or None, got {type(effect).__name__}"
            )

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        """What it does under modes of a class: see library.register_torch_dispatch."""
        check_mode(torch_dispatch_class)

        def register(function):
            self._rules.register_torch_dispatch(torch_dispatch_class, function)
            return function

        return register if fn is None else register(fn)

    def register_fake(self, fn, /):
        """What results look like: gets tensors without data, and returns such."""
        self._rules.register_fake(fn)
        return fn

    def register_autograd(self, backward, /, *, setup_context=None):
        """How gradients are computed.

        Args:
            backward: `backward(ctx, *grads)` returns the gradient of every argument, None where there is
                none, for a list of tensors a list.
            setup_context: `setup_context(ctx, inputs, output)` keeps what backward needs, as
                `ctx.save_for_backward(...)` does.
        """
        self._rules.register_autograd(backward, setup_context)

    def register_vmap(self, func=None):
        """The rule for vmap; also as a decorator.

        Args:
            func: `func(info, in_dims, *args)` returns the results of all `info.batch_size` examples
                and, in their structure, where the examples are.
        """

        def register(function):
            self._rules.register_vmap(function)
            return function

        return register if func is None else register(func)

    def register_autocast(self, device_type, cast_inputs):
        """What it computes in inside of `opweave.autocast(device_type)`; the first registration holds.

        Args:
            device_type: the name of a kind of device.
            cast_inputs: the dtype of its floating tensors of that kind there, except float64; the
                implementation runs without autocast.

        Raises:
            ValueError: there is no autocast for that kind of device.
            TypeError: `cast_inputs` is no dtype.
        """
        self._rules.register_autocast(device_type, cast_inputs)

    def _checked(self, function, device_type):
        name = self._qualname

        def kernel(*args, **kwargs):
            fn = self._init_fn if device_type in self._disabled else function
            result = fn(*args, **kwargs)
            _check_results(operator_of(self._opoverload), fn, result)
            _check_aliases(name, fn, tensors([*args, *kwargs.values()]), tensors(as_tuple(result)))
            return result

        return kernel


def _check_results(operator, fn, result):
    found = as_tuple(result)
    for value, expected in zip(found or (None,), operator.returns):
        if value is None and not expected["type"].endswith("?"):
            raise TypeError(
                f"{operator.name} (with implementation in {fn.__module__}): returned None, its schema says "
                f"{expected['type']}: {operator.schema}"
            )


def _check_aliases(name, fn, given, results):
    storages = {t.untyped_storage().data_ptr() for t in given if t.numel() > 0 and not t.is_meta}
    for result in results:
        if result.is_meta or result.numel() == 0:
            continue
        address = result.untyped_storage().data_ptr()
        if address in storages:
            raise RuntimeError(
                f"{name} (with implementation in {fn.__module__}): The output of this custom operator "
                f"(1) must "
                "not also be an input to this custom operator and (2) may not alias any inputs to this "
                "custom "
                "operator or other returns. The most common way to trigger this error is if we have y = "
                "custom_op(x) and y and x are the same Tensor. Please instead return a clone of the "
                "offending "
                "output tensor(s) (e.g. return x.clone()) or refactor the custom operator to not return y"
            )
        storages.add(address)


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    """Makes a Python function an operator, which autograd, vmap and tracing see as one.

    Args:
        name: "namespace::name".
        fn: the implementation; without it a decorator is returned.
        mutates_args: the names of the arguments that it writes, or "unknown".
        device_types: the targets that it is for, None: all.
        schema: "(Tensor x) -> Tensor"; without it that of the annotations.
        tags: members of opweave.Tag, one or several.

    Raises:
        ValueError: the name, the annotations or the device types are none.
        NotImplementedError: a tag says that it returns what it writes.
    """
    tags = check_tags("custom_op", name, tags)

    def make(function):
        inferred = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        return CustomOpDef(name, inferred, function, _one_or_more(device_types), tags)

    split_name(name)
    return make if fn is None else make(fn)

"""Checkpointed functions: what they save for backward is dropped, and computed anew when it is needed."""

import contextlib
import functools
import threading
import warnings

from opweave import _C, autograd
from opweave._grad_mode import enable_grad, no_grad
from opweave._trace import trace_operators
from opweave.autograd import Function
from opweave.autograd.graph import hooks_of_checkpoint
from opweave.utils._second_runs import CheckpointError, Frame, SavedInputs, description
from opweave.utils._selective import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    KeepingMode,
    SelectiveCheckpointContext,
    create_selective_checkpoint_contexts,
)
from opweave.utils._surroundings import (
    DefaultDeviceType,
    Surroundings,
    get_device_states,
    set_device_states,
)

__all__ = [
    "SAC_IGNORED_OPS",
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "DefaultDeviceType",
    "GraphExecGroup",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


_early_stop = True
_debug = None


class _Setting:
    """Sets a global of this module within `with`."""

    def __init__(self, name, value):
        self._name, self._value = name, value

    def __enter__(self):
        self._before = globals()[self._name]
        globals()[self._name] = self._value

    def __exit__(self, *exception):
        globals()[self._name] = self._before


def set_checkpoint_early_stop(enable):
    """Within `with`: whether second runs end as soon as all is there, whatever `early_stop` calls give."""
    return _Setting("_early_stop", enable)


def set_checkpoint_debug_enabled(enabled):
    """Within `with`: whether errors list the operators of both runs; None leaves that to `debug`."""
    return _Setting("_debug", enabled)


_group = threading.local()


class GraphExecGroup:
    """Within `with`, backward passes over parts of one graph run a checkpointed function again once for all
    of them.

    That is so without it: what a second run has made is kept until it is asked for.
    """

    def __enter__(self):
        if (other := self._get_current_group()) is not None:
            raise RuntimeError(
                f"GraphExecGroup contexts cannot be nested. Already inside group {other}"
            )
        _group.current = self
        return self

    def __exit__(self, *exception):
        _group.current = None

    @classmethod
    def _get_current_group(cls):
        return getattr(_group, "current", None)


def noop_context_fn():
    """Two contexts that do nothing."""
    return contextlib.nullcontext(), contextlib.nullcontext()


# --- without reentrance ---------------------------------------------------------------------------------
_DESCRIPTIONS = {"default": description, "none": None}


@contextlib.contextmanager
def _listing(debug, traces):
    """Adds the operators of a run to `traces`, where that is asked for."""
    if not debug:
        yield
        return
    with trace_operators() as operators:
        traces.append(operators)
        yield


def _explained(error, traces):
    runs = zip(("original forward", "recomputation"), traces, strict=False)
    lists = "\n".join(
        f"Operators of the {name}:\n  " + "\n  ".join(map(str, t)) for name, t in runs
    )
    return CheckpointError(f"{error}\n{lists}")


def _without_reentrance(function, args, kwargs, preserve_rng_state, contexts, settings):
    """Runs `function` with hooks that drop what is saved, and returns its results."""
    describe, debug, early_stop, respects = settings
    forward_context, again_context = contexts()
    if isinstance(forward_context, KeepingMode):
        forward_context.respect_saved_tensors_hooks = respects
    if not _C.is_grad_enabled():
        return function(*args, **kwargs)
    surroundings = Surroundings((args, kwargs), preserve_rng_state)
    traces = []

    def recompute(given, *inputs):
        with surroundings.again(), again_context, _listing(debug, traces):
            function(*inputs, **given)

    frame = Frame(recompute, SavedInputs((kwargs, *args)), early_stop, describe)

    def unpack(holder):
        try:
            return frame.unpack(holder)
        except CheckpointError as error:
            if not debug:
                raise
            raise _explained(error, traces) from error

    with hooks_of_checkpoint(frame.pack, unpack), forward_context, _listing(debug, traces):
        result = function(*args, **kwargs)
    frame.complete = True
    return result


# --- with reentrance --------------------------------------------------------------------------------------
def detach_variable(inputs):
    """A tuple of inputs with its tensors cut off from their history."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}"
        )
    return tuple(
        x.detach().requires_grad_(x.requires_grad) if isinstance(x, _C.Tensor) else x
        for x in inputs
    )


def check_backward_validity(inputs):
    """Warns where no input needs a gradient."""
    if not any(x.requires_grad for x in inputs if isinstance(x, _C.Tensor)):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2
        )


class CheckpointFunction(Function):
    """A function as one node: its backward runs it again, and a backward pass of its own through that."""

    @staticmethod
    def forward(ctx, run_function, preserve_rng_state, *args):
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.surroundings = Surroundings(args, preserve_rng_state)
        ctx.is_tensor = [isinstance(a, _C.Tensor) for a in args]
        ctx.inputs = [None if t else a for a, t in zip(args, ctx.is_tensor, strict=True)]
        ctx.save_for_backward(*[a for a in args if isinstance(a, _C.Tensor)])
        with no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx, *grads):
        if not _C._is_checkpoint_valid():
            raise RuntimeError(
                "When use_reentrant=True, opweave.utils.checkpoint is incompatible with .grad() or passing "
                "an `inputs` parameter to .backward(). To resolve this error, you can either set "
                "use_reentrant=False, or call .backward() without passing the `inputs` argument."
            )
        tensors = iter(ctx.saved_tensors)
        inputs = detach_variable(
            tuple(
                next(tensors) if is_tensor else other
                for is_tensor, other in zip(ctx.is_tensor, ctx.inputs, strict=True)
            )
        )
        with ctx.surroundings.again(), enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = (outputs,) if isinstance(outputs, _C.Tensor) else outputs
        pairs = [
            (out, grad)
            for out, grad in zip(outputs, grads, strict=True)
            if isinstance(out, _C.Tensor) and out.requires_grad
        ]
        if not pairs:
            raise RuntimeError(
                "none of output has requires_grad=True, this checkpoint() is not necessary"
            )
        autograd.backward([out for out, _ in pairs], [grad for _, grad in pairs])
        found = (x.grad if isinstance(x, _C.Tensor) else None for x in inputs)
        return None, None, *found


# --- the functions that users call -----------------------------------------------------------------------
def _chosen(use_reentrant, caller):
    if use_reentrant is not None:
        return use_reentrant
    warnings.warn(
        f"opweave.utils.checkpoint.{caller}: the use_reentrant parameter should be passed explicitly. It "
        "is True as long as it is not; use_reentrant=False is recommended.",
        stacklevel=3,
    )
    return True


def _reentrant(function, args, kwargs, preserve_rng_state, *others):
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if others != (noop_context_fn, False, None):
        raise ValueError(
            "Passing `context_fn`, `debug`, or `respect_saved_tensors_hooks` is only supported when "
            "use_reentrant=False."
        )
    if _C._captures_open() or _C._forward_depth():
        raise RuntimeError(
            "checkpoint(): use_reentrant=True runs a backward pass of its own, of which opweave.func's "
            "grad(), vjp(), jvp() and the like know nothing: the gradients of captured tensors would be "
            "lost. Pass use_reentrant=False."
        )
    return CheckpointFunction.apply(function, preserve_rng_state, *args)


def checkpoint(
    function=None,
    *args,
    use_reentrant=None,
    preserve_rng_state=True,
    context_fn=noop_context_fn,
    determinism_check="default",
    debug=False,
    early_stop=True,
    respect_saved_tensors_hooks=None,
    **kwargs,
):
    """`function(*args, **kwargs)`, which keeps its arguments for backward in place of what it saves.

    Args:
        function: what is run, and run again in the backward pass. A decorator is returned if it is not given.
        use_reentrant: True runs a backward pass inside of the backward pass: for `backward()` without
            `inputs` only, and at least one argument has to need a gradient. False is recommended.
        preserve_rng_state: whether the second run draws the random numbers of the first.
        context_fn: gives two contexts, for the first run and the second. Not with `use_reentrant`.
        determinism_check: "default" compares shapes, dtypes and devices of what both runs save; "none".
        debug: whether errors list the operators of both runs. Not with `use_reentrant`.
        early_stop: whether the second run ends when all that was saved is there again.
        respect_saved_tensors_hooks: whether saved_tensors_hooks around the call see what
            create_selective_checkpoint_contexts() keeps; None: they do not, and a warning says so. Not with
            `use_reentrant`.

    Raises:
        CheckpointError: in the backward pass: the second run saved other tensors than the first.
        ValueError: an argument that there is not, or not with `use_reentrant`.
    """
    if function is None:
        return functools.partial(
            _decorated,
            use_reentrant=_chosen(use_reentrant, "checkpoint"),
            preserve_rng_state=preserve_rng_state,
            context_fn=context_fn,
            determinism_check=determinism_check,
            debug=debug,
            early_stop=early_stop,
            respect_saved_tensors_hooks=respect_saved_tensors_hooks,
        )
    if _chosen(use_reentrant, "checkpoint"):
        others = context_fn, debug, respect_saved_tensors_hooks
        return _reentrant(function, args, kwargs, preserve_rng_state, *others)
    if determinism_check not in _DESCRIPTIONS:
        raise ValueError(
            f"determinism_check should be one of {list(_DESCRIPTIONS)} but got {determinism_check}"
        )
    settings = (
        _DESCRIPTIONS[determinism_check],
        debug if _debug is None else _debug,
        early_stop and _early_stop,
        respect_saved_tensors_hooks,
    )
    return _without_reentrance(function, args, kwargs, preserve_rng_state, context_fn, settings)


def _decorated(function, **options):
    @functools.wraps(function)
    def checkpointed(*args, **kwargs):
        return checkpoint(function, *args, **options, **kwargs)

    return checkpointed


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Runs functions one after the other, in segments that are checkpointed, but for the last one.

    Args:
        functions: a Sequential, or a list of modules or functions.
        segments: how many parts there are.
        input: a tensor.
        use_reentrant: see checkpoint().
        preserve_rng_state: see checkpoint().

    Raises:
        ValueError: another keyword argument; no segments.
    """
    use_reentrant = _chosen(use_reentrant, "checkpoint_sequential")
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if segments < 1:
        raise ValueError(f"checkpoint_sequential: segments: expected 1 or more, got {segments}")
    from opweave.nn.modules.container import Sequential  # checkpoint() works without layers

    if isinstance(functions, Sequential):
        functions = list(functions.children())

    def run(part, value):
        for function in part:
            value = function(value)
        return value

    size = len(functions) // segments
    last = size * (segments - 1)
    for start in range(0, last, size or 1):
        part = functools.partial(run, functions[start : start + size])
        input = checkpoint(part, input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return run(functions[last:], input)

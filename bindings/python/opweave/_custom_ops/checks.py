"""opcheck: whether an operator that a program registered is what it says."""

from opweave import _C
from opweave._custom_ops.operators import CustomOpDef
from opweave._custom_ops.structure import as_tuple, map_tensors, tensors
from opweave._ops import operator_of


class OpCheckError(Exception):
    """An operator breaks a rule; the text says which."""


def _copies(values):
    """The same tensors in memory of their own, leaves that need gradients where they did."""

    def copy(tensor):
        return tensor.detach().clone().requires_grad_(tensor.requires_grad)

    return map_tensors(copy, values)


def _call(op, args, kwargs):
    names = list(kwargs)
    values = _copies([*args, *kwargs.values()])
    args, kwargs = values[: len(args)], dict(zip(names, values[len(args) :]))
    return args, kwargs, op(*args, **kwargs)


def _check_schema(op, args, kwargs):
    """Only what the schema calls written is, and results are new memory unless it says otherwise."""
    before = _copies([*args, *kwargs.values()])
    given, keywords, result = _call(op, args, kwargs)
    records = op.arguments
    values = [*given, *keywords.values()]
    names = [r["name"] for r in records[: len(given)]] + list(keywords)
    written = {r["name"] for r in records if r["written"]}
    for name, was, now in zip(names, before, values):
        if name in written:
            continue
        for a, b in zip(tensors([was]), tensors([now])):
            if not _same(a, b):
                raise OpCheckError(
                    f"opcheck(op, ...): test_schema failed with Argument {name} is not defined as "
                    f"mutable but "
                    f"was mutated: {op.name}"
                )
    shared = {t.untyped_storage().data_ptr() for t in tensors(values) if t.numel() > 0}
    allowed = any(r["alias"] for r in op.returns)
    for i, t in enumerate(tensors(as_tuple(result))):
        if not allowed and t.numel() > 0 and t.untyped_storage().data_ptr() in shared:
            raise OpCheckError(
                f"opcheck(op, ...): test_schema failed with result {i} of {op.name} shares memory with an "
                "argument, which its schema does not say"
            )


def _same(a, b):
    return a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all())


def _check_autograd_registration(op, args, kwargs):
    """Where gradients are asked for, results have a history that the operator's own rule made."""
    if not any(t.requires_grad for t in tensors([*args, *kwargs.values()])):
        return
    _, _, result = _call(op, args, kwargs)
    floating = [t for t in tensors(as_tuple(result)) if t.is_floating_point()]
    if floating and not any(t.requires_grad for t in floating):
        raise OpCheckError(
            f"opcheck(op, ...): test_autograd_registration failed with {op.name} was called with "
            f"tensors that "
            "require gradients, and none of its results does: register_autograd says how they are computed; "
            "a kernel of a target cannot"
        )


def _described(t):
    return f"{tuple(t.shape)}, {t.dtype}, strides {t.stride()}"


def _check_fake(op, args, kwargs):
    """The fake says of results what the kernel gives: how many, sizes, dtypes, strides."""
    _, _, result = _call(op, args, kwargs)
    on_meta = map_tensors(lambda t: t.detach().to("meta"), [*args, *kwargs.values()])
    keywords = dict(zip(kwargs, on_meta[len(args) :]))
    try:
        fake = op(*on_meta[: len(args)], **keywords)
    except (NotImplementedError, RuntimeError) as error:
        raise OpCheckError(
            f"opcheck(op, ...): test_faketensor failed with {op.name} has no fake: register_fake says "
            f"what its "
            f"results look like ({error})"
        ) from None
    found, expected = tensors(as_tuple(fake)), tensors(as_tuple(result))
    if len(found) != len(expected):
        raise OpCheckError(
            f"opcheck(op, ...): test_faketensor failed with the fake of {op.name} gives {len(found)} "
            f"tensors, "
            f"the kernel {len(expected)}"
        )
    for i, (f, e) in enumerate(zip(found, expected)):
        if (f.shape, f.dtype, f.stride()) != (e.shape, e.dtype, e.stride()):
            raise OpCheckError(
                f"opcheck(op, ...): test_faketensor failed with result {i} of {op.name} is "
                f"{_described(e)}; its "
                f"fake says {_described(f)}"
            )


def _gradients(op, args, kwargs):
    given, keywords, result = _call(op, args, kwargs)
    inputs = [t for t in tensors([*given, *keywords.values()]) if t.requires_grad]
    results = [t for t in tensors(as_tuple(result)) if t.requires_grad]
    if not inputs or not results:
        return []
    from opweave import autograd

    weights = [r.detach().cos() for r in results]
    return autograd.grad(results, inputs, weights, allow_unused=True)


def _check_aot_dispatch(op, args, kwargs, **tolerances):
    """Two calls give the same gradients, and where they are double precision, those of finite differences."""
    first, second = _gradients(op, args, kwargs), _gradients(op, args, kwargs)
    for i, (a, b) in enumerate(zip(first, second)):
        if (a is None) != (b is None) or (a is not None and not _same(a, b)):
            raise OpCheckError(
                f"opcheck(op, ...): test_aot_dispatch_dynamic failed with gradient {i} of {op.name} is "
                f"another "
                "each time"
            )
    inputs = [t for t in tensors([*args, *kwargs.values()]) if t.requires_grad]
    if not first or any(t.dtype != _C.float64 for t in inputs):
        return
    from opweave import autograd

    def of_inputs(*values):
        ours = iter(values)
        new = map_tensors(lambda t: next(ours) if t.requires_grad else t, [*args, *kwargs.values()])
        found = as_tuple(op(*new[: len(args)], **dict(zip(kwargs, new[len(args) :]))))
        return tuple(t for t in tensors(found) if t.is_floating_point())

    try:
        leaves = tuple(t.detach().clone().requires_grad_() for t in inputs)
        autograd.gradcheck(of_inputs, leaves, **tolerances)
    except RuntimeError as error:
        raise OpCheckError(
            f"opcheck(op, ...): test_aot_dispatch_dynamic failed with the gradient of {op.name} is not "
            f"that of "
            f"finite differences: {error}"
        ) from None


_TESTS = {
    "test_schema": _check_schema,
    "test_autograd_registration": _check_autograd_registration,
    "test_faketensor": _check_fake,
    "test_aot_dispatch_dynamic": _check_aot_dispatch,
}


def _operator(op):
    op = operator_of(op)
    if isinstance(op, CustomOpDef):
        return operator_of(op._opoverload)
    if isinstance(op, _C._Operator):
        return op
    overloads = getattr(op, "overloads", None)
    if overloads is not None and len(overloads()) == 1:
        return getattr(op, overloads()[0])
    raise ValueError(
        f"opcheck(op, ...): expected an operator of opweave.ops with its overload, or what custom_op "
        f"made, got {op!r}"
    )


def _tolerances(atol, rtol):
    if (atol is None) != (rtol is None):
        raise ValueError(
            f"opcheck(op, ...): atol and rtol have to be given both, or neither, got atol={atol}, rtol={rtol}"
        )
    return {} if atol is None else {"atol": atol, "rtol": rtol}


def opcheck(
    op, args, kwargs=None, *, test_utils=tuple(_TESTS), raise_exception=True, atol=None, rtol=None
):
    """Tests whether an operator that a program registered is what it says.

    - test_schema: it writes what its schema says, and results are new memory unless that says otherwise;
    - test_autograd_registration: results of arguments that require gradients do;
    - test_faketensor: the fake says of results what the kernel gives;
    - test_aot_dispatch_dynamic: gradients are the same each time, and in double precision those of
      finite differences.

    Args:
        op: what `custom_op` made, or an operator of `opweave.ops`.
        args: positional arguments of a call.
        kwargs: the others.
        test_utils: which tests, a name or several.
        raise_exception: whether the first that fails raises.
        atol: how far gradients may be from finite differences; with `rtol`, or the defaults of gradcheck.
        rtol: likewise, relative.

    Returns:
        "SUCCESS" or the error of each test, by its name.

    Raises:
        OpCheckError: a test fails.
        ValueError: there is no such operator or test, or one of two tolerances.
    """
    op, kwargs = _operator(op), kwargs or {}
    names = [test_utils] if isinstance(test_utils, str) else list(test_utils)
    if unknown := set(names) - set(_TESTS):
        raise ValueError(
            f"opcheck(op, ...): unknown test_utils {sorted(unknown)}; known: {', '.join(_TESTS)}"
        )
    tolerances = _tolerances(atol, rtol)
    results = {}
    for name in names:
        try:
            more = tolerances if name == "test_aot_dispatch_dynamic" else {}
            _TESTS[name](op, tuple(args), dict(kwargs), **more)
        except Exception as error:  # of what a program wrote: anything
            if raise_exception:
                raise
            results[name] = error
        else:
            results[name] = "SUCCESS"
    return results

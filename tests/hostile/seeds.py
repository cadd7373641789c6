"""Calls that are right, from which broken ones are grown: of every operator the samples of its entry,
of operators that only formulas call what they are called with, of everything else its signature."""

import importlib
import inspect
import pkgutil
import random

import by_hand
import calls
import operators
import opweave as ow
import schedules
from opweave import library
from values import Array, Call, Items, Text, as_value

import schemas

_AFTER = ["touch(r)"]


def _known(values):
    return all(v is not None for v in values)


def _as_call(target, positional, keywords, method=False):
    positional = [as_value(v) for v in positional]
    keywords = {k: as_value(v) for k, v in keywords.items()}
    if not _known(positional) or not _known(keywords.values()):
        return None
    return Call(target, positional, keywords, list(_AFTER), method)


def _in_nn(name):
    return hasattr(ow.nn.functional, name)


def of_samples():
    """Every way to call every public operator with its samples: function, method, out= and by overload."""
    found = []
    for op in operators.OPERATORS:
        for sample in op.samples:
            try:
                values = calls.arguments(ow, sample, "float32")
            except Exception:  # noqa: BLE001: what cannot be made in this dtype
                continue
            positional, keywords = calls.split(op, values)
            full, _, overload = op.full_name.partition(".")
            targets = [(schemas.target_of(full, overload or "default"), False)]
            if op.function and not op.module and hasattr(ow, op.name):
                targets.append((f"ow.{op.name}", False))
            if op.module == "nn" and _in_nn(op.name):
                targets.append((f"F.{op.name}", False))
            elif op.module and hasattr(getattr(ow, op.module, None), op.name):
                targets.append((f"ow.{op.module}.{op.name}", False))
            if op.method and positional and op.arguments[0].name == "self":
                targets.append((op.name, True))
            found += [_as_call(t, positional, keywords, m) for t, m in targets]
            if op.out and op.function and not op.module:
                out = (
                    Array((1,)) if len(op.returns) < 2 else Items([Array((1,)) for _ in op.returns])
                )
                if (call := _as_call(f"ow.{op.name}", positional, keywords)) is not None:
                    call.keywords["out"] = out
                    found.append(call)
    return [c for c in found if c is not None]


def _run(op, sample):
    values = calls.arguments(ow, sample, "float32")
    leaves = [
        t.requires_grad_()
        for t in calls.tensors(ow, list(values.values()))
        if t.is_floating_point()
    ]
    result = calls.call(ow, op, values)
    outputs = [t for t in calls.results(ow, result) if ow.is_tensor(t) and t.requires_grad]
    if outputs and leaves:
        first = ow.autograd.grad(
            outputs,
            leaves,
            [ow.ones_like(t) for t in outputs],
            create_graph=True,
            allow_unused=True,
        )
        again = [t for t in first if t is not None and t.requires_grad]
        ow.autograd.grad(
            again, leaves, [ow.ones_like(t) for t in again], allow_unused=True
        ) if again else None


def of_formulas(names, most=3):
    """What the samples' gradients and second gradients call operators of these names with."""
    key = library.register_functionality("Harvest", below=("ADInplaceOrView",))
    found = {}

    def note(operator, *args, **kwargs):
        full = f"{operator.name}.{operator.overload or 'default'}"
        if operator.name in names and len(found.setdefault(full, [])) < most:
            call = _as_call(schemas.target_of(*full.split(".")), args, kwargs)
            found[full] += [call] if call is not None else []
        with library.dispatch_keys(exclude=(key,)):
            return operator(*args, **kwargs)

    with library.Library() as lib:
        lib.fallback(note, key)
        with library.dispatch_keys(include=(key,)):
            for op in operators.OPERATORS:
                for sample in op.samples[:3]:
                    try:
                        _run(op, sample)
                    except Exception:  # noqa: BLE001, S112: not differentiable so
                        continue
    return [c for calls_of in found.values() for c in calls_of]


class _NotedError(Exception):
    pass


def of_kernels(names, most=3):
    """What kernels call operators of these names with: theirs is replaced by one that notes it and stops."""
    found = {}

    def kernel_of(full):
        def note(*args, **kwargs):
            if len(found.setdefault(full, [])) < most:
                call = _as_call(schemas.target_of(*full.split(".")), args, kwargs)
                found[full] += [call] if call is not None else []
            raise _NotedError

        return note

    with library.Library() as lib:
        for name in names:
            for overload in getattr(ow.ops, name).overloads():
                suffix = "" if overload == "default" else f".{overload}"
                lib.impl(name + suffix, kernel_of(f"{name}.{overload}"), "cpu")
        for op in operators.OPERATORS:
            for sample in op.samples[:3]:
                try:
                    _run(op, sample)
                except Exception:  # noqa: BLE001, S112: stopped on purpose, or not differentiable so
                    continue
    return [c for calls_of in found.values() for c in calls_of]


_OWNERS = {
    "ow.Tensor": Array((2, 3)),
    "ow.Size": Text("ow.Size([2, 3])"),
    "ow.Generator": Text("ow.Generator()"),
    "ow.UntypedStorage": Text("ow.ones(3).untyped_storage()"),
}
# What a module does under a setting, which is as it was before for the calls that follow.
_UNDER_SETTING = """try:
    m = ow.nn.Linear(2, 2)
    m.double()
    m.load_state_dict(m.state_dict())
finally:
    {path}.{name}(False)"""
_SETTING = "changes how everything after it behaves"
_WAITS = "waits for other processes"
# Callables that are not called, and why.
_LEFT_OUT = {
    **dict.fromkeys(("set_default_dtype", "set_num_threads", "set_printoptions"), _SETTING),
    **dict.fromkeys(
        ("compile", "set_default_device", "set_default_tensor_type", "set_dir"), _SETTING
    ),
    **dict.fromkeys(
        [
            f"register_module_{what}_hook"
            for what in (
                *("forward", "forward_pre", "backward", "full_backward", "full_backward_pre"),
                *("buffer_registration", "module_registration", "parameter_registration"),
            )
        ],
        _SETTING,
    ),
    "monitored_barrier": _WAITS,
    **dict.fromkeys(("TCPStore", "EtcdStore", "init_process_group", "rendezvous"), _WAITS),
}

# One starts processes and ends this one, the other changes what imports find: called by their commands. The
# third writes files by itself, and needs a package.
_PROGRAMS = ("opweave.distributed.run", "opweave.as_torch", "opweave.utils.tensorboard")


# Public in spite of their names.
_UNDERSCORED = ("opweave.__future__",)


def _is_public(module):
    return "._" not in module or module in _UNDERSCORED


def public_modules():
    """Path in a program -> module, of the package and everything public below it."""
    found = {"ow": ow, "F": ow.nn.functional}
    for module in pkgutil.walk_packages(ow.__path__, "opweave."):
        if module.name.startswith(_PROGRAMS):
            continue
        if _is_public(module.name) and module.name != "opweave.ops":  # these have schemas
            path = module.name.replace("opweave", "ow", 1)
            try:
                found[path] = importlib.import_module(module.name)
            except ImportError as refused:
                if refused.name != module.name:  # one that is there to say what is not
                    raise
    return found


def _is_ours(value):
    """Whether it is the package's, not something of Python that a module imported."""
    home = getattr(value, "__module__", None)
    return callable(value) and (home is None or home.split(".")[0] in ("opweave", "builtins"))


def public_callables():
    """(path of the owner, name, value), of everything once: where it is first met."""
    met, owners = set(), [*public_modules().items()]
    for path, owner in [*owners, *((p, getattr(ow, p[3:])) for p in _OWNERS)]:
        for name in sorted(dir(owner)):
            dunder = name.startswith("__") and path.startswith("ow.T")
            if (name.startswith("_") and not dunder) or name in _LEFT_OUT:
                continue
            value = getattr(owner, name, None)
            if (path in _OWNERS and callable(value)) or (_is_ours(value) and id(value) not in met):
                met.add(id(value))
                yield path, name, value


def of_signatures():
    """Whatever else can be called: a tensor or two, and numbers for what it must be given."""
    g, found = random.Random(1), []
    for path, name, value in public_callables():
        found += _of_callable(g, path, name, value)
    return found


def _required(value):
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return 2
    return sum(
        p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        for p in parameters
    )


def _of_callable(g, path, name, value):
    pool = [Array((2, 3)), Array((4, 4), grad=True), Text("2"), Text("0.5"), Items([Text("1"), Text("2")]),
            Text("lambda x: x * 2"), Text("[ow.ones(2, requires_grad=True)]"), Text("'x'"),
            Text("group()")]  # fmt: skip
    method = path in _OWNERS
    after = ["touch(r)", "touch(r(ow.ones(2, 3)))"] if isinstance(value, type) else list(_AFTER)
    if path == "ow.__future__" and name.startswith("set_"):
        after = [_UNDER_SETTING.format(path=path, name=name)]
    found = []
    for _ in range(2):
        count = max(_required(value) - (1 if method else 0), 0)
        positional = [g.choice(pool) for _ in range(count)]
        if method:
            found.append(Call(name, [_OWNERS[path], *positional], {}, after, method=True))
        else:
            found.append(Call(f"{path}.{name}", positional, {}, after))
    return found


def every_call():
    """The calls from which a campaign starts, in an order that only the checkout decides."""
    public = of_samples()
    every = schemas.targets(schemas.all_names())

    def rest(found):
        reached = {c.target for c in found}
        return {t: o for t, o in every.items() if t not in reached}

    hidden = of_formulas({o.name for o in rest(public).values()})
    names = {o.name for o in rest(public + hidden).values()}
    hidden += of_kernels({n for n in names if not n.endswith("_")})
    hidden += by_hand.calls()
    forms = schemas.of_forms(rest(public + hidden), public + hidden)
    last = [schemas.of_schema(t, o) for t, o in rest(public + hidden + forms).items()]
    return public + hidden * 4 + forms + last * 2 + of_signatures() + schedules.calls() * 2

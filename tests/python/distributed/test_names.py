"""Every name of torch.distributed is here, with the same parameters, or has a reason why not."""

import ast
import importlib
import inspect
import json
import re
from pathlib import Path

import opweave.distributed as dist
import pytest
import reference

PYTORCH = json.loads((Path(reference.__file__).parent / "data/distributed.json").read_text())

# Names that match, and why they are not here.
_REASONS = {
    r"Reducer|Logger": "belongs to DistributedDataParallel",
    r"ProcessGroupNCCL(2|Lazy)": "variants of the same backend; ours is lazy by itself",
    r"_functional_collectives\..*(_backward|_setup_context|_inplace|impl.*|_ctx)": "of its compiler",
    r"_functional_collectives\.(AsyncCollectiveTensor|get_proxy_mode|legacy_.*)": "of its compiler",
    r"(ProcessGroup|Work|ReduceOp)\.(un)?box(ed)?": "of its compiler: operators take the classes",
    r"ReduceOp\.(PREMUL_SUM|factor|op)": "NCCL's reduction with a factor",
    r"ProcessGroup\..*(window|reconfigure.*|_hooks?|merge_remote_group)": "an experiment of PyTorch's",
    r"ProcessGroup\.use_pg_for_symm_mem_rendezvous": "symmetric memory",
    r"ProcessGroup\.(all_gather|reduce_scatter|allgather).*coalesced": "_coalescing_manager does it",
    r"ProcessGroup\.gather_(single|into_tensor)": "gather() takes its parts",
    r"ProcessGroup\.(monitored_barrier|split_group)": "functions of the module",
    r"Work\.timeout": "the group's, or that of wait()",
}

# Parameters, likewise.
_PARAMETERS = {"init_process_group.enable_reconfigure": "an experiment of PyTorch's"}
_NOTHING = object()


def reason(name):
    return next((r for pattern, r in _REASONS.items() if re.fullmatch(pattern, name)), None)


def find(name):
    """What has this name; `_NOTHING` where nothing does."""
    module, _, rest = name.rpartition(".")
    try:
        holder = dist
        if module and module[0].isupper():
            holder = getattr(dist, module)
        elif module:
            holder = importlib.import_module(f"opweave.distributed.{module}")
        fields = getattr(holder, "__dataclass_fields__", {})
        return getattr(holder, rest, fields.get(rest, _NOTHING))
    except (ImportError, AttributeError):
        return _NOTHING


def parameters(function):
    found = inspect.signature(function).parameters.values()
    return [(p.name, None if p.default is p.empty else p.default) for p in found]


def differences(name, theirs):
    """Parameters of PyTorch's that ours, called as PyTorch's are, would take for something else."""
    ours = parameters(find(name))
    for i, (parameter, default) in enumerate(theirs):
        if parameter.startswith("_") or f"{name}.{parameter}" in _PARAMETERS:
            continue
        if i >= len(ours) or ours[i][0] != parameter:
            yield f"{name}(): parameter {i} is {ours[i][0] if i < len(ours) else 'none'}, not {parameter}"
        elif default not in (None, "...") and repr(ours[i][1]) not in (default, "ReduceOp.SUM"):
            yield f"{name}(): {parameter}={ours[i][1]!r}, not {default}"


def test_names_are_here():
    missing = [name for name in PYTORCH if find(name) is _NOTHING and reason(name) is None]
    assert not missing


def test_reasons_are_of_names_that_are_not_here():
    here = [name for name in PYTORCH if find(name) is not _NOTHING and reason(name) is not None]
    assert not here
    unused = [p for p in _REASONS if not any(re.fullmatch(p, name) for name in PYTORCH)]
    assert not unused


def test_functions_take_the_same():
    found = []
    for name, theirs in PYTORCH.items():
        if theirs is not None and inspect.isfunction(find(name)):
            found += differences(name, theirs)
    assert not found


@pytest.mark.parametrize("name", sorted(dist.__all__))
def test_public_names_are_documented(name):
    value = getattr(dist, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__doc__


def stubs():
    """{name: parameters} of the stub's functions, and of its classes' methods."""
    tree = ast.parse((Path(dist.__file__).parent / "__init__.pyi").read_text())
    found = {}
    for node in tree.body:
        holder = [(node, "")]
        if isinstance(node, ast.ClassDef):
            found[node.name] = None
            holder = [(method, f"{node.name}.") for method in node.body]
        for function, prefix in holder:
            if isinstance(function, ast.FunctionDef):
                found[prefix + function.name] = _stub_parameters(function.args)
    return found


def _stub_parameters(args):
    """(name, default's text) of each."""
    places = [*args.posonlyargs, *args.args]
    pairs = zip(reversed(places), [*reversed(args.defaults), *[None] * len(places)], strict=False)
    listed = [*reversed(list(pairs)), *zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    return [(a.arg, None if d is None else ast.unparse(d)) for a, d in listed]


def test_stubs_have_every_public_name():
    text = (Path(dist.__file__).parent / "__init__.pyi").read_text()
    names = {*stubs(), *re.findall(r"^(\w+)(?:: | = )", text, re.MULTILINE)}
    assert sorted(set(dist.__all__) - names) == []


def test_stubs_say_what_functions_take():
    wrong = []
    for name, said in stubs().items():
        function = find(name)
        if not inspect.isfunction(function):
            continue
        ours = parameters(function)
        names = [(p, d is not None) for p, d in said] != _shown(function)
        values = [d for p, d in said if d not in (None, "...")]
        defaults = {repr(d) for _, d in ours}
        if names or not {v.replace('"', "'") for v in values} <= {
            d.replace('"', "'") for d in defaults
        }:
            wrong.append((name, said, ours))
    assert not wrong


def _shown(function):
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    found = [p for p in inspect.signature(function).parameters.values() if p.kind not in kinds]
    return [(p.name, p.default is not p.empty) for p in found if not p.name.startswith("_")]


def test_reductions_of_the_stub_are_those_there_are():
    text = (Path(dist.__file__).parent / "__init__.pyi").read_text()
    body = text[text.index("class ReduceOp") :]
    names = re.findall(r"^    (\w+) = \.\.\.", body[: body.index("reduce_op")], re.MULTILINE)
    assert names == list(dist.ReduceOp.__members__)

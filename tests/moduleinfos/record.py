"""Writes what PyTorch answers to its own samples of layers and optimizers; runs in a Python that has PyTorch.

`torch.testing._internal` has a ModuleInfo for nearly every layer and an OptimizerInfo for every optimizer.
What they make is written as plain data and answered from that (answers.py), as elsewhere.
"""

import collections
import pickle
import sys
from pathlib import Path

import torch
from torch.testing._internal.common_modules import module_db
from torch.testing._internal.common_optimizers import optim_db

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "opinfos")]

from answers import answer  # noqa: E402
from objects import ObjectWriter, keep_arguments  # noqa: E402
from plain import NoPlainFormError  # noqa: E402

DTYPES = (torch.float32, torch.float64, torch.bfloat16)
# Muon takes matrices, and Adafactor divides by the number of elements.
SHAPES = {"Muon": ((3, 2), (2, 4), (4, 1)), "Adafactor": ((3, 2), (2, 4), (5,), ())}
# In what ways each sample of an optimizer is used: options beside its own, parameters, steps.
WAYS = {
    "": {},
    "foreach": {"options": {"foreach": True}},
    "fused": {"options": {"fused": True}},
    "fused, of few bits": {"options": {"fused": True}, "dtypes": ["bfloat16", "float16"]},
    "fused and foreach": {"options": {"fused": True, "foreach": True}},
    "differentiable": {"options": {"differentiable": True}},
    "maximize": {"options": {"maximize": True}},
    "capturable": {"options": {"capturable": True}},
    "lr is a tensor": {"options": {"lr": torch.tensor(0.01)}},
    "lr is a tensor of one": {"options": {"lr": torch.tensor([0.01])}},
    "lr is a tensor, foreach": {"options": {"lr": torch.tensor(0.01), "foreach": True}},
    "lr is 0": {"options": {"lr": 0}},
    "weight decay": {"options": {"weight_decay": 0.1}},
    "float64": {"dtypes": ["float64"]},
    "bfloat16": {"dtypes": ["bfloat16"]},
    "several dtypes": {"dtypes": ["float32", "float64"]},
    "groups": {"given": "groups", "group": {"lr": 0.05, "weight_decay": 0.2}},
    "names": {"given": "names"},
    "closure": {"closure": True},
    "lacking gradients": {"lacking": True},
    "reloaded": {"reloaded": True},
}


def _layer(info, given, dtype, trains):
    writer, forward = ObjectWriter(torch), given.forward_input
    sample = {"kind": "layer", "name": info.name.removeprefix("nn."), "form": given.desc}
    made = given.constructor_input
    sample["made with"] = writer.write(made.args), writer.write(made.kwargs)
    args, kwargs = (forward.args, forward.kwargs) if forward else ((), {})
    sample["inputs"] = writer.write(args), writer.write(kwargs)
    twice = dtype is torch.float64 and info.supports_gradgrad
    return {
        **sample,
        "storages": writer.storages,
        "dtype": str(dtype).removeprefix("torch."),
        "trains": trains,
        "twice": twice,
    }


def _given(info):
    """What a ModuleInfo makes, with dtype and whether it trains; those that are errors at the end."""
    for dtype in DTYPES:
        for trains in (True, False) if info.train_and_eval_differ else (True,):
            torch.manual_seed(0)
            for given in info.module_inputs_func(info, "cpu", dtype, True, trains):
                yield given, dtype, trains
    if info.module_error_inputs_func:
        torch.manual_seed(0)
        for given in info.module_error_inputs_func(info, "cpu", torch.float32, False, True):
            yield given.module_error_input, torch.float32, True


def layer_samples(left_out):
    for info in module_db:
        for given, dtype, trains in _given(info):
            try:
                yield _layer(info, given, dtype, trains)
            except NoPlainFormError as error:
                left_out[f"{info.name}: {error}"] += 1


def _optimizer(info, given, way):
    writer, more = ObjectWriter(torch), dict(WAYS[way])
    options = {**given.kwargs, **more.pop("options", {})}
    if info.step_requires_closure:
        # What searches along lines takes other steps for another last bit.
        more |= {"closure": True, "dtypes": ["float64"]}
    dtypes = more.setdefault("dtypes", ["float32"])
    return {
        "kind": "optimizer",
        "name": info.name,
        "form": ", ".join(filter(None, (given.desc, way))),
        "dtype": " ".join(dtypes),
        **({"shapes": SHAPES[info.name]} if info.name in SHAPES else {}),
        **more,
        "options": writer.write(options),
        "storages": writer.storages,
    }


def optimizer_samples():
    """Of all but the one that takes sparse gradients only; with those that are errors for their options."""
    for info in optim_db:
        if info.only_supports_sparse_grads:
            continue
        for given in info.optim_inputs_func(device="cpu"):
            yield from (_optimizer(info, given, way) for way in WAYS)
        for given in info.optim_error_inputs_func("cpu", torch.float32):
            if given.optimizer_error_input.params is None:
                yield _optimizer(info, given.optimizer_error_input, "")


def main():
    torch.set_num_threads(1)
    keep_arguments(torch)
    left_out = collections.Counter()
    samples = [*layer_samples(left_out), *optimizer_samples()]
    found = [(each, answer(torch, each)) for each in samples]
    Path(sys.argv[1]).write_bytes(pickle.dumps(found))
    print(f"{len(found)} samples; cannot be written: {dict(left_out)}")


if __name__ == "__main__":
    main()

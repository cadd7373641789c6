"""Calls of learning rate schedulers and averages of weights: what a signature alone does not tell."""

from values import Array, Call, Items, Text, as_value

_OPTIMIZER = Text("ow.optim.SGD([ow.ones(2, requires_grad=True)], lr=0.1, momentum=0.9)")
_TENSOR_RATE = Text("ow.optim.Adam([ow.ones(2, requires_grad=True)], lr=ow.tensor(0.1))")
_MODEL = Text("ow.nn.Sequential(ow.nn.Linear(3, 3), ow.nn.BatchNorm1d(3))")
_FALLING = Text("lambda epoch: 0.9**epoch")
# What is left of the schedule after the calls that change it, by a program that uses all of it.
_USED = [
    "r.optimizer.step()",
    "r.step(*[1.0] * hasattr(r, 'patience'))",
    "r.load_state_dict(r.state_dict())",
    "r.step(*[1.0] * hasattr(r, 'patience'))",
    "touch(r.get_last_lr())",
    "repr(r.state_dict())",
]
# Class -> arguments after the optimizer, some of them by name.
_SCHEDULES = {
    "LambdaLR": ([_FALLING], {}),
    "MultiplicativeLR": ([Items([_FALLING])], {}),
    "StepLR": ([2], {"gamma": 0.5}),
    "MultiStepLR": ([[1, 3]], {"gamma": 0.5}),
    "ConstantLR": ([0.5], {"total_iters": 2}),
    "LinearLR": ([0.5, 1.0], {"total_iters": 2}),
    "ExponentialLR": ([0.9], {}),
    "PolynomialLR": ([4], {"power": 2.0}),
    "CosineAnnealingLR": ([4], {"eta_min": 0.01}),
    "CosineAnnealingWarmRestarts": ([2], {"T_mult": 2, "eta_min": 0.01}),
    "CyclicLR": ([0.1, 0.2], {"step_size_up": 2, "mode": "triangular2", "max_momentum": 0.9}),
    "OneCycleLR": ([0.2], {"total_steps": 20, "pct_start": 0.3, "three_phase": True}),
    "ReduceLROnPlateau": (["min", 0.5], {"patience": 0, "cooldown": 1, "min_lr": [0.01]}),
}


def _value(x):
    return x if isinstance(x, (Array, Items, Text)) else as_value(x)


def _call(target, positional, keywords, after):
    named = {k: _value(v) for k, v in keywords.items()}
    return Call(target, [_value(v) for v in positional], named, list(after))


def _schedulers():
    for name, (positional, keywords) in _SCHEDULES.items():
        for optimizer in (_OPTIMIZER, _TENSOR_RATE):
            target = f"ow.optim.lr_scheduler.{name}"
            yield _call(target, [optimizer, *positional], keywords, _USED)
    for rate in (0.05, [0.05]):
        keywords = {"anneal_epochs": 2, "anneal_strategy": "linear"}
        yield _call("ow.optim.swa_utils.SWALR", [_OPTIMIZER, rate], keywords, _USED)


def _averages():
    shared = Items([Array((2, 3))]), Items([Array((2, 3))])
    swa = "ow.optim.swa_utils"
    use = ["r.update_parameters(a0)", "r.update_parameters(a0)", "touch(r(ow.ones(2, 3)))"]
    for way in ("get_swa_avg_fn()", "get_ema_avg_fn(0.9)"):
        yield _call(f"{swa}.AveragedModel", [_MODEL, None, Text(f"{swa}.{way}")], {}, use)
        yield _call(f"{swa}.{way}", [Array((2, 3)), Array((2, 3)), 1], {}, ["touch(r)"])
    for way in ("get_swa_multi_avg_fn()", "get_ema_multi_avg_fn(0.9)"):
        yield _call(f"{swa}.AveragedModel", [_MODEL], {"multi_avg_fn": Text(f"{swa}.{way}")}, use)
        yield _call(f"{swa}.{way}", [*shared, 1], {}, ["touch(a0)"])
    yield _call(f"{swa}.update_bn", [Items([Array((2, 3))]), _MODEL], {}, ["touch(a1(a0[0]))"])


def calls():
    """Each of them once; all are accepted as they are."""
    return [*_schedulers(), *_averages()]

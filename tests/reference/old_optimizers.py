"""States of optimizers and schedulers as older versions of PyTorch saved them.

Groups without options that came later, counts as numbers and not as tensors, functions in the place of
their names.
"""

CASES = {}
# The options that a group of each optimizer may be older than, and others than their defaults.
_LATER = {
    "SGD": {"nesterov": True, "maximize": True, "momentum": 0.5},
    "Adam": {"amsgrad": True, "maximize": True},
    "AdamW": {"amsgrad": True, "maximize": True},
    "Adamax": {"maximize": True},
    "NAdam": {"maximize": True, "decoupled_weight_decay": True},
    "RAdam": {"maximize": True, "decoupled_weight_decay": True},
    "Adagrad": {"maximize": True},
    "Adadelta": {"maximize": True},
    "RMSprop": {"maximize": True, "centered": True, "momentum": 0.5},
    "Rprop": {"maximize": True},
    "ASGD": {"maximize": True},
    "Adafactor": {},
}
_ALWAYS = ("foreach", "capturable", "differentiable", "fused")
# Without which no version computes anything; SGD's momentum is as old as SGD.
_OLDEST = {"SGD": ("momentum",)}


def case(function):
    """Adds a case under the name of its function."""
    CASES[function.__name__] = function
    return function


def _optimizer(m, name, **options):
    parameter = m.nn.Parameter(m.tensor([1.0, -2.0, 3.0]))
    return parameter, getattr(m.optim, name)([parameter], lr=0.1, weight_decay=0.25, **options)


def _made(m, name, **options):
    if name == "Rprop":
        parameter = m.nn.Parameter(m.tensor([1.0, -2.0, 3.0]))
        return parameter, m.optim.Rprop([parameter], lr=0.1, **options)
    return _optimizer(m, name, **options)


def _step(m, parameter, optimizer):
    parameter.grad = m.tensor([0.5, 0.25, -1.0])
    optimizer.step()


def _older(m, state):
    """Counts as numbers."""
    counts = ("step", "mu_product", "eta", "mu")
    return {
        number: {
            k: v.item() if k in counts and hasattr(v, "item") else v for k, v in values.items()
        }
        for number, values in state.items()
    }


def _kinds(values):
    return {k: type(v).__name__ for k, v in sorted(values.items())}


def _answers(m, name, optimizer, parameter):
    group = {k: v for k, v in sorted(optimizer.param_groups[0].items()) if k != "params"}
    values = optimizer.state[parameter]
    found = [group, _kinds(values), {k: v for k, v in sorted(values.items()) if k == "step"}]
    _step(m, parameter, optimizer)
    return [*found, parameter.detach()]


def _of(name):
    def case_of(m):
        first, optimizer = _made(m, name)
        _step(m, first, optimizer)
        saved = optimizer.state_dict()
        lacks = {*_LATER[name], *_ALWAYS} - set(_OLDEST.get(name, ()))
        group = {k: v for k, v in saved["param_groups"][0].items() if k not in lacks}
        parameter, again = _made(m, name, **_LATER[name]) if name != "SGD" else _made(m, name)
        again.load_state_dict({"state": _older(m, saved["state"]), "param_groups": [group]})
        return _answers(m, name, again, parameter)

    case_of.__name__ = f"older_states_of_{name}"
    return case(case_of)


for _name in _LATER:
    _of(_name)


@case
def the_oldest_state_of_adam(m):
    """Of before all options, and of another dtype."""
    parameter, optimizer = _made(m, "Adam")
    means = {"exp_avg": m.ones(3, dtype=m.float64) / 8, "exp_avg_sq": m.ones(3) / 4}
    group = {"lr": 0.1, "betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0, "params": [1234]}
    optimizer.load_state_dict({"state": {1234: {"step": 3, **means}}, "param_groups": [group]})
    kinds = {k: str(v.dtype).split(".")[1] for k, v in optimizer.state[parameter].items()}
    return [kinds, *_answers(m, "Adam", optimizer, parameter)]


@case
def optimizers_that_were_pickled_whole(m):
    parameter, optimizer = _made(m, "Adam")
    _step(m, parameter, optimizer)
    state = dict(optimizer.__getstate__())
    group = {
        k: v
        for k, v in state["param_groups"][0].items()
        if k not in ("maximize", "fused", "foreach")
    }
    again = m.optim.Adam.__new__(m.optim.Adam)
    state["defaults"] = {k: v for k, v in state["defaults"].items() if k != "differentiable"}
    again.__setstate__(state | {"param_groups": [group]})
    handle = again.register_step_post_hook(lambda *a: None)
    handle.remove()
    return [again.defaults["differentiable"], *_answers(m, "Adam", again, parameter)]


@case
def a_cycle_with_its_function(m):
    """OneCycleLR kept the function, and not its name."""
    _, optimizer = _made(m, "SGD")
    schedule = m.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=4, cycle_momentum=False)
    state = dict(schedule.__dict__)
    del state["_anneal_func_type"]
    again = type(schedule).__new__(type(schedule))
    again.__dict__.update(state, anneal_func=lambda start, end, pct: start + (end - start) * pct)
    rates = []
    for _ in range(3):
        optimizer.step()
        again.step()
        rates.append(again.get_last_lr()[0])
    return rates

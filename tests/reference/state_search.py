"""States of layers that chance has changed, loaded by either module: what is missing, unexpected or refused,
and what the layer is then. PyTorch's answers are recorded in data/state_search.json."""

import collections
import random
import warnings

COUNT = 600
_TEXTS = (
    *("Missing key", "Unexpected key", "size mismatch for", "While copying"),
    "running stats buffer",
)
_OLDER = (
    ("parametrizations.weight.original0", "weight_g"),
    ("parametrizations.weight.original1", "weight_v"),
)


def makers(m):
    """Functions that make a layer each."""
    nn, norms = m.nn, m.nn.utils.parametrizations
    return [
        lambda: nn.Linear(2, 3),
        lambda: nn.BatchNorm2d(2),
        lambda: nn.BatchNorm1d(2, affine=False),
        lambda: nn.BatchNorm1d(2, track_running_stats=False),
        lambda: nn.InstanceNorm1d(2, affine=True, track_running_stats=True),
        lambda: nn.InstanceNorm2d(2),
        lambda: nn.SyncBatchNorm(2),
        lambda: norms.weight_norm(nn.Linear(2, 3)),
        lambda: norms.weight_norm(nn.Conv1d(2, 3, 2), dim=1),
        lambda: nn.utils.weight_norm(nn.Linear(2, 3)),
        lambda: nn.utils.spectral_norm(nn.Linear(2, 3)),
        lambda: norms.spectral_norm(nn.Linear(2, 3)),
        lambda: nn.LazyLinear(3),
        lambda: nn.LSTM(2, 2, proj_size=1),
        lambda: nn.MultiheadAttention(4, 2),
        lambda: nn.MultiheadAttention(4, 2, kdim=2),
        lambda: nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)),
        lambda: nn.ModuleDict({"a": nn.Linear(1, 1), "b": norms.weight_norm(nn.Linear(1, 2))}),
        lambda: nn.ParameterList([nn.Parameter(m.zeros(1)), nn.Parameter(m.zeros(()))]),
        lambda: nn.Conv2d(1, 1, 1, bias=False),
        lambda: nn.Tanh(),
    ]


def _filled(m, tensor, number):
    if m.nn.parameter.is_lazy(tensor):
        tensor = m.zeros(3, 2)
    values = (m.arange(tensor.numel()) + number) % 5
    return values.reshape(tensor.shape).to(tensor.dtype)


def _change(m, draw, state):
    """One of what happens to states: keys go, or have other names, tensors other sizes and dtypes."""
    key = draw.choice(list(state))
    value, kind = state[key], draw.randrange(8)
    if not isinstance(value, m.Tensor) or kind == 0:
        del state[key]
    elif kind == 1:
        state[f"{key}_x"] = state.pop(key)
    elif kind == 2:
        state[key] = value.reshape(-1)[:1]
    elif kind == 3:
        state[key] = value.unsqueeze(0)
    elif kind == 4:
        state[key] = value.double() if value.is_floating_point() else value.int()
    elif kind == 5:
        state[key] = draw.choice([1.0, "x"])
    elif kind == 6:
        for new, old in _OLDER:
            for name in [name for name in state if name.endswith(new)]:
                state[name[: -len(new)] + old] = state.pop(name)
    else:
        before = key.rpartition(".")
        for name in ("running_mean", "running_var"):
            state[before[0] + before[1] + name] = m.ones(2)


def answer(m, seed):
    """What becomes of one."""
    draw = random.Random(seed)
    make = draw.choice(makers(m))
    several = draw.random() < 0.3
    inner = draw.choice(makers(m))
    module, source = (m.nn.Sequential(make(), inner()) if several else make() for _ in range(2))
    saved = source.state_dict()
    state = collections.OrderedDict(
        (name, _filled(m, tensor, i)) for i, (name, tensor) in enumerate(saved.items())
    )
    for _ in range(draw.randrange(4) if state else 0):
        if state:
            _change(m, draw, state)
    if draw.random() < 0.5:
        older = draw.random() < 0.5
        state._metadata = {
            name: {"version": draw.choice([1, 2])} if older and draw.random() < 0.5 else dict(about)
            for name, about in saved._metadata.items()
        }
    options = {"strict": draw.random() < 0.6, "assign": draw.random() < 0.3}
    try:
        keys = module.load_state_dict(state, **options)
        found = [sorted(set(keys.missing_keys)), sorted(set(keys.unexpected_keys))]
    except RuntimeError as error:
        return [text for text in _TEXTS if text in str(error)]
    except (AttributeError, TypeError):
        return "told by nobody"  # of what is no tensor, in a hook of PyTorch's
    return [*found, _described(m, module, set(keys.missing_keys) | {"weight_v"})]


def _described(m, module, drawn):
    """Sizes and dtypes, and the sums of what was not drawn or computed."""
    made = {}
    for name, tensor in module.state_dict(keep_vars=True).items():
        if not m.nn.parameter.is_lazy(tensor):
            known = not any(name.endswith(end) for end in (*drawn, "_u", "_v"))
            total = float(tensor.detach().double().sum()) if known else None
            kind = str(tensor.dtype).split(".")[1]
            made[name] = [list(tensor.shape), kind, tensor.requires_grad, total]
    return made


def record(m):
    """All answers of one module."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {str(seed): answer(m, seed) for seed in range(COUNT)}

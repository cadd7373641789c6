"""States as older versions of PyTorch saved them, loaded by either module; what becomes of them.

A case is a function of the module; it returns what JSON can hold. PyTorch's answers are recorded in
data/old_states.json. There is one for each `_load_from_state_dict`, hook of loading and `__setstate__` of
PyTorch's that knows of older files; tests/python/serialization/test_old_states.py compares.
"""

import collections
import warnings

from reference import old_modules, old_optimizers

CASES = {}


def case(function):
    """Adds a case under the name of its function."""
    CASES[function.__name__] = function
    return function


def ramp(m, *sizes):
    """Small numbers, none of them 0."""
    count = 1
    for size in sizes:
        count *= size
    return (m.arange(count) % 7 + 1).reshape(sizes) / 8


def tolist(value):
    """What JSON can hold of a value."""
    if hasattr(value, "tolist"):
        return [round(x, 6) if isinstance(x, float) else x for x in value.flatten().tolist()]
    if isinstance(value, dict):
        return {str(k): tolist(v) for k, v in value.items()}
    return [tolist(v) for v in value] if isinstance(value, (list, tuple)) else value


def loaded(module, state, metadata=None, strict=True):
    """What a module is after it has loaded a state, or which keys the error names."""
    given = collections.OrderedDict(state)
    if metadata is not None:
        given._metadata = metadata
    before = sorted(given)
    try:
        keys = module.load_state_dict(given, strict=strict)
    except RuntimeError as error:
        text = str(error)
        kinds = ("Missing key", "Unexpected key", "size mismatch", "running stats", "exception")
        return {"error": [kind for kind in kinds if kind in text], "given": sorted(given) == before}
    found = {name: tolist(tensor) for name, tensor in module.state_dict().items()}
    return {"state": found, "keys": [sorted(k) for k in keys], "given": sorted(given) == before}


def _weight_norm_state(m, module, name="weight", dim=0, prefix=""):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        old = m.nn.utils.weight_norm(module, name, dim)
    return {prefix + k: ramp(m, *t.shape) for k, t in old.state_dict().items()}


# --- weight_norm: weight_g and weight_v ------------------------------------------------------------
@case
def weight_norm_of_a_linear(m):
    state = _weight_norm_state(m, m.nn.Linear(3, 2))
    new = m.nn.utils.parametrizations.weight_norm(m.nn.Linear(3, 2))
    return [loaded(new, state), tolist(new.weight)]


@case
def weight_norm_along_another_dimension(m):
    state = _weight_norm_state(m, m.nn.Conv1d(2, 3, 2), dim=1)
    new = m.nn.utils.parametrizations.weight_norm(m.nn.Conv1d(2, 3, 2), dim=1)
    return [loaded(new, state), tolist(new.weight)]


@case
def weight_norm_of_all_elements(m):
    state = _weight_norm_state(m, m.nn.Linear(3, 2), dim=None)
    new = m.nn.utils.parametrizations.weight_norm(m.nn.Linear(3, 2), dim=None)
    return [loaded(new, state), tolist(new.weight)]


@case
def weight_norm_within_a_model(m):
    norm = m.nn.utils.parametrizations.weight_norm
    model = m.nn.Sequential(m.nn.Linear(2, 2), m.nn.Sequential(norm(m.nn.Linear(2, 1), "weight")))
    state = _weight_norm_state(m, m.nn.Linear(2, 1), prefix="1.0.")
    state |= {"0.weight": ramp(m, 2, 2), "0.bias": ramp(m, 2)}
    return loaded(model, state)


@case
def weight_norm_of_two_parameters(m):
    norm = m.nn.utils.parametrizations.weight_norm
    layer = norm(norm(m.nn.RNN(2, 2), "weight_hh_l0"), "weight_ih_l0")
    state = {f"{n}_{e}": ramp(m, 2, 1 if e == "g" else 2) for n in _RECURRENT for e in "gv"}
    return loaded(layer, state | {"bias_ih_l0": ramp(m, 2), "bias_hh_l0": ramp(m, 2)})


_RECURRENT = ("weight_ih_l0", "weight_hh_l0")


@case
def weight_norm_without_lengths(m):
    state = _weight_norm_state(m, m.nn.Linear(3, 2))
    del state["weight_g"]
    new = m.nn.utils.parametrizations.weight_norm(m.nn.Linear(3, 2))
    return [loaded(new, state), loaded(m.nn.Linear(3, 2), state, strict=False)["keys"]]


@case
def weight_norm_of_today(m):
    new = m.nn.utils.parametrizations.weight_norm(m.nn.Linear(3, 2))
    return loaded(new, {name: ramp(m, *t.shape) for name, t in new.state_dict().items()})


# --- spectral_norm: without weight_v, with the weight itself ----------------------------------------
def _spectral(m, **options):
    layer = m.nn.utils.spectral_norm(m.nn.Linear(2, 3, bias=False).double(), **options)
    original = m.tensor([[1.0, 2.0], [-1.0, 0.5], [0.25, 1.0]], dtype=m.float64)
    u = original @ m.tensor([0.6, 0.8], dtype=m.float64)
    u = u / u.norm()
    return layer, {"weight_orig": original, "weight": original / 2.25, "weight_u": u}


@case
def spectral_norm_of_before_version_1(m):
    layer, state = _spectral(m)
    found = loaded(layer, state)
    layer.eval()
    return [found, tolist(layer(m.ones(1, 2, dtype=m.float64)))]


@case
def spectral_norm_of_another_dimension(m):
    layer, state = _spectral(m, dim=1)
    state["weight_u"] = m.tensor([0.6, 0.8], dtype=m.float64)
    return loaded(layer, state)


@case
def spectral_norm_without_metadata(m):
    layer, state = _spectral(m)
    del state["weight"]
    return loaded(layer, state | {"weight_v": m.tensor([0.6, 0.8], dtype=m.float64)})


@case
def spectral_norm_that_lacks_something(m):
    found = []
    for name in ("weight_orig", "weight", "weight_u"):
        layer, state = _spectral(m)
        del state[name]
        found += [loaded(layer, state), loaded(layer, state, strict=False).get("keys")]
    return found


@case
def spectral_norm_says_its_version(m):
    layer, _ = _spectral(m)
    state = layer.state_dict()
    again, _ = _spectral(m)
    found = {k: dict(v) for k, v in state._metadata.items()}
    m.nn.utils.remove_spectral_norm(layer)
    after = {k: dict(v) for k, v in layer.state_dict()._metadata.items()}
    return [found, sorted(loaded(again, state, state._metadata)["state"]), after]


# --- layers whose statistics have changed ----------------------------------------------------------
def _statistics(m, *more):
    return {n: ramp(m, 2) for n in ("weight", "bias", "running_mean", "running_var", *more)}


@case
def batch_norm_without_a_count(m):
    versions = (None, {"": {}}, {"": {"version": 1}}, {"": {"version": 2}})
    found = []
    for about in versions:
        for kind in (m.nn.BatchNorm1d, m.nn.BatchNorm3d, m.nn.SyncBatchNorm):
            layer = kind(2)
            layer.num_batches_tracked.fill_(5)
            found.append(loaded(layer, _statistics(m), about))
    return found


@case
def batch_norm_within_a_model(m):
    model = m.nn.Sequential(m.nn.BatchNorm2d(2), m.nn.Sequential(m.nn.BatchNorm1d(2)))
    state = {f"{p}{k}": t for p in ("0.", "1.0.") for k, t in _statistics(m).items()}
    mixed = {"": {"version": 1}, "0": {"version": 2}, "1.0": {"version": 1}}
    return [loaded(model, state), loaded(model, state, mixed)]


@case
def batch_norm_that_keeps_nothing(m):
    layer = m.nn.BatchNorm1d(2, track_running_stats=False)
    return [
        loaded(layer, _statistics(m)),
        loaded(layer, {"weight": ramp(m, 2), "bias": ramp(m, 2)}),
    ]


@case
def lazy_batch_norm_without_a_count(m):
    return loaded(m.nn.LazyBatchNorm1d(), _statistics(m))


@case
def batch_norm_on_meta_without_a_count(m):
    layer = m.nn.BatchNorm1d(2, device="meta")
    layer.load_state_dict(_statistics(m), assign=True)
    return [layer.num_batches_tracked.item(), str(layer.num_batches_tracked.dtype).split(".")[1]]


@case
def instance_norm_with_statistics(m):
    found = []
    for about in (None, {"": {"version": 1}}, {"": {"version": 2}}):
        for tracks in (False, True):
            layer = m.nn.InstanceNorm1d(2, affine=True, track_running_stats=tracks)
            found.append(loaded(layer, _statistics(m), about))
            found.append(loaded(layer, _statistics(m), about, strict=False))
    return found


@case
def lazy_layers_and_states_with_sizes(m):
    full = m.nn.Linear(3, 2).state_dict()
    state = {name: ramp(m, *t.shape) for name, t in full.items()}
    return loaded(m.nn.LazyLinear(2), state)


# --- tensors of the versions before 0.4 -------------------------------------------------------------
class _Parts:
    """A module with a parameter, a buffer and a buffer that is not saved, of given sizes."""

    @staticmethod
    def made(m, sizes):
        module = m.nn.Module()
        module.scale = m.nn.Parameter(m.zeros(sizes))
        module.register_buffer("count", m.zeros(sizes, dtype=m.int64))
        module.register_buffer("left_out", m.zeros(sizes), persistent=False)
        return module


@case
def one_element_for_none_of_the_dimensions(m):
    sizes = (), (1,), (1, 1), (2,)
    found = []
    for own in sizes:
        for given in sizes:
            state = {"scale": ramp(m, *given), "count": m.ones(given, dtype=m.int64)}
            found.append([own, given, loaded(_Parts.made(m, own), state)])
    return found


@case
def one_element_is_assigned(m):
    module = _Parts.made(m, ())
    state = {"scale": ramp(m, 1), "count": m.ones(1, dtype=m.int64)}
    module.load_state_dict(state, assign=True)
    return [list(module.scale.shape), type(module.scale).__name__, list(module.count.shape)]


@case
def what_is_no_tensor(m):
    module = _Parts.made(m, ())
    found = []
    for value in (1.0, None, [1.0]):
        try:
            module.load_state_dict({"scale": value, "count": m.tensor(1)})
        except RuntimeError as error:
            found.append("While copying the parameter named" in str(error))
    return found


@case
def what_cannot_be_copied(m):
    class Stubborn(m.Tensor):
        def copy_(self, *args, **kwargs):
            raise ValueError("no")

    module = m.nn.Module()
    module.register_buffer("a", m.zeros(2).as_subclass(Stubborn))
    module.register_buffer("b", m.zeros(2))
    try:
        module.load_state_dict({"a": ramp(m, 2), "b": ramp(m, 3)})
    except RuntimeError as error:
        text = str(error)
        return ["an exception occurred : ('no',)" in text, "size mismatch for b" in text]


# --- hooks -----------------------------------------------------------------------------------------
@case
def hooks_rename_what_they_are_given(m):
    model = m.nn.Sequential(m.nn.Linear(1, 1), m.nn.Linear(1, 1))
    seen = []

    def rename(state, prefix, local, strict, missing, unexpected, errors):
        seen.append([prefix, sorted(state), dict(local), strict])
        for end in ("weight", "bias"):
            if f"{prefix}old_{end}" in state:
                state[prefix + end] = state.pop(f"{prefix}old_{end}")

    model[0]._register_load_state_dict_pre_hook(rename)
    model[1].register_load_state_dict_pre_hook(lambda module, *rest: rename(*rest))
    state = {f"{i}.old_{n}": ramp(m, *s) for i in (0, 1) for n, s in _LINEAR.items()}
    found = loaded(model, state, {"0": {"version": 3}})
    return [found, seen]


_LINEAR = {"weight": (1, 1), "bias": (1,)}


@case
def programs_call_hooks_themselves(m):
    """As classes do that copy PyTorch's _load_from_state_dict()."""
    layer, seen = m.nn.Linear(1, 1), []
    layer._register_load_state_dict_pre_hook(lambda *given: seen.append(len(given)))
    layer._register_load_state_dict_pre_hook(lambda *given: seen.append(len(given)), True)
    for hook in layer._load_state_dict_pre_hooks.values():
        hook({}, "", {}, True, [], [], [])
    layer._register_state_dict_hook(lambda module, state, prefix, about: seen.append(dict(about)))
    layer.register_state_dict_post_hook(lambda module, state, prefix, about: None)
    for hook in layer._state_dict_hooks.values():
        hook(layer, {}, "", {"version": 1})
    return seen


@case
def hooks_of_copies_get_the_copy(m):
    import copy

    layer, seen = m.nn.Linear(1, 1), []
    layer.register_load_state_dict_pre_hook(lambda module, *rest: seen.append(module is layer))
    again = copy.deepcopy(layer)
    again.load_state_dict(layer.state_dict())
    layer.load_state_dict(again.state_dict())
    return seen


@case
def hooks_add_to_metadata(m):
    layer = m.nn.Linear(1, 1)

    def note(module, state, prefix, about):
        about["noted"] = len(state)

    layer._register_state_dict_hook(note)
    state = m.nn.Sequential(layer).state_dict()
    return {name: dict(about) for name, about in state._metadata.items()}


CASES |= old_modules.CASES | old_optimizers.CASES


def answer(module, name):
    """What a case says of a module."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module.manual_seed(0)
        return tolist(CASES[name](module))


def record(module):
    """All answers of one module."""
    return {name: answer(module, name) for name in CASES}

"""Whole modules as older versions of PyTorch saved them: without attributes that came later.

Each case makes a module's attributes what they were, and has `__setstate__` make a module of them again.
"""

CASES = {}
_HOOKS = [
    *("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs", "_forward_hooks_with_kwargs"),
    *("_forward_hooks_always_called", "_state_dict_hooks", "_state_dict_pre_hooks"),
    *("_load_state_dict_pre_hooks", "_load_state_dict_post_hooks", "_non_persistent_buffers_set"),
    *("_is_full_backward_hook", "_backward_pre_hooks"),
]


def case(function):
    """Adds a case under the name of its function."""
    CASES[function.__name__] = function
    return function


def _filled(m, module):
    with m.no_grad():
        for parameter in module.parameters():
            count = parameter.numel()
            parameter.copy_((m.arange(count) % 7 - 3).reshape(parameter.shape) / 8)
    return module


def aged(m, module, *lacks, **instead):
    """A module without attributes that it has today, made by `__setstate__`."""
    state = dict(
        _filled(m, module).__getstate__() if hasattr(module, "__getstate__") else module.__dict__
    )
    for name in (*_HOOKS, *lacks):
        state.pop(name, None)
    again = type(module).__new__(type(module))
    again.__setstate__(state | instead)
    return again


def _ramp(m, *sizes):
    count = 1
    for size in sizes:
        count *= size
    return (m.arange(count) % 7).reshape(sizes) / 8


@case
def a_module_without_hooks(m):
    layer = aged(m, m.nn.Linear(2, 2))
    seen = []
    layer.register_forward_hook(lambda *a, **k: seen.append("after"), with_kwargs=True)
    layer.register_forward_pre_hook(lambda *a: seen.append("before"))
    layer.register_full_backward_hook(lambda *a: seen.append("back"))
    layer.register_full_backward_pre_hook(lambda *a: seen.append("before back"))
    layer.register_state_dict_pre_hook(lambda *a: seen.append("save"))
    layer.register_load_state_dict_pre_hook(lambda *a: seen.append("load"))
    layer(_ramp(m, 1, 2).requires_grad_()).sum().backward()
    layer.load_state_dict(layer.state_dict())
    layer.register_buffer("more", m.ones(1), persistent=False)
    return [seen, sorted(layer.state_dict()), layer(_ramp(m, 1, 2))]


@case
def pooling_of_volumes(m):
    pool = aged(m, m.nn.AvgPool3d(2), "padding", "ceil_mode", "count_include_pad")
    return [pool.padding, pool.ceil_mode, pool.count_include_pad, pool(_ramp(m, 1, 1, 2, 2, 4))]


@case
def convolutions_that_pad_with_zeros(m):
    kinds = [(m.nn.Conv1d, (1, 2, 4)), (m.nn.ConvTranspose2d, (1, 2, 3, 3))]
    found = []
    for kind, sizes in kinds:
        layer = aged(m, kind(2, 1, 2), "padding_mode")
        found += [layer.padding_mode, layer(_ramp(m, *sizes))]
    return found


@case
def upsampling_that_computes_its_factor(m):
    layer = aged(m, m.nn.Upsample(scale_factor=1.3, mode="bilinear"), "recompute_scale_factor")
    today = m.nn.Upsample(scale_factor=1.3, mode="bilinear")
    x = _ramp(m, 1, 1, 5, 5)
    return [layer.recompute_scale_factor, layer(x), today.recompute_scale_factor]


@case
def attention_of_one_width(m):
    layer = aged(m, m.nn.MultiheadAttention(4, 2), "_qkv_same_embed_dim")
    x = _ramp(m, 2, 1, 4)
    return [layer._qkv_same_embed_dim, *layer(x, x, x)]


@case
def softmax_without_a_dimension(m):
    found = []
    for kind in (m.nn.Softmax, m.nn.Softmin, m.nn.LogSoftmax):
        layer = aged(m, kind(), "dim")
        found += [layer.dim, layer(_ramp(m, 2, 3))]
    return found


@case
def transformers_with_relu(m):
    found = []
    for kind in (m.nn.TransformerEncoderLayer, m.nn.TransformerDecoderLayer):
        layer = aged(m, kind(4, 2, 8, activation="gelu"), "activation").eval()
        found += [layer.activation is m.nn.functional.relu]
    return found


def _recurrent(m, kind, lacks=(), names=None, **options):
    layer = kind(2, 2, **options)
    instead = {} if names is None else {"_all_weights": names(layer)}
    again = aged(m, layer, *lacks, **instead)
    output = again(_ramp(m, 2, 1, 2))[0]
    return [
        getattr(again, "proj_size", None),
        again._all_weights,
        output,
        sorted(again.state_dict()),
    ]


@case
def recurrent_layers_without_projections(m):
    kinds = (m.nn.LSTM, m.nn.GRU, m.nn.RNN)
    return [_recurrent(m, kind, ("proj_size",), num_layers=2) for kind in kinds]


@case
def recurrent_layers_with_parameters_for_names(m):
    def of(layer):
        return [[getattr(layer, n) for n in names] for names in layer._all_weights]

    made = [
        _recurrent(m, m.nn.LSTM, ("proj_size",), of),
        _recurrent(m, m.nn.GRU, (), of, bias=False, bidirectional=True),
    ]
    return [[proj, names, output] for proj, names, output, _ in made]


@case
def recurrent_layers_with_an_older_name(m):
    layer = _filled(m, m.nn.GRU(2, 2))
    names = layer._all_weights
    again = aged(m, layer, "_all_weights", all_weights=names)
    return [again._all_weights, again(_ramp(m, 2, 1, 2))[0]]


@case
def tensors_of_the_first_versions(m):
    made = [m.zeros(0), m.zeros(0), m.zeros(0)]
    made[0].__setstate__((m.arange(6.0).untyped_storage(), 1, (2, 2), (2, 1)))
    made[1].__setstate__((m.ones(2), None, {}, True, False))
    made[2].__setstate__((True, None, {}))
    found = [[t, t.requires_grad, list(t.stride())] for t in made]
    try:
        (made[1] * 2).__setstate__((True, None, {}))
    except RuntimeError:
        found.append("leaf Tensors")
    return found


@case
def handles_of_one_dictionary(m):
    import collections

    handles = m.utils.hooks.RemovableHandle
    hooks, more = collections.OrderedDict({7: "a", 8: "b"}), collections.OrderedDict({8: True})
    found = []
    for state in ((hooks, 7), (None, 3), (hooks, 8, None), (hooks, 8, (more,))):
        handle = handles.__new__(handles)
        handle.__setstate__(state)
        handle.remove()
        found.append([handle.id, sorted(hooks), sorted(more)])
    return found

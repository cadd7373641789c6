"""Names of nn that few programs use: random windows, distances, hooks of all modules, lazy parameters."""

from reference.samples import REAL, index, lit, prob, real
from reference.table import Table, error_cases

table = Table()

# --- fractional pooling: windows at given distances, and at those that PyTorch draws for a seed ---
IMAGES = {"a": real(2, 3, 6, 7), "s": prob(2, 3, 2, grad=False)}
VOLUMES = {"a": real(2, 3, 4, 5, 6), "s": prob(2, 3, 3, grad=False)}
table.many(
    "fractional_max_pool2d",
    """
    F.fractional_max_pool2d(a, 2, (3, 4), return_indices=True, _random_samples=s)
    F.fractional_max_pool2d(a, (2, 3), (1, 4), _random_samples=s)
    F.fractional_max_pool2d(a[1], (3, 2), output_ratio=(0.5, 0.25), _random_samples=s[1:])
    F.fractional_max_pool2d_with_indices(a, 2, output_ratio=(0.5, 0.5), _random_samples=s)
    ow.nn.FractionalMaxPool2d((2, 1), 4, return_indices=True, _random_samples=s)(a)
    """,
    dtypes=REAL,
    **IMAGES,
)
table.many(
    "fractional_max_pool3d",
    """
    F.fractional_max_pool3d(a, 2, (2, 3, 4), return_indices=True, _random_samples=s)
    F.fractional_max_pool3d(a[0], (1, 2, 3), output_ratio=(0.5, 0.6, 0.5), _random_samples=s[:1])
    F.fractional_max_pool3d_with_indices(a, (2, 2, 3), (2, 1, 3), _random_samples=s)
    ow.nn.FractionalMaxPool3d(2, output_ratio=0.5, return_indices=True, _random_samples=s)(a)
    """,
    dtypes=REAL,
    **VOLUMES,
)
error_cases(
    table,
    "fractional_max_pool",
    """
    F.fractional_max_pool2d(a, 2)  # either an output_size or an output_ratio
    F.fractional_max_pool2d(a, 2, (9, 3))  # pool height 2 too large relative to input height 6
    F.fractional_max_pool2d(a, (2, 9), (3, 3))  # pool width 9 too large relative to input width 7
    F.fractional_max_pool2d(a, 2, 3, _random_samples=s[:, :2])  # equals to input channel size
    F.fractional_max_pool2d(a, 2, 3, _random_samples=s.float())  # the same dtype as input
    F.fractional_max_pool2d(a, 2, 3, _random_samples=s.expand(2, 3, 2).repeat(1, 1, 2))  # got 4
    ow.nn.FractionalMaxPool2d(2)  # requires specifying either an output size, or a pooling ratio
    ow.nn.FractionalMaxPool2d(2, 3, 0.5)  # only one of output_size and output_ratio
    ow.nn.FractionalMaxPool3d(2, output_ratio=1.5)  # between 0 and 1 (got 1.5)
    """,
    raises=True,
    **IMAGES,
)
table.case(
    "fractional_max_pool",
    "F.fractional_max_pool3d(a, 2, (9, 2, 2))",
    raises=True,
    says="pool time 2 too large relative to input time 4",
    **VOLUMES,
)

# --- distances, sequences, channels ---------------------------------------------------------------
ROWS = {"a": real(4, 3)}
for p in ("0", "1", "1.5", "2", "3", "math.inf"):
    table.case("pdist", f"F.pdist(a, {p})", dtypes=REAL, tol=4, **ROWS)
# Two rows are alike: their distance has a gradient of zero.
for p in ("0", "1", "2", "3", "math.inf"):
    table.case("pdist", f"F.pdist(a, {p})", a=lit([[1.0, 2], [3, 5], [1, 2]]), name=f"{p} alike")
table.case("pdist", "F.pdist(ow.ones(1, 3)), F.pdist(ow.ones(0, 3)), F.pdist(ow.ones(3, 0))")
error_cases(
    table,
    "pdist",
    """
    F.pdist(a[0])  # pdist only supports 2D tensors, got: 1D
    F.pdist(a.long())  # pdist only supports floating-point dtypes
    F.pdist(a, -1)  # pdist only supports non-negative p values
    """,
    raises=True,
    **ROWS,
)
TBC = {"a": real(4, 2, 3), "w": real(2, 3, 2), "b": real(2)}
table.many("conv_tbc", "F.conv_tbc(a, w, b)\nF.conv_tbc(a, w, b, 1)", dtypes=REAL, tol=4, **TBC)
error_cases(
    table,
    "conv_tbc",
    """
    F.conv_tbc(a[0], w, b)  # Input must have 3 dims
    F.conv_tbc(a, w[0], b)  # Weight tensor must have 3 dims
    F.conv_tbc(a, w, b[:1])  # Bias size must equal dim 2 in the weight tensor
    F.conv_tbc(a, w[:, :2], b)  # Input dim 2 (input channels)
    F.conv_tbc(a, w, w[0])  # Bias must be 1-D
    """,
    raises=True,
    **TBC,
)
table.many(
    "in place",
    """
    c = a.clone(); r = F.rrelu_(c); (r is c, r)
    c = a.clone(); r = F.rrelu_(c, 0.25, 0.5); (r is c, r)
    F.native_channel_shuffle(a.reshape(1, 4, 3), 2)
    """,
    dtypes=REAL,
    **ROWS,
)
for size in (3, 5):
    make = f"ow.nn.CrossMapLRN2d({size}, alpha=0.5, beta=0.7, k=2)"
    table.case(
        "CrossMapLRN2d",
        f"layer = {make}; x = a.clone().requires_grad_(); y = layer(x); "
        "(y * y).sum().backward(); (y.detach(), x.grad, repr(layer))",
        a=real(2, 6, 2, 1),
        grad=False,
        tol=4,
        name=make,
    )
table.case(
    "CrossMapLRN2d", "ow.nn.CrossMapLRN2d(3)(a)", a=real(4, 3), raises=True, says="got 2D instead"
)

# --- losses ---------------------------------------------------------------------------------------
LINEAR = {"a": real(2, 3), "w": real(4, 3), "b": real(4), "t": index(4, 2)}
table.many(
    "linear_cross_entropy",
    """
    F.linear_cross_entropy(a, w, t)
    F.linear_cross_entropy(a, w, t, linear_bias=b, reduction="sum")
    F.linear_cross_entropy(a, w, t, reduction="none", label_smoothing=0.25)
    F.linear_cross_entropy(a, w, t, ignore_index=1)
    F.linear_cross_entropy(a, w, t, weight=b.detach().abs())
    F.linear_cross_entropy(a[0], w, t[0])
    F.linear_cross_entropy(a, w, b.detach().abs().expand(2, 4))
    F.linear_cross_entropy(a, w.reshape(2, 2, 3), t.reshape(2, 1).expand(2, 2) % 2)
    """,
    dtypes=REAL,
    tol=4,
    **LINEAR,
)
error_cases(
    table,
    "linear_cross_entropy",
    """
    F.linear_cross_entropy(a[None], w, t)  # expected input with dimensionality 1 or 2, got 3
    F.linear_cross_entropy(a, w[0], t)  # expected linear_weight with dimensionality at least 2, got 1
    F.linear_cross_entropy(a, w[:, :2], t)  # got 3 and 2, respectively
    F.linear_cross_entropy(a, w, t, linear_bias=b[:2])  # expected linear_bias shape (4,), got (2,)
    F.linear_cross_entropy(a[0], w.reshape(2, 2, 3), t)  # got unbatched input with shape (3,)
    F.linear_cross_entropy(a, w, b.expand(2, 4), ignore_index=1)  # cannot be specified
    """,
    raises=True,
    **LINEAR,
)
LAYER = """
layer = ow.nn.LinearCrossEntropyLoss(3, 4, bias=True, out_features={}, label_smoothing=0.25).double()
with ow.no_grad():
    for p in layer.parameters():
        p.copy_(ow.arange(p.numel(), dtype=ow.float64).reshape(p.shape).cos())
(layer(a, {}), repr(layer), sorted(layer.state_dict()))
"""
table.case("LinearCrossEntropyLoss", LAYER.format("()", "t"), name="one", **LINEAR)
several = LAYER.format("(2,)", "t.reshape(2, 1).expand(2, 2)")
table.case("LinearCrossEntropyLoss", several, name="several", **LINEAR)

# --- gradients of convolutions --------------------------------------------------------------------
GRAD = """
import importlib
g = importlib.import_module(ow.__name__ + ".nn.grad")
y = F.conv{n}d(a, w, stride={s}, padding={p}, dilation={d}, groups={g})
o = dict(stride={s}, padding={p}, dilation={d}, groups={g})
(g.conv{n}d_input(a.shape, w, y.cos(), **o), g.conv{n}d_weight(a, w.shape, y.sin(), **o))
"""
for n, settings, inputs in (
    (1, {"s": 2, "p": 1, "d": 1, "g": 2}, {"a": real(2, 4, 6), "w": real(4, 2, 3)}),
    (2, {"s": 1, "p": 2, "d": 2, "g": 1}, {"a": real(2, 2, 5, 4), "w": real(3, 2, 3, 3)}),
    (3, {"s": 1, "p": 0, "d": 1, "g": 1}, {"a": real(1, 2, 3, 4, 3), "w": real(2, 2, 2, 2, 2)}),
):
    code = GRAD.format(n=n, **settings)
    table.case("nn.grad", code, name=f"conv{n}d", grad=False, tol=10, **inputs)

# --- lazy parameters, arguments -------------------------------------------------------------------
LAZY = """
p = ow.nn.UninitializedParameter(dtype=ow.float64); b = ow.nn.UninitializedBuffer()
mixin = ow.nn.parameter.UninitializedTensorMixin
before = (repr(p), isinstance(p, mixin), isinstance(b, mixin), isinstance(b, ow.nn.Buffer), p.dtype, b.dtype)
made = (p.half().dtype, list(p.size()), p.is_leaf, p.requires_grad)
p.materialize((2, 3)); b.materialize((2,))
before, made, type(p).__name__, type(b).__name__, list(p.shape), p.dtype, p.requires_grad
"""
table.case("lazy", LAZY, name="what it is")
SAVED = """
import copy, pickle
a, b = ow.nn.LazyLinear(3), ow.nn.LazyLinear(3)
b.load_state_dict(a.state_dict())
c = pickle.loads(pickle.dumps(copy.deepcopy(a))).double()
told = repr(a.state_dict()), repr(b.weight), repr(c.weight), c.weight.dtype
a.load_state_dict(ow.nn.Linear(2, 3).state_dict())
told, list(a.weight.shape)
"""
table.case("lazy", SAVED, name="saved and loaded")
table.case(
    "lazy",
    "ow.nn.Linear(2, 3).load_state_dict(ow.nn.LazyLinear(3).state_dict())",
    raises=True,
    says="trying to load an uninitialized parameter into an initialized one",
)
error_cases(
    table,
    "lazy",
    """
    p.shape  # Can't access the shape of an uninitialized parameter or buffer
    p + 1  # Attempted to use an uninitialized parameter in
    ow.add(p, 1)  # Attempted to use an uninitialized parameter in
    b.clone()  # Attempted to use an uninitialized parameter in
    p.share_memory_()  # Can't share memory on an uninitialized parameter or buffer
    """,
    before="p = ow.nn.UninitializedParameter(); b = ow.nn.UninitializedBuffer()",
    raises=True,
)
table.case(
    "factory_kwargs",
    'sorted(ow.nn.factory_kwargs({"device": "cpu", "factory_kwargs": {"dtype": 2}}).items(), key=str), '
    "ow.nn.factory_kwargs(None)",
)
error_cases(
    table,
    "factory_kwargs",
    """
    ow.nn.factory_kwargs({"a": 1})  # unexpected kwargs {'a'}
    ow.nn.factory_kwargs({"dtype": 1, "factory_kwargs": {"dtype": 2}})  # dtype specified twice
    F.assert_int_or_pair([1, 2, 3], "size", "{} is wrong")  # size is wrong
    """,
    raises=True,
)
table.many(
    "for libraries",
    """
    F.boolean_dispatch("flag", 1, False, lambda *a, **k: 1, lambda *a, **k: 2, None, None)(0)
    F.boolean_dispatch("flag", 1, False, lambda *a, **k: 1, lambda *a, **k: 2, None, None)(0, True)
    F.boolean_dispatch("flag", 1, True, lambda *a, **k: 1, lambda *a, **k: 2, "m", "n")(0, flag=False)
    (F.BroadcastingList1[int], F.BroadcastingList2[float], F.BroadcastingList3[int])
    (F.GRID_SAMPLE_INTERPOLATION_MODES, F.GRID_SAMPLE_PADDING_MODES)
    (F.has_torch_function((1,)), F.has_torch_function_unary(1), F.has_torch_function_variadic(1, 2))
    """,
)

# --- hooks ----------------------------------------------------------------------------------------
NET = """
import warnings
M = ow.nn.modules.module
log = []
def told(*what):
    log.append(list(what))
class Net(ow.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = ow.nn.Linear(2, 2, bias=False)
        ow.nn.init.ones_(self.a.weight)
    def forward(self, x, k=1):
        if k == 0:
            raise ValueError("no")
        return self.a(x) * k
net = Net()
x = ow.ones(1, 2, requires_grad=True)
"""
HOOKS = {
    "order": """
handles = [
    M.register_module_forward_pre_hook(lambda m, a: told("pre", type(m).__name__, len(a))),
    M.register_module_forward_hook(lambda m, a, o: told("after", type(m).__name__, len(a))),
    M.register_module_forward_hook(lambda m, a, k, o: told("k", sorted(k)), with_kwargs=True),
    M.register_module_full_backward_hook(lambda m, i, o: told("back", type(m).__name__, i, o)),
    M.register_module_full_backward_pre_hook(lambda m, o: told("back pre", type(m).__name__, o)),
]
net.register_forward_hook(lambda m, a, o: told("own"))
net.register_full_backward_hook(lambda m, i, o: told("own back"))
net(x, k=2).sum().backward()
told("now without")
for h in handles:
    h.remove()
net(x).sum().backward()
log
""",
    "they change what they see": """
handles = [
    M.register_module_forward_pre_hook(lambda m, a: (a[0] + 1,)),
    M.register_module_forward_hook(lambda m, a, o: o * 3),
    M.register_module_full_backward_hook(lambda m, i, o: tuple(g * 2 for g in i)),
]
y = net(x); y.sum().backward()
for h in handles:
    h.remove()
y.detach(), x.grad
""",
    "always called": """
h = M.register_module_forward_hook(lambda m, a, o: told("everywhere", o), always_call=True)
M.register_module_forward_hook(lambda m, a, o: told("not called")).remove()
net.register_forward_hook(lambda m, a, o: told("own", o), always_call=True)
net.register_forward_hook(lambda m, a, o: told("only in success"))
net.register_forward_hook(lambda m, a, k, o: told("k", k), always_call=True, with_kwargs=True)
net.register_forward_hook(lambda m, a, o: 1 / 0, always_call=True)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    try:
        net(x, k=0)
    except ValueError as error:
        told(str(error))
h.remove()
log, [str(w.message) for w in seen]
""",
    "registration": """
def hook(kind):
    return lambda m, n, p: told(kind, type(m).__name__, n, p is None)
handles = [
    M.register_module_parameter_registration_hook(hook("parameter")),
    M.register_module_buffer_registration_hook(hook("buffer")),
    M.register_module_module_registration_hook(hook("module")),
]
class Other(ow.nn.Module):
    def __init__(self):
        super().__init__()
        self.l = ow.nn.Linear(1, 1); self.bn = ow.nn.BatchNorm1d(2); self.l = None
        self.register_parameter("q", None); self.q = None
        self.register_buffer("z", ow.ones(1)); self.z = ow.zeros(1); self.z = None
        self.add_module("mm", ow.nn.ReLU()); self.s = ow.nn.Sequential(ow.nn.ReLU())
Other()
for h in handles:
    h.remove()
log
""",
    "registration changes": """
handles = [
    M.register_module_parameter_registration_hook(lambda m, n, p: ow.nn.Parameter(p.data * 0 + 7)),
    M.register_module_module_registration_hook(lambda m, n, p: ow.nn.Identity()),
    M.register_module_buffer_registration_hook(lambda m, n, b: b + 1),
]
made = ow.nn.Sequential(ow.nn.ReLU())
made.register_buffer("b", ow.zeros(1))
made.register_parameter("w", ow.nn.Parameter(ow.zeros(1)))
for h in handles:
    h.remove()
repr(made), made.b, made.w.detach()
""",
    "the old kind": """
made = ow.nn.ReLU()
made.register_backward_hook(lambda m, i, o: told(type(m).__name__, i, o))
made(x).sum().backward()
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    class Pair(ow.nn.Module):
        def forward(self, x, y):
            return x * 2, y * 3
    class Tree(ow.nn.Module):
        def forward(self, x):
            return {"a": x * 2}
    class Deep(ow.nn.Module):
        def forward(self, x):
            return (x * 2).exp()
    for cls in (Pair, Tree, Deep):
        m = cls(); m.register_backward_hook(lambda m, i, o: told(o))
        r = m(x, x) if cls is Pair else m(x)
    m = Tree(); m.register_full_backward_hook(lambda m, i, o: told(o)); m(x)
log, [(w.category.__name__, str(w.message).replace(ow.__name__, "")) for w in seen]
""",
}
for name, code in HOOKS.items():
    table.case("hooks of modules", NET + code, name=name)
error_cases(
    table,
    "hooks of modules",
    """
    m.register_backward_hook(print)  # Cannot use both regular backward hooks and full backward hooks
    n.register_full_backward_hook(print)  # on a single Module. Please use only one of them.
    k(1)  # forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got 5.
    """,
    before="m = ow.nn.ReLU(); m.register_full_backward_hook(print); n = ow.nn.ReLU(); "
    "n.register_backward_hook(print); k = ow.nn.ReLU(); "
    "k.register_forward_pre_hook(lambda m, a, k: 5, with_kwargs=True)",
    raises=True,
)
HANDLES = """
import copy, pickle
m = ow.nn.ReLU(); m.h = m.register_forward_hook(print, always_call=True)
told = []
for c in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
    c.h.remove(); told.append((len(c._forward_hooks), len(m._forward_hooks)))
m.h.remove(); told, len(m._forward_hooks)
"""
table.case("hooks of modules", HANDLES, name="handles in copies of modules")
OLD = """
import warnings
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    made = {}
(repr(made), [(w.category.__name__, str(w.message)[:90]) for w in seen])
"""
for make in ("ow.nn.NLLLoss2d()", "ow.nn.Container(a=ow.nn.ReLU())"):
    table.case("old names", OLD.format(make), name=make)

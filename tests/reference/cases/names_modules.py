"""Names of autograd.graph, func, utils and __future__ that few programs use."""

from reference.table import Table, error_cases

table = Table()
IMPORT = """
import importlib
def module(name):
    return importlib.import_module(f"{ow.__name__}.{name}")
g = module("autograd.graph")
"""


def many(topic, codes, before=""):
    """Cases by name."""
    for name, code in codes.items():
        table.case(topic, IMPORT + before + code, name=name, grad=False)


# --- the recorded graph ---------------------------------------------------------------------------
EDGES = """
a = ow.ones(2, requires_grad=True); b = a * 3; c = (b * b).sum()
e = g.get_gradient_edge(b)
told = [e.output_nr, type(e.node).__name__, e.node is b.grad_fn, type(g.get_gradient_edge(a).node).__name__]
"""
HOOKS = """
a, b = ow.ones(2, requires_grad=True), ow.ones(2, requires_grad=True)
c, d, log = a * b, a * b, []
"""
many(
    "edges",
    {
        "grad": "told, ow.autograd.grad(c, e)",
        "several": "ow.autograd.grad(c, [g.get_gradient_edge(a), e])",
        "outputs": "ow.autograd.grad(g.get_gradient_edge(c), a)",
        "with respect to themselves": "ow.autograd.grad([g.get_gradient_edge(c)], [e, a])",
        "backward": "ow.autograd.backward(g.get_gradient_edge(c)); a.grad",
    },
    EDGES,
)
many(
    "several hooks",
    {
        "all": """
h = g.register_multi_grad_hook((a, b, c, d), lambda x: log.append([y is not None for y in x]))
c.sum().backward(retain_graph=True); c.sum().backward(inputs=(a,), retain_graph=True)
(c + d).sum().backward(retain_graph=True); h.remove(); c.sum().backward(retain_graph=True)
log
""",
        "any": """
h = g.register_multi_grad_hook((a, b, c, d), lambda x: log.append(list(x.shape)), mode="any")
c.sum().backward(retain_graph=True); (c + d).sum().backward(retain_graph=True); h.remove()
c.sum().backward(); log
""",
    },
    HOOKS,
)
many(
    "graph",
    {
        "versions": """
t, s, o, told = ow.ones(3), ow.ones(2, 3).t(), ow.ones(()), []
before = [x._version for x in (t, s, o)]
g.increment_version(t); g.increment_version((t, s, o))
[x._version - v for x, v in zip((t, s, o), before)], t
""",
        "settings": """
a = ow.ones(2, requires_grad=True)
with ow.autograd.set_multithreading_enabled(False):
    (a * 2).sum().backward()
with g.saved_tensors_hooks(lambda x: x, lambda x: x):
    (a * a).sum().backward()
a.grad, module("autograd.variable").Variable is ow.autograd.Variable
""",
    },
)
error_cases(
    table,
    "graph",
    """
    g.get_gradient_edge(ow.ones(1))  # does not require gradients
    g.register_multi_grad_hook((a,), print, mode="x")  # ('all', 'any') but got x
    with_hooks()  # no hooks here
    g.increment_version(y); y.sum().backward()  # modified by an inplace operation
    """,
    before="import importlib; g = importlib.import_module(f'{ow.__name__}.autograd.graph'); "
    "a = ow.ones(2, requires_grad=True); y = a.exp(); with_hooks = "
    "g.disable_saved_tensors_hooks('no hooks here')(lambda: g.saved_tensors_hooks(id, id).__enter__())",
    raises=True,
)

MUTATION = """
told = []
with g.allow_mutation_on_saved_tensors():
    a = ow.ones(2, 3, requires_grad=True)
    b = a.clone(); o = (b**2).sum(); b.sin_(); o.backward(); told.append(a.grad); a.grad = None
    b = a * 2; v = b[0]; o = b.exp().sum() + (b * b).sum(); v.mul_(5); b += 1; b[0, 0] = 9.0
    o.backward(); told.append(a.grad); a.grad = None
    b = a.exp(); o = b.sum(); b.zero_(); (o + b.sum()).backward(); told.append(a.grad)
"""
many("mutation", {"written": f"{MUTATION}told"})
error_cases(
    table,
    "mutation",
    """
    nested()  # contexts cannot be nested
    z.backward()  # outside of the 'allow_mutation_on_saved_tensors' context
    """,
    before=IMPORT
    + """
a = ow.ones(2, requires_grad=True)
with g.allow_mutation_on_saved_tensors():
    z = (a.clone() ** 2).sum()
def nested():
    with g.allow_mutation_on_saved_tensors(), g.allow_mutation_on_saved_tensors():
        pass
told = 0""",
    raises=True,
)

# --- functions of functions -----------------------------------------------------------------------
many(
    "func",
    {
        "stack_module_state": """
models = [ow.nn.Linear(2, 3) for _ in range(4)]
p, b = ow.func.stack_module_state(models)
[(k, v.shape, v.requires_grad, v.is_leaf) for k, v in p.items()], b
""",
        "stacked models run": """
models = [ow.nn.BatchNorm1d(2) for _ in range(3)]
for i, m in enumerate(models):
    m.weight.data.fill_(i + 1.0); m.running_mean.fill_(i); m.eval()
p, b = ow.func.stack_module_state(models)
def call(p, b, x):
    return ow.func.functional_call(models[0], (p, b), (x,))
ow.func.vmap(call, (0, 0, None))(p, b, ow.ones(1, 2)), sorted(b)
""",
        "linearize": """
o, j = ow.func.linearize(lambda x, y: {"a": x * y.sin()}, ow.tensor([2.0, 1]), ow.tensor(3.0))
o, j(ow.tensor([1.0, 2]), ow.tensor(1.0)), j(ow.tensor([0.0, 2]), ow.tensor(0.0))
""",
        "functionalize": """
def f(x):
    x.add_(1)
    return x.view(-1) * 2
t = ow.ones(2, 2); made = ow.func.functionalize(f, remove="mutations_and_views")
made(t), t, ow.func.vmap(ow.func.functionalize(lambda x: (x * 1).mul_(2)))(t)
""",
        "replace_all_batch_norm_modules_": """
m = ow.nn.Sequential(ow.nn.BatchNorm1d(2), ow.nn.Linear(2, 2))
(ow.func.replace_all_batch_norm_modules_(m) is m, m[0].running_mean, m[0].track_running_stats)
""",
    },
)
error_cases(
    table,
    "func",
    """
    ow.func.stack_module_state([])  # Expected at least one model, got 0
    ow.func.stack_module_state([ow.nn.ReLU().eval(), ow.nn.ReLU()])  # the same training/eval mode
    ow.func.stack_module_state([ow.nn.ReLU(), ow.nn.Tanh()])  # to be of the same class
    ow.func.functionalize(lambda x: x, remove="x")  # invalid argument for remove=
    ow.func.linearize(lambda x: x, ow.ones(2))[1](ow.ones(3))  # Expected tangent 0 to be like its primal
    ow.func.linearize(lambda x: x, ow.ones(2))[1]((ow.ones(2),))  # the same pytree structure
    """,
    raises=True,
)

# --- parameters that change places ----------------------------------------------------------------
SETTINGS = """
f = module("__future__")
def settle(overwrite, swap):
    f.set_overwrite_module_params_on_conversion(overwrite); f.set_swap_module_params_on_conversion(swap)
l = ow.nn.Linear(1, 1); w = l.weight; w.grad = ow.ones(1, 1)
"""
many(
    "conversion",
    {
        "as ever": """
l.double(); told = l.weight is w, w.dtype
told, f.get_overwrite_module_params_on_conversion(), f.get_swap_module_params_on_conversion()
""",
        "overwritten": """
settle(True, False); l.double(); settle(False, False)
l.weight is w, w.dtype, l.weight.dtype, l.weight.grad.dtype, type(l.weight).__name__
""",
        "swapped": """
settle(False, True); l.double(); settle(False, False)
l.weight is w, w.dtype, w.grad.dtype, type(w).__name__, w.requires_grad
""",
        "loaded": """
log = []
class Sub(ow.Tensor):
    def module_load(self, other, assign=False):
        log.append(assign)
        return super().module_load(other, assign)
l.weight = ow.nn.Parameter(ow.ones(1, 1).as_subclass(Sub)); w = l.weight
settle(False, True); l.load_state_dict({"weight": ow.full((1, 1), 5.0), "bias": ow.ones(1)})
settle(False, False); l.weight is w, w.item(), l.bias.detach(), log
""",
        "swap_tensors": """
a, b = ow.nn.Parameter(ow.ones(2)), ow.zeros(3, dtype=ow.float64); a.x = 1
ow.utils.swap_tensors(a, b)
(type(a).__name__, a.dtype, a.shape, a.requires_grad, hasattr(a, "x"), type(b).__name__, b.detach(), b.x)
""",
    },
    SETTINGS,
)
error_cases(
    table,
    "conversion",
    "ow.utils.swap_tensors(a, ow.ones(2))  # Cannot swap t1 because it has weakref associated with it",
    before="import weakref; a = ow.ones(2); r = weakref.ref(a)",
    raises=True,
)

# --- an optimiser of sparse gradients -------------------------------------------------------------
many(
    "SparseAdam",
    {
        "without gradients": """
s = ow.optim.SparseAdam([ow.nn.Parameter(ow.ones(2))])
repr(s), s.defaults, s.step(lambda: 3), s.state_dict()
""",
    },
)
error_cases(
    table,
    "SparseAdam",
    """
    ow.optim.SparseAdam([p], lr=0)  # Invalid learning rate: 0
    ow.optim.SparseAdam([p], eps=0)  # Invalid epsilon value: 0
    ow.optim.SparseAdam([p], betas=(0, 2))  # Invalid beta parameter at index 1: 2
    ow.optim.SparseAdam([p]).step()  # does not support dense gradients
    """,
    before="p = ow.nn.Parameter(ow.ones(2)); p.grad = ow.ones(2)",
    raises=True,
)

# --- utils ----------------------------------------------------------------------------------------
many(
    "utils",
    {
        "weak": """
w = module("utils.weak"); d = w.WeakTensorKeyDictionary(); t = ow.ones(2); d[t] = 1
told = [len(d), d[t], t in d, ow.ones(2) in d, list(d.values()), w.TensorWeakRef(t)() is t]
del t; told.append(len(d)); told.append(list(d.items()))
k = ow.ones(1); e = w.WeakIdKeyDictionary({}); e[k] = 2
told, e.get(k), list(e.copy().values()), e.pop(k), len(e), w.WeakIdRef(k) == w.WeakIdRef(k)
""",
        "module_tracker": """
m = module("utils.module_tracker"); log = []
n = ow.nn.Sequential(ow.nn.Linear(1, 1), ow.nn.ReLU())
n[0].register_forward_hook(lambda *x: log.append(sorted(t.parents)))
with m.ModuleTracker() as t:
    y = n(ow.ones(1, requires_grad=True)); log.append((sorted(t.parents), t.is_bw)); y.backward()
log, sorted(t.parents), t.is_bw
""",
        "hooks": """
h = module("utils.hooks"); log = []
b = h.BackwardHook(ow.nn.ReLU(), [lambda *x: log.append(x[1:])], [lambda *x: log.append(x[1:])])
x = ow.ones(1, requires_grad=True); y, = b.setup_input_hook((x,)); z = b.setup_output_hook(y * 2)
z.backward(); log
""",
        "set_module": """
class Q:
    pass
ow.utils.set_module(Q, "z"); Q.__module__
""",
        "serialization": """
s = module("serialization")
class V:
    __name__, __version__ = "v", "1.2.x"
told = [s.check_module_version_greater_or_equal(V, (1, n)) for n in (1, 2, 3)]
told, s.check_module_version_greater_or_equal(V, (1, 3, 1), False), issubclass(s.SourceChangeWarning, Warning)
""",
        "random": "module('random').thread_safe_generator()",
    },
)
error_cases(
    table,
    "utils",
    """
    ow.utils.set_module(ow.ones, 1)  # The mod argument should be a string
    ow.accelerator.Graph()  # Graph is not supported on device type
    ow.accelerator.get_device_capability()  # accelerator
    ow.serialization.validate_cuda_device("cuda:0")  # Attempting to deserialize object on
    ow.serialization.validate_hpu_device("hpu")  # hpu
    """,
    raises=True,
)

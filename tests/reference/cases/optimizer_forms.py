"""The functions beside the optimisers' classes, parameters that are swapped in, and SparseAdam."""

from reference.samples import lit
from reference.table import Table

table = Table(grad=False)

FORM = """
import importlib
step = importlib.import_module(ow.__name__ + '.optim.{module}').{name}
params = [a.clone(), (a * 2).t()]
grads = [a.sin(), a.cos().t()]
def kept(value=0.0):
    return [ow.full_like(p, value) for p in params]
def counts(value=0.0):
    return [ow.tensor(value, dtype=kind) for kind in (ow.float32, ow.float64)]
lists = [{lists}]
for _ in range(3):
    step(params, grads, *lists, {options})
(params, lists)
"""
ADAM = "beta1=0.8, beta2=0.9, lr=0.1, weight_decay=0.1, eps=0.01"
ADAMS = "kept(), kept(), kept() if {amsgrad} else [], counts()"
FORMS = {
    "adadelta": ("kept(), kept(), counts()", "lr=0.5, rho=0.8, eps=0.01, weight_decay=0.1, maximize=False"),
    "adagrad": ("kept(0.1), counts()", "lr=0.1, weight_decay=0.1, lr_decay=0.2, eps=0.01, maximize=True"),
    "adam": (ADAMS.format(amsgrad=True), ADAM + ", amsgrad=True, maximize=False"),
    "adamw": (ADAMS.format(amsgrad=False), ADAM + ", amsgrad=False, maximize=True"),
    "adamax": ("kept(), kept(), counts()", ADAM),
    "asgd": ("kept(), counts(1.0), counts(0.1), counts()",
             "lambd=0.1, lr=0.1, t0=1.0, alpha=0.5, weight_decay=0.1, maximize=True"),
    "nadam": ("kept(), kept(), counts(1.0), counts()", ADAM + ", momentum_decay=0.01"),
    "radam": ("kept(), kept(), counts()", ADAM + ", decoupled_weight_decay=True"),
    "rmsprop": ("kept(), kept(), kept(), counts()",
                "lr=0.1, alpha=0.9, eps=0.01, weight_decay=0.1, momentum=0.5, centered=True"),
    "rprop": ("kept(), kept(0.1), counts()",
              "step_size_min=0.01, step_size_max=1.0, etaminus=0.5, etaplus=1.5"),
    "sgd": ("[None, None]",
            "weight_decay=0.1, momentum=0.5, lr=0.1, dampening=0.25, nesterov=False, maximize=False"),
}  # fmt: skip
for name, (lists, options) in FORMS.items():
    for module in (name, "functional", "_functional"):
        code = FORM.format(module=module, name=name, lists=lists, options=options)
        value = lit([[1.0, -2.0], [0.5, 3.0]])
        said = f"optim.{module}.{name}"
        table.case(name, code, name=said, dtypes=("float64",), tol=10, a=value)
MATRICES = """
import importlib
F = importlib.import_module(ow.__name__ + '.optim.functional')
p, q, g = a.clone(), a[0].clone(), a.sin()
rows, columns = [a.new_zeros(2, 1), None], [a.new_zeros(1, 2), None]
variances, counts = [None, a.new_zeros(2)], [ow.tensor(0.0), ow.tensor(0.0)]
for _ in range(3):
    F.adafactor([p, q], [g, g[0]], rows, columns, variances, counts, d=1.0, lr=0.1, beta2_decay=-0.8,
                weight_decay=0.1, eps1=1e-6, eps2=1e-3, maximize=False)
m = ow.zeros_like(a)
r = a.clone()
F.muon([r], [g], [m], lr=0.1, weight_decay=0.1, momentum=0.9, nesterov=True, ns_coefficients=(3.4, -4.7, 2.0),
       ns_steps=3, eps=1e-7, adjust_lr_fn=None, has_complex=False)
(p, q, rows[0], columns[0], variances[1], counts, r, m)
"""
table.case("adafactor", MATRICES, dtypes=("float64",), tol=100, a=lit([[1.0, -2.0], [0.5, 3.0]]))

SWAP = """
p, q = ow.nn.Parameter(a.clone()), ow.nn.Parameter(a * 2)
optimizer = ow.optim.Adam([{'params': [p], 'lr': 0.5}, {'params': [q]}], lr=0.1)
def step(x, y):
    x.grad, y.grad = ow.ones_like(x), ow.ones_like(y)
    optimizer.step()
step(p, q)
import copy
state = copy.deepcopy(optimizer.state_dict())
r, s = ow.nn.Parameter(a * 3), ow.nn.Parameter(a * 4)
swap = ow.optim.swap_in_optimizer_params_and_state
"""
SWAPS = {
    "parameters and state of a while": """
state['param_groups'][0]['lr'] = 0.25
with swap(optimizer, {'r': r, 's': s}, state):
    group = optimizer.param_groups[0]
    within = (group['params'][0] is r, group['lr'], r in optimizer.state)
    step(r, s)
after = (optimizer.param_groups[0]['params'][0] is p, optimizer.param_groups[0]['lr'], r in optimizer.state)
before = p.detach().clone()
step(p, q)
(within, after, before, p.detach(), r.detach(), s.detach(), state['state'])
""",
    "an error within": """
try:
    with swap(optimizer, {'r': r, 's': s}, state):
        raise KeyError('x')
except KeyError:
    pass
optimizer.param_groups[1]['params'][0] is q
""",
}
for name, program in SWAPS.items():
    table.case("swap", SWAP + program, name=name, dtypes=("float64",), tol=10, a=lit([1.0, -2.0]))
REFUSED = (
    "optimizer.state.clear()",
    "state = 3",
    "state['state'] = 3",
    "state['state'] = {p: {}}",
    "state['state'][0] = 3",
    "state['param_groups'] = 3",
    "state['param_groups'].pop()",
    "state['param_groups'][0] = 3",
    "state['param_groups'][0]['params'] = p",
    "state['param_groups'][0]['params'] = [0, 1]",
    "state['param_groups'][0]['more'] = 1",
    "del state['param_groups'][0]['lr']",
    "state['state'][7] = {}",
    "del given['s']",
)
for change in REFUSED:
    code = f"{SWAP}given = {{'r': r, 's': s}}\n{change}\nswap(optimizer, given, state).__enter__()"
    table.case("swap", code, name=change, raises=True, dtypes=("float64",), a=lit([1.0, -2.0]))

SPARSE = (
    "SparseAdam([p], lr=-1)",
    "SparseAdam([p], lr=0.0)",
    "SparseAdam([p], eps=0.0)",
    "SparseAdam([p], betas=(1.0, 0.5))",
    "SparseAdam([p], lr=ow.ones(2))",
    "SparseAdam([])",
    "SparseAdam([p]).step()",
)
for call in SPARSE:
    code = f"p = ow.nn.Parameter(a.clone()); p.grad = a.clone()\now.optim.{call}"
    table.case("SparseAdam", code, name=call, raises=True, dtypes=("float64",), a=lit([1.0, -2.0]))
FACTS = """
p = ow.nn.Parameter(a.clone())
optimizer = ow.optim.SparseAdam([p], lr=0.5, maximize=True)
(optimizer.step(lambda: 3), repr(optimizer), optimizer.defaults, len(optimizer.state))
"""
table.case("SparseAdam", FACTS, dtypes=("float64",), a=lit([1.0, -2.0]))

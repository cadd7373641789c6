"""Optimisers beside their steps: hooks of states and of all optimisers, parameters that have names."""

from reference.samples import lit
from reference.table import Table

table = Table(grad=False)

BEGIN = """
p, q = ow.nn.Parameter(a.clone()), ow.nn.Parameter(a * 2)
optimizer = ow.optim.Adam([p, q], lr=0.1)
import importlib
O, seen = importlib.import_module(ow.__name__ + '.optim.optimizer'), []
def step():
    (p.sum() + (q * q).sum()).backward()
    return optimizer.step()
"""
PROGRAMS = {
    "hooks of every optimizer, around an optimizer's own": """
note = lambda word: lambda o, args, kwargs: seen.append([word, o is optimizer, len(args), len(kwargs)])
handles = [O.register_optimizer_step_pre_hook(note('all'))]
handles += [optimizer.register_step_pre_hook(note('own'))]
handles += [optimizer.register_step_post_hook(note('own after'))]
handles += [O.register_optimizer_step_post_hook(note('all after'))]
step()
[handle.remove() for handle in handles]
step()
seen
""",
    "a hook gives a step its closure": """
def loss():
    seen.append(ow.is_grad_enabled())
    optimizer.zero_grad()
    (p * p).sum().backward()
    return len(seen)
optimizer.register_step_pre_hook(lambda o, args, kwargs: ((*args, loss), kwargs))
optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(len(args)))
(optimizer.step(), seen, p.detach())
""",
    "a hook of a state": """
optimizer.register_state_dict_pre_hook(lambda o: seen.append('before'))
optimizer.register_state_dict_post_hook(lambda o, d: seen.append(sorted(d)))
optimizer.register_state_dict_post_hook(lambda o, d: {**d, 'more': 3})
first = optimizer.register_state_dict_post_hook(lambda o, d: seen.append('first'), prepend=True)
step()
found = sorted(optimizer.state_dict())
first.remove()
(found, sorted(optimizer.state_dict()), seen)
""",
    "a hook of loading": """
step()
saved = optimizer.state_dict()
def halve(o, d):
    seen.append('before')
    return {'state': d['state'], 'param_groups': [{**g, 'lr': g['lr'] / 2} for g in d['param_groups']]}
optimizer.register_load_state_dict_pre_hook(halve)
optimizer.register_load_state_dict_pre_hook(lambda o, d: seen.append('first'), prepend=True)
optimizer.register_load_state_dict_post_hook(lambda o: seen.append(o.param_groups[0]['lr']))
optimizer.load_state_dict(saved)
step()
(seen, saved['param_groups'][0]['lr'], p.detach(), q.detach())
""",
    "a hook that changes what is loaded leaves the caller's": """
saved = optimizer.state_dict()
def grow(o, d):
    d['param_groups'] = [{**g, 'lr': 7.0} for g in d['param_groups']]
optimizer.register_load_state_dict_pre_hook(grow)
optimizer.load_state_dict(saved)
(saved['param_groups'][0]['lr'], optimizer.param_groups[0]['lr'])
""",
    "names of parameters": """
named = ow.optim.SGD([('p', p), ('q', q)], lr=0.1, momentum=0.5)
(p.sum() + (q * q).sum()).backward()
named.step()
saved = named.state_dict()
group = saved['param_groups'][0]
(group['param_names'], group['params'], p.detach(), len(named.state), repr(named))
""",
    "groups of a module's named parameters": """
layer = ow.nn.Linear(2, 3)
named = ow.optim.SGD([{'params': layer.named_parameters(), 'lr': 0.3}, {'params': [('q', q)]}], lr=0.1)
[(g['param_names'], g['lr']) for g in named.param_groups]
""",
    "names stay where a state has none, and are taken where it has": """
named, other = ow.optim.SGD([('p', p)], lr=0.1), ow.optim.SGD([('q', q)], lr=0.2)
plain = ow.optim.SGD([q], lr=0.3)
named.load_state_dict(plain.state_dict())
first = (named.param_groups[0]['param_names'], named.param_groups[0]['lr'])
named.load_state_dict(other.state_dict())
plain.load_state_dict(other.state_dict())
(first, named.param_groups[0]['param_names'], plain.param_groups[0]['param_names'])
""",
    "a leaf or a tensor that keeps its gradient": """
kept = (p * 2)
kept.retain_grad()
optimizer = ow.optim.SGD([kept], lr=0.1)
kept.sum().backward()
optimizer.step()
kept.detach()
""",
    "hooks are not copied": """
import copy
optimizer.register_state_dict_post_hook(lambda o, d: {})
(len(optimizer.state_dict()), len(copy.deepcopy(optimizer).state_dict()))
""",
}
for name, program in PROGRAMS.items():
    table.case("optimizer", BEGIN + program, name=name, a=lit([1.0, -2.0]))

# A `step` of a class's own, also one that nobody knows when hooks are registered.
OWN_STEPS = {
    "hooks run around a step that a class defines": """
class Own(ow.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {'lr': 0.1})
    def step(self, closure=None):
        seen.append('step')
        return 7
own = Own([p])
own.register_step_pre_hook(lambda o, args, kwargs: seen.append((o is own, len(args), sorted(kwargs))))
own.register_step_post_hook(lambda o, args, kwargs: seen.append('after'))
handle = O.register_optimizer_step_pre_hook(lambda o, args, kwargs: seen.append('all'))
found = (own.step(), own.step(closure=None), own.step(None))
handle.remove()
(found, seen, Own.step.hooked, Own.step.__name__, isinstance(own._optimizer_step_pre_hooks, dict))
""",
    "hooks run around a step that asks its parent's": """
class Own(ow.optim.SGD):
    def step(self, closure=None):
        seen.append('own')
        return super().step(closure)
own = Own([p, q], lr=0.5)
own.register_step_pre_hook(lambda o, args, kwargs: seen.append('before'))
optimizer = own
step()
(seen, p.detach())
""",
    "a step with other arguments": """
class Own(ow.optim.SGD):
    def step(self, scale, *, twice=False):
        seen.append((scale, twice))
own = Own([p], lr=0.5)
own.register_step_pre_hook(lambda o, args, kwargs: ((args[0], args[1] * 2), {'twice': True}))
own.step(3)
seen
""",
    "a pickled optimizer of a class of one's own has its hooks": """
class Own(ow.optim.SGD):
    def step(self, closure=None):
        seen.append('own')
own = Own.__new__(Own)
own.__setstate__(ow.optim.SGD([p], lr=0.5).__getstate__())
own.register_step_pre_hook(lambda o, args, kwargs: seen.append('before'))
own.step()
seen
""",
    "a step that is recorded where defaults say so": """
class Own(ow.optim.Optimizer):
    def __init__(self, params, differentiable):
        super().__init__(params, {'lr': 0.1, 'differentiable': differentiable})
    @O._use_grad_for_differentiable
    def step(self, closure=None):
        seen.append(ow.is_grad_enabled())
Own([p], False).step()
seen
""",
    "loading sets the state as unpickling does": """
class Own(ow.optim.SGD):
    def __setstate__(self, state):
        super().__setstate__(state)
        seen.append(sorted(state))
        for group in self.param_groups:
            group.setdefault('later', 3)
own = Own([p], lr=0.5)
own.load_state_dict(ow.optim.SGD([q], lr=0.25).state_dict())
(seen, own.param_groups[0]['later'], own.param_groups[0]['lr'])
""",
}
for name, program in OWN_STEPS.items():
    table.case("optimizer", BEGIN + program, name=name, a=lit([1.0, -2.0]))

NUMBERS = """
def of(state):
    return {{k: str(v.dtype).rpartition('.')[2] for k, v in state.items() if isinstance(v, ow.Tensor)}}
def make(**options):
    p = ow.nn.Parameter(a.clone())
    optimizer = ow.optim.{make}([p], lr=0.01, **options)
    return p, optimizer
def step(p, optimizer):
    p.grad = p.detach().sin()
    optimizer.step({closure})
    return p.detach().clone()
"""
DEFAULTS = """
found = []
for default, other in ((ow.float64, ow.float32), (ow.float32, ow.float64)):
    ow.set_default_dtype(default)
    p, optimizer = make()
    path = [step(p, optimizer) for _ in range(3)]
    kinds = of(optimizer.state[p])
    ow.set_default_dtype(other)
    path.append(step(p, optimizer))
    r, again = make()
    again.load_state_dict(optimizer.state_dict())
    path.append(step(r, again))
    found.append((kinds, of(optimizer.state[p]), of(again.state[r]), path))
found
"""
HALVES = """
found = []
for default in (ow.float16, ow.bfloat16):
    ow.set_default_dtype(default)
    p, optimizer = make()
    step(p, optimizer)
    found.append(of(optimizer.state[p]))
found
"""
OLD = """
import copy
p, optimizer = make()
for _ in range(2):
    step(p, optimizer)
saved = copy.deepcopy(optimizer.state_dict())
for name in ('step', 'mu_product', 'eta', 'mu'):
    if name in saved['state'][0]:
        value = saved['state'][0][name].item()
        saved['state'][0][name] = int(value) if name == 'step' else value
found = []
for default in (ow.float32, ow.float64):
    ow.set_default_dtype(default)
    r, again = make()
    again.load_state_dict(copy.deepcopy(saved))
    kinds = of(again.state[r])
    s, third = make()
    kept = {{s: copy.deepcopy(saved['state'][0])}}
    third.__setstate__({{'state': kept, 'param_groups': third.param_groups}})
    found.append((kinds, step(r, again), of(third.state[s]), step(s, third)))
found
"""
FUSED = """
ow.set_default_dtype(ow.float64)
p, optimizer = make(fused=True)
step(p, optimizer)
r, again = make(fused=True)
plain = ow.optim.{make}([r], lr=0.01)
step(r, plain)
again.load_state_dict(plain.state_dict())
(of(optimizer.state[p]), of(plain.state[r]))
"""
NAMES = ("SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "Adagrad", "Adadelta", "RMSprop", "Rprop",
         "ASGD", "Adafactor", "Muon", "LBFGS")  # fmt: skip
for name in NAMES:
    programs = {
        "under each default dtype": (DEFAULTS, ("float32", "float64")),
        "under default dtypes that are halves": (HALVES, ("float32",)),
    }
    if name not in ("SGD", "Muon", "LBFGS"):
        programs["a state whose numbers are no tensors"] = (OLD, ("float32",))
    if name in ("Adam", "AdamW"):
        programs["numbers of a fused optimizer"] = (FUSED, ("float32",))
    filled = {"make": name, "closure": "lambda: 1.0" if name == "LBFGS" else ""}
    for said, (program, dtypes) in programs.items():
        code = (NUMBERS + program).format(**filled)
        value = lit([[1.0, -2.0], [0.5, 3.0]])
        table.case(name, code, name=f"{name}: {said}", dtypes=dtypes, tol=100, a=value)

REFUSED = {
    "with/without names": (
        "ow.optim.SGD([('p', p), q], lr=0.1)",
        "ow.optim.SGD([{'params': [('p', p)]}, {'params': [q]}], lr=0.1)",
        "ow.optim.SGD([{'params': [p]}, {'params': [('q', q)]}], lr=0.1)",
    ),
    "ordered collections": ("ow.optim.SGD([{'params': {p, q}}], lr=0.1)",),
    "non-leaf": ("ow.optim.SGD([p * 2], lr=0.1)",),
    "new_args": ("optimizer.register_step_pre_hook(lambda *args: 3); step()",),
}
for says, programs in REFUSED.items():
    for program in programs:
        table.case(
            "optimizer",
            BEGIN + program,
            name=program,
            raises=True,
            says=says,
            a=lit([1.0, -2.0]),
        )

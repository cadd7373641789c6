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

"""Optimisers beside SGD and Adam: 50 steps on a curved problem, what they keep, and what they refuse."""

from reference.samples import lit, real
from reference.table import Table

table = Table(grad=False)

# Parameters of several sizes; `change` runs before each step. Muon takes matrices alone.
STEPS = """
p, q, r = (ow.nn.Parameter(t.clone()) for t in (a, b, c))
some = [p] if {matrices} else [p, q, r]
optimizer = ow.optim.{make}
path = []
def closure():
    optimizer.zero_grad()
    loss = ((p @ q - 1) ** 2).sum() + (p.sin() * 0.5).sum() + 0.25 * q.pow(4).sum() + (r * r.cos()).sum()
    loss.backward()
    return loss
for step in range({steps}):
    closure()
    {change}
    path.append(optimizer.step({closure}))
(ow.stack([closure().detach()]), p.detach(), q.detach(), r.detach())
"""
INPUTS = {"a": real(3, 2), "b": lit([0.5, -1.25]), "c": real(2, 2, 3)}
OPTIONS = {
    "Adagrad": ["lr=0.1", "lr=0.1, lr_decay=0.1, weight_decay=0.2, eps=0.01", "lr=0.01, maximize=True",
                "lr=0.1, initial_accumulator_value=0.5"],
    "Adadelta": ["", "lr=0.1, rho=0.7, eps=0.01, weight_decay=0.1", "lr=0.1, maximize=True"],
    "Adamax": ["lr=0.05", "lr=0.05, betas=(0.6, 0.8), weight_decay=0.1, eps=0.01", "lr=0.01, maximize=True"],
    "NAdam": ["lr=0.05", "lr=0.01, betas=(0.6, 0.8), weight_decay=0.1, eps=0.01, momentum_decay=0.02",
              "lr=0.05, weight_decay=0.1, decoupled_weight_decay=True", "lr=0.01, maximize=True"],
    "RAdam": ["lr=0.05", "lr=0.05, betas=(0.6, 0.8), weight_decay=0.1, eps=0.01",
              "lr=0.05, weight_decay=0.1, decoupled_weight_decay=True", "lr=0.01, maximize=True"],
    "RMSprop": ["lr=0.01", "lr=0.01, momentum=0.5", "lr=0.01, centered=True, eps=0.01",
                "lr=0.01, alpha=0.8, centered=True, momentum=0.5, weight_decay=0.1, eps=0.01",
                "lr=0.001, maximize=True"],
    "Rprop": ["lr=0.01", "lr=0.1, etas=(0.25, 1.5), step_sizes=(0.001, 0.125)", "lr=0.01, maximize=True"],
    "ASGD": ["lr=0.01", "lr=0.02, lambd=0.1, alpha=0.5, t0=10, weight_decay=0.1", "lr=0.001, maximize=True"],
    "Adafactor": ["", "lr=0.1, beta2_decay=-0.5, eps=(1e-6, 0.01), d=2.0, weight_decay=0.1", "maximize=True"],
    "Muon": ["", "lr=0.02, nesterov=False, weight_decay=0.2", "lr=0.02, adjust_lr_fn='match_rms_adamw'",
             "ns_steps=3, momentum=0.5"],
    "LBFGS": ["max_iter=4", "lr=0.3, max_iter=3", "max_iter=3, history_size=2",
              "line_search_fn='strong_wolfe', max_iter=4"],
}  # fmt: skip


def trajectory(name, options, change="pass", said=""):
    by_closure = name == "LBFGS"
    make = f"{name}(some, {options})"
    code = STEPS.format(
        make=make,
        change=change,
        matrices=name == "Muon",
        closure="closure" if by_closure else "",
        steps=4 if by_closure else 50,
    )
    dtypes = ("float64",) if by_closure else ("float64", "float32")
    table.case(name, code, name=f"{make}{said}", dtypes=dtypes, tol=100, **INPUTS)


FACTS = """
p, q = ow.nn.Parameter(a.clone()), ow.nn.Parameter(a.clone())
optimizer = ow.optim.{make}([p, q])
def closure():
    optimizer.zero_grad()
    loss = (p * p).sum() + p.sum() + (q * 3).sum()
    loss.backward()
    return loss
closure()
optimizer.step({closure})
s = optimizer.state_dict()
kept = s['state'][0]
kept = {{k: v for k, v in kept.items() if k not in ('al', 'old_dirs', 'old_stps', 'ro')}}
(list(s), list(s['state']), kept, s['param_groups'], optimizer.defaults, repr(optimizer))
"""
for name, options in OPTIONS.items():
    for option in options:
        trajectory(name, option)
    if name != "Muon":
        trajectory(name, options[-1], "if step == 2: q.grad = None", ", one gradient missing")
    if name != "LBFGS":
        trajectory(
            name,
            options[-1],
            "if step == 3: old = optimizer; optimizer = type(old)(some, lr=9.0); "
            "optimizer.load_state_dict(old.state_dict())",
            ", state moved to a new optimiser",
        )
    facts = FACTS.format(make=name, closure="closure" if name == "LBFGS" else "")
    table.case(name, facts, name=f"{name} state_dict", dtypes=("float64",), tol=10, a=real(3, 2))

# Where a parameter, its gradient or both have no number, of which nothing may spread to the others.
SPECIAL = """
some = [float('inf'), float('-inf'), float('nan'), 0.0, 1.5]
p = ow.nn.Parameter(ow.tensor([[x] * 5 for x in some], dtype=a.dtype){sizes})
special = ow.tensor([some] * 5, dtype=a.dtype){sizes}
optimizer, path = ow.optim.{make}, []
for grad in (ow.ones_like(p), special, -ow.ones_like(p)):
    p.grad = grad.clone()
    optimizer.step({closure})
    path.append(p.detach().clone())
kept = optimizer.state_dict()['state'].get(0, {{}})
(*path, {{k: v for k, v in kept.items() if k not in ('al', 'old_dirs', 'old_stps', 'ro')}})
"""
OF_NO_NUMBERS = {
    "SGD": ["lr=0.1", "lr=0.1, momentum=0.5", "lr=0.1, momentum=0.5, dampening=1.0",
            "lr=0.1, weight_decay=0.1"],
    **{name: ["lr=0.1", "lr=0.1, amsgrad=True", "lr=0.1, weight_decay=0.0", "lr=0.1, betas=(0.0, 0.0)",
              "lr=0.1, betas=(0.3, 0.9)"] for name in ("Adam", "AdamW")},
    **{name: list(dict.fromkeys([*options, "lr=0.1"])) for name, options in OPTIONS.items()},
}  # fmt: skip
OF_NO_NUMBERS["ASGD"] = [*OF_NO_NUMBERS["ASGD"], "lr=0.5, lambd=2.0"]  # which shrinks to 0
for name in ("Adamax", "NAdam", "RAdam"):
    OF_NO_NUMBERS[name] = [*OF_NO_NUMBERS[name], "lr=0.1, betas=(0.0, 0.5)"]
for name, options in OF_NO_NUMBERS.items():
    for option in options:
        code = SPECIAL.format(
            make=f"{name}([p], {option})",
            sizes="" if name == "Muon" else ".flatten()",
            closure="lambda: 1.0" if name == "LBFGS" else "",
        )
        said = f"{name}({option}), where there are no numbers"
        dtypes = ("float64",) if name in ("Muon", "LBFGS") else ("float64", "float32")
        table.case(name, code, name=said, dtypes=dtypes, tol=100, a=real(1))

REFUSED = """Adagrad([p], lr=-1.0)
Adagrad([p], lr_decay=-1)
Adagrad([p], initial_accumulator_value=-1)
Adagrad([p], eps=-1)
Adadelta([p], rho=2)
Adadelta([p], lr=ow.ones(2))
Adamax([p], betas=(1.0, 0.5))
Adamax([p], betas=(0.5, -0.5))
NAdam([p], momentum_decay=-1)
RAdam([p], weight_decay=-1)
RMSprop([p], alpha=-1)
RMSprop([p], momentum=-1)
Rprop([p], etas=(1.5, 0.5))
ASGD([p], lambd=-1)
ASGD([p], alpha=-1)
Adafactor([p], lr=-1)
Adafactor([p], d=0)
Adafactor([p], beta2_decay=1)
Adafactor([p], eps=(-1, 0.1))
Adafactor([p], eps=(None, -1))
Muon([p], lr=-1)
Muon([p], momentum=-1)
Muon([p], adjust_lr_fn='x')
Muon([ow.nn.Parameter(ow.ones(3))])
LBFGS([p], lr=-1)
SGD([p], lr=ow.ones(2))
Adam([p], lr=ow.ones(2))
Adam([p], lr=ow.tensor(0.1), foreach=True)
Adam([p], betas=(0.9, ow.tensor(0.9)))
Adam([p], betas=(ow.ones(2) * 0.5, ow.ones(2) * 0.5))
AdamW([p], betas=(ow.tensor(0.5), ow.tensor(0.5)), foreach=True)
LBFGS([{'params': [p]}, {'params': [ow.nn.Parameter(ow.ones(2))]}])""".splitlines()
for call in REFUSED:
    code = f"p = ow.nn.Parameter(a.clone())\now.optim.{call}"
    table.case(
        call.partition("(")[0], code, name=call, raises=True, dtypes=("float64",), a=real(3, 2)
    )
LATE = """Rprop([p], step_sizes=(1,))
Muon([p], ns_steps=200)
Muon([p], ns_coefficients=(1,))
LBFGS([p], line_search_fn='x')""".splitlines()
for call in LATE:
    code = (
        "p = ow.nn.Parameter(a.clone()); p.grad = p.detach().clone()\n"
        f"ow.optim.{call}.step(lambda: p.sum())"
    )
    kind = call.partition("(")[0]
    table.case(kind, code, name=f"{call}.step()", raises=True, dtypes=("float64",), a=real(3, 2))

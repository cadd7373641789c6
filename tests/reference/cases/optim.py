"""Optimisers: the parameters after some steps on a fixed problem, and their state."""

from reference.samples import lit, real
from reference.table import Table

table = Table(grad=False)

# Six steps on a small curved problem with two parameters; `change` runs before each step.
STEPS = """
p, q = ow.nn.Parameter(a.clone()), ow.nn.Parameter(b.clone())
optimizer = ow.optim.{make}
path = []
for step in range(6):
    optimizer.zero_grad()
    loss = ((p @ q - 1) ** 2).sum() + (p.sin() * 0.5).sum() + 0.25 * q.pow(4).sum()
    loss.backward()
    {change}
    optimizer.step()
    path.append(loss.detach())
(ow.stack(path), p.detach(), q.detach())
"""
INPUTS = {"a": real(3, 2), "b": lit([0.5, -1.25])}


def trajectory(make, change="pass", dtypes=("float64", "float32"), name=""):
    code = STEPS.format(make=make, change=change)
    table.case(make.partition("(")[0], code, name=name or make, dtypes=dtypes, tol=10, **INPUTS)


BOTH = "[p, q]"
for options in (
    "lr=0.01",
    "lr=0.05, momentum=0.9",
    "lr=0.05, momentum=0.9, dampening=0.5",
    "lr=0.05, weight_decay=0.1",
    "lr=0.05, momentum=0.9, nesterov=True",
    "lr=0.01, maximize=True",
    "lr=0.05, momentum=0.5, weight_decay=0.1, nesterov=True",
):
    trajectory(f"SGD({BOTH}, {options})")
for name in ("Adam", "AdamW"):
    for options in (
        "",
        "lr=0.1",
        "lr=0.1, betas=(0.5, 0.7)",
        "lr=0.1, eps=0.1",
        "lr=0.1, weight_decay=0.2",
        "lr=0.1, amsgrad=True",
        "lr=0.1, maximize=True",
        "lr=0.1, weight_decay=0.2, amsgrad=True, betas=(0.8, 0.9)",
    ):
        trajectory(f"{name}({BOTH}, {options})" if options else f"{name}({BOTH})")
for make in ("SGD({}, lr=0.02, momentum=0.9)", "Adam({}, lr=0.1)", "AdamW({}, lr=0.1)"):
    groups = make.format("[{'params': [p]}, {'params': q, 'lr': 0.001, 'weight_decay': 0.5}]")
    trajectory(groups)
    trajectory(make.format("iter([p, q])"))
    trajectory(
        make.format(BOTH),
        "optimizer.param_groups[0]['lr'] *= 0.5",
        name=f"{make.format(BOTH)}, lr halved every step",
    )
    trajectory(
        make.format(BOTH),
        "if step == 2: q.grad = None",
        name=f"{make.format(BOTH)}, one gradient missing",
    )
    trajectory(
        make.format(BOTH),
        "q.requires_grad_(step < 3); q.grad = q.grad if step < 3 else None",
        name=f"{make.format(BOTH)}, frozen on the way",
    )
    trajectory(
        make.format(BOTH),
        "if step == 3: old = optimizer; optimizer = type(old)([p, q], lr=9.0); "
        "optimizer.load_state_dict(old.state_dict())",
        name=f"{make.format(BOTH)}, state moved to a new optimiser",
    )
    trajectory(
        make.format(BOTH),
        "ow.nn.utils.clip_grad_norm_([p, q], 0.5)",
        name=f"{make.format(BOTH)}, clipped",
    )
    facts = f"""
p, q = ow.nn.Parameter(a.clone()), ow.nn.Parameter(b.clone())
optimizer = ow.optim.{make.format(BOTH)}
(p * 2).sum().backward()
optimizer.step()
s = optimizer.state_dict()
state = s['state'][0]
group = s['param_groups'][0]
options = ('betas', 'eps', 'lr', 'weight_decay', 'momentum', 'nesterov', 'amsgrad', 'maximize')
(list(s), list(s['state']), state, group['params'], {{k: group[k] for k in options if k in group}})
"""
    table.case(make.partition("(")[0], facts, name=f"{make.format(BOTH)} state_dict", **INPUTS)
CLOSURE = """
p = ow.nn.Parameter(a.clone())
optimizer = ow.optim.SGD([p], lr=0.1)
def closure():
    optimizer.zero_grad()
    loss = p.pow(2).sum()
    loss.backward()
    return loss
(optimizer.step(closure).detach(), p.detach())
"""
table.case("SGD", CLOSURE, name="step with a closure", a=real(3))
ZERO = """
p = ow.nn.Parameter(a.clone())
optimizer = ow.optim.SGD([p], lr=0.1)
p.sum().backward()
optimizer.zero_grad(set_to_none=False)
first = p.grad.clone()
optimizer.zero_grad()
(first, p.grad)
"""
table.case("SGD", ZERO, name="zero_grad", a=real(3))
GROUPS = """
p, q = ow.nn.Parameter(a.clone()), ow.nn.Parameter(a.clone())
optimizer = ow.optim.SGD([p], lr=0.1)
optimizer.add_param_group({'params': [q], 'lr': 0.01})
(p.sum() + q.sum()).backward()
optimizer.step()
(p.detach(), q.detach(), len(optimizer.param_groups), optimizer.defaults['lr'])
"""
table.case("SGD", GROUPS, name="add_param_group", a=real(3))
HALF = "SGD([p, q], lr=0.05, momentum=0.9)"
trajectory(HALF, dtypes=("bfloat16",), name="SGD in bfloat16")
table.case("SGD", "ow.optim.SGD([], lr=0.1)", raises=True, says="empty")
table.case(
    "SGD",
    "ow.optim.SGD([ow.nn.Parameter(a)], lr=-1.0)",
    raises=True,
    says="learning rate",
    a=real(2),
)
table.case(
    "SGD",
    "ow.optim.SGD([ow.nn.Parameter(a)], lr=0.1, nesterov=True)",
    raises=True,
    says="nesterov",
    a=real(2),
)
table.case("SGD", "ow.optim.SGD(a, lr=0.1)", raises=True, says="params", a=real(2))
table.case(
    "SGD",
    "p = ow.nn.Parameter(a); ow.optim.SGD([{'params': p}, {'params': p}], lr=0.1)",
    raises=True,
    says="more than one",
    a=real(2),
)
table.case(
    "Adam",
    "ow.optim.Adam([ow.nn.Parameter(a)], betas=(1.0, 0.9))",
    raises=True,
    says="beta",
    a=real(2),
)
table.case(
    "Adam", "ow.optim.Adam([ow.nn.Parameter(a)], eps=-1.0)", raises=True, says="eps", a=real(2)
)
table.case(
    "Adam",
    "ow.optim.Adam([ow.nn.Parameter(a)], weight_decay=-1.0)",
    raises=True,
    says="weight",
    a=real(2),
)
SCHEDULE = """
p = ow.nn.Parameter(a.clone())
optimizer = ow.optim.Adam([p], lr=0.1)
calls = []
optimizer.register_step_pre_hook(lambda *args: calls.append('pre') or None)
optimizer.register_step_post_hook(lambda *args: calls.append('post') or None)
p.sum().backward()
optimizer.step()
calls
"""
table.case("Adam", SCHEDULE, name="step hooks", a=real(2))

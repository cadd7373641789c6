"""Learning rate schedulers: every rate of a run to the last digit, states, and runs that are resumed."""

from reference.table import Table

table = Table(grad=False)

# Two groups; of each step the rates, as they are printed, and what cycles against them.
BEGIN = """
import itertools
S = ow.optim.lr_scheduler
a, b = ow.nn.Parameter(ow.ones(2)), ow.nn.Parameter(ow.ones(1))
groups = [{'params': [a]}, {'params': [b], 'lr': SECOND}]
optimizer = ow.optim.CLASS(groups, lr=FIRST, **OPTIONS)
def shown(x):
    return f'{str(x.dtype)[-7:]} {float(x)!r}' if isinstance(x, ow.Tensor) else repr(x)
def row(scheduler):
    rows = [shown(x) for x in scheduler.get_last_lr()]
    for g in optimizer.param_groups:
        cycled = g.get('betas', (g.get('momentum'),))[0]
        rows.append(shown(g['lr']) if shown(g['lr']) not in rows else '')
        rows.append(shown(cycled) if 'max_momentum' in g else '')
    return ' '.join(filter(None, rows))
def run(scheduler, steps, *arguments):
    path = [row(scheduler)]
    for step in range(steps):
        optimizer.step()
        scheduler.step(*[f(step) for f in arguments])
        path.append(row(scheduler))
    return [f'{len(list(same))} of {text}' for text, same in itertools.groupby(path)]
def plain(value):
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value if isinstance(value, (int, str, type(None))) else shown(value)
def state(scheduler):
    return [list(scheduler.state_dict()), plain(scheduler.state_dict())]
"""
NUMBERS = ("0.1", "0.03")
TENSORS = ("ow.tensor(0.1)", "ow.tensor([0.03], dtype=ow.float64)")
SGD, ADAM = ("SGD", "{'momentum': 0.9}"), ("Adam", "{'betas': (0.8, 0.99)}")


def case(make, code, rates=NUMBERS, optimizer=SGD, name="", into=table, **options):
    """`scheduler` is what `make` makes; `code` says what is done with it."""
    begin = BEGIN
    for key, value in zip(
        ("FIRST", "SECOND", "CLASS", "OPTIONS"), (*rates, *optimizer), strict=True
    ):
        begin = begin.replace(key, value)
    made = f"scheduler = S.{make}\n" if make else ""
    title = name or f"{make}: {code}"
    if rates is TENSORS:
        title += ", tensor rates"
    if optimizer is ADAM:
        title += ", Adam"
    topic = make.partition("(")[0] or "schedulers"
    into.case(topic, f"{begin}{made}{code}", name=title, **options)


# Of each scheduler a run of 120 steps, what it saves, and a run that is resumed by what was saved.
SCHEDULERS = """LambdaLR(optimizer, lambda epoch: 0.95 ** epoch)
LambdaLR(optimizer, [lambda epoch: epoch // 30, lambda epoch: 1 / (1 + epoch)])
MultiplicativeLR(optimizer, lambda epoch: 0.97)
MultiplicativeLR(optimizer, (lambda epoch: 1.01, lambda epoch: 1 - epoch / 200))
StepLR(optimizer, 30)
StepLR(optimizer, step_size=7, gamma=0.7)
StepLR(optimizer, -7, 0.5)
StepLR(optimizer, 2.5, -0.5)
MultiStepLR(optimizer, [30, 80])
MultiStepLR(optimizer, (60, 5, 5, 17), gamma=0.33)
MultiStepLR(optimizer, [])
ConstantLR(optimizer)
ConstantLR(optimizer, 0.7, 60)
ConstantLR(optimizer, factor=0.1, total_iters=-1)
LinearLR(optimizer)
LinearLR(optimizer, 0.01, 0.7, 77)
LinearLR(optimizer, start_factor=1.0, end_factor=0.0, total_iters=100)
LinearLR(optimizer, total_iters=0)
ExponentialLR(optimizer, 0.93)
ExponentialLR(optimizer, -1.05)
PolynomialLR(optimizer)
PolynomialLR(optimizer, 100, 2.7)
PolynomialLR(optimizer, total_iters=0)
CosineAnnealingLR(optimizer, 20)
CosineAnnealingLR(optimizer, T_max=100, eta_min=0.001)
CosineAnnealingLR(optimizer, 1)
CosineAnnealingLR(optimizer, -13, 0.2)
CosineAnnealingWarmRestarts(optimizer, 10)
CosineAnnealingWarmRestarts(optimizer, 7, T_mult=2, eta_min=1e-4)
CosineAnnealingWarmRestarts(optimizer, 1, 3)
CyclicLR(optimizer, 0.01, 0.2, 13)
CyclicLR(optimizer, [0.01, 0.02], [0.2, 0.3], step_size_up=13, step_size_down=29, mode='triangular2')
CyclicLR(optimizer, 0.01, 0.2, 10, mode='exp_range', gamma=0.99, cycle_momentum=False)
CyclicLR(optimizer, 0.01, 0.2, 10, scale_fn=lambda x: 1 / x, base_momentum=0.5, max_momentum=0.99)
CyclicLR(optimizer, 0.01, 0.2, 10, 3, scale_fn=lambda x: 0.9 ** x, scale_mode='iterations')
OneCycleLR(optimizer, 0.5, 130)
OneCycleLR(optimizer, [0.5, 0.7], epochs=11, steps_per_epoch=11, anneal_strategy='linear')
OneCycleLR(optimizer, 0.5, 121, pct_start=0.4, three_phase=True, div_factor=10, final_div_factor=100)
OneCycleLR(optimizer, 0.5, 150, pct_start=1.0 / 7, cycle_momentum=False)
OneCycleLR(optimizer, 0.5, 122, pct_start=0.25, base_momentum=[0.7, 0.8], max_momentum=[0.9, 0.99])"""
SAVED = """
first = run(scheduler, 47)
saved, kept = scheduler.state_dict(), optimizer.state_dict()
path = run(scheduler, 73)
scheduler = S.MAKE
optimizer.load_state_dict(kept)
scheduler.load_state_dict(saved)
again = run(scheduler, 73)
(path[1:] == again[1:], again[-1], state(scheduler))
"""
RESUMED = """
path = run(scheduler, 10)
scheduler = S.MAKE
run(scheduler, 60)
"""
LINES = SCHEDULERS.splitlines()
for MAKE in LINES:
    case(MAKE, "run(scheduler, 120)", name=f"{MAKE}, 120 steps")
    case(MAKE, SAVED.replace("MAKE", MAKE), name=f"{MAKE}, saved and loaded")
    RESUME = RESUMED.replace("MAKE", f"{MAKE[:-1]}, last_epoch=10)")
    case(MAKE, RESUME, name=f"{MAKE}, resumed with last_epoch")
    ASKED = "run(scheduler, 7)\nasked = scheduler.get_lr()\n(plain(asked), row(scheduler))"
    case(MAKE, ASKED, name=f"{MAKE}, get_lr() after 7 steps")
    if "total_iters=0" not in MAKE:
        RUN = "run(scheduler, 40, lambda step: (step * 7) % 40)"
        case(MAKE, RUN, name=f"{MAKE}, epochs given")
for MAKE in LINES[::2]:
    case(MAKE, "run(scheduler, 60)", TENSORS, name=f"{MAKE}, 60 steps")
    case(MAKE, "(run(scheduler, 60), state(scheduler))", optimizer=ADAM, name=f"{MAKE}, 60 steps")

# --- at the edge
for MAKE in """ConstantLR(optimizer, 1.0)
CyclicLR(optimizer, 0.01, 0.2)
OneCycleLR(optimizer, 0.5, 30, pct_start=0.0)
ReduceLROnPlateau(optimizer, factor=0.5, patience=0, eps=0.05)
ReduceLROnPlateau(optimizer, "max", 0.5, patience=3, threshold=0, threshold_mode="abs")
ReduceLROnPlateau(optimizer, "max", 0.5, patience=3, threshold=0)
SequentialLR(optimizer, [S.StepLR(optimizer, 1, 0.5), S.ExponentialLR(optimizer, 0.9)], [1])""".splitlines():
    METRIC = f", lambda step: {'1.0' if 'max' in MAKE else 'nan'}" if "Plateau" in MAKE else ""
    case(MAKE, f"run(scheduler, 20{METRIC})")
case("OneCycleLR(optimizer, 0.5, 1)", "run(scheduler, 1)")
STATE = "scheduler.load_state_dict({'last_epoch': 7, '_step_count': 0})"
case("CosineAnnealingLR(optimizer, 20, 0.01)", f"{STATE}; run(scheduler, 10)")
GROWN = """run(scheduler, 2, lambda step: nan)
optimizer.add_param_group({'params': [ow.nn.Parameter(ow.ones(1))], 'lr': 0.2})
(run(scheduler, 6, lambda step: nan), scheduler.min_lrs)"""
case("ReduceLROnPlateau(optimizer, patience=0, min_lr=0.003)", GROWN, name="a group is added")
CYCLES = "CyclicLR(optimizer, 0.01, 0.2, 5)"
OTHER = f"""scheduler.load_state_dict(S.{CYCLES[:-1]}, mode='exp_range', gamma=0.9).state_dict())
run(scheduler, 20)"""
case(CYCLES, OTHER, name=f"{CYCLES} that loads the state of another mode")
LOADED = """
before = optimizer.state_dict()
scheduler = S.OneCycleLR(optimizer, 0.5, 30)
run(scheduler, 10)
optimizer.load_state_dict(before)
plain([{k: v for k, v in g.items() if k != 'params'} for g in optimizer.state_dict()['param_groups']])
"""
case("", LOADED, name="an optimizer's state of before it had a scheduler")
case("ConstantLR(optimizer, total_iters=None)", "run(scheduler, 10)")
case("CyclicLR(optimizer, 0.1, 0.2, 4, gamma=None)", "run(scheduler, 10)")

# --- by metrics
METRICS = (
    "lambda step: 1 / (1 + step) if step < 20 else 0.05",
    "lambda step: ow.tensor(math.sin(step) + step / 50)",
    "lambda step: nan if step % 2 else 1.0",
)
for MAKE in """ReduceLROnPlateau(optimizer)
ReduceLROnPlateau(optimizer, 'max', factor=0.7, patience=2)
ReduceLROnPlateau(optimizer, 'max', 0.7, 2, 0.3, 'abs', min_lr=[0.01, 0.02])
ReduceLROnPlateau(optimizer, patience=0, threshold=0.1, threshold_mode='abs', cooldown=5, min_lr=1e-3)
ReduceLROnPlateau(optimizer, factor=-0.5, patience=3, eps=0.01)""".splitlines():
    for METRIC in METRICS:
        RUN = f"(run(scheduler, 110, {METRIC}), state(scheduler))"
        case(MAKE, RUN, name=f"{MAKE} of {METRIC}")
        HALF = f"""run(scheduler, 30, {METRIC})
saved = scheduler.state_dict()
scheduler = S.{MAKE}
scheduler.load_state_dict(saved)
run(scheduler, 60, {METRIC})"""
        case(MAKE, HALF, name=f"{MAKE} of {METRIC}, saved and loaded")
    case(MAKE, f"run(scheduler, 50, {METRICS[1]})", TENSORS, name=f"{MAKE} of {METRICS[1]}")

# --- made of others
LEAVES = (
    ("StepLR(optimizer, 10, 0.5)", "ExponentialLR(optimizer, 0.95)"),
    ("LinearLR(optimizer, 0.1, total_iters=20)", "CosineAnnealingLR(optimizer, 60)"),
    ("ConstantLR(optimizer, 0.1, 5)", "PolynomialLR(optimizer, 50, 2.0)"),
    ("LambdaLR(optimizer, lambda e: 0.9 ** e)", "CosineAnnealingWarmRestarts(optimizer, 9)"),
    ("MultiplicativeLR(optimizer, lambda e: 0.99)", "MultiStepLR(optimizer, [30, 60], 0.2)"),
)
for ONE, TWO in LEAVES:
    for MAKE in (
        f"SequentialLR(optimizer, [S.{ONE}, S.{TWO}], [25])",
        f"SequentialLR(optimizer, [S.{TWO}, S.{ONE}], milestones=[0])",
        f"SequentialLR(optimizer, [S.{ONE}, S.{TWO}, S.ExponentialLR(optimizer, 1.02)], [25, 50])",
        f"SequentialLR(optimizer, [S.{ONE}, S.ChainedScheduler([S.{TWO}, S.{ONE}])], [200])",
        f"ChainedScheduler([S.{ONE}, S.{TWO}])",
        f"ChainedScheduler([S.{ONE}, S.{TWO}], optimizer)",
    ):
        case(MAKE, "(run(scheduler, 120), state(scheduler))", name=f"{MAKE}, 120 steps")
        case(MAKE, SAVED.replace("MAKE", MAKE), name=f"{MAKE}, saved and loaded")
    case(MAKE, "run(scheduler, 60)", TENSORS, name=f"{MAKE}, 60 steps")

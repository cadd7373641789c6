"""swa_utils: averages of weights and buffers, statistics computed anew, and the way to a rate that stays."""

from reference.cases import schedulers
from reference.samples import real
from reference.table import Table

table = Table(grad=False, tol=10)
# Parameters and buffers that change from model to model, of two floating-point types and integers.
MODELS = """
U = ow.optim.swa_utils
class Model(ow.nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.v = ow.nn.Parameter(a.clone()), ow.nn.Parameter(a.double())
        self.register_buffer('mean', a.clone())
        self.register_buffer('count', ow.tensor([3, 10]))
    def forward(self, x, scale=1):
        return self.w * x * scale
    def change(self, step):
        with ow.no_grad():
            self.w.mul_(1.25).add_(step)
            self.v.mul_(-0.75)
            self.mean.sub_(step)
            self.count.add_(5)
model = Model()
average = U.AveragedModel(model, OPTIONS)
seen = []
for step in range(5):
    model.change(step)
    average.update_parameters(model)
    seen.append([t.detach().clone() for t in average.state_dict().values()])
"""
RESULT = "(list(average.state_dict()), seen, average(a, scale=2).detach())"
INPUT = {"a": real(2), "dtypes": ("float32",)}
WAYS = (
    "",
    "use_buffers=True",
    "avg_fn=U.get_swa_avg_fn()",
    "avg_fn=U.get_ema_avg_fn(0.9), use_buffers=True",
    "avg_fn=U.get_ema_avg_fn()",
    "multi_avg_fn=U.get_swa_multi_avg_fn()",
    "multi_avg_fn=U.get_ema_multi_avg_fn(0.9), use_buffers=True",
    "multi_avg_fn=U.get_ema_multi_avg_fn(1)",
    "avg_fn=U.get_ema_avg_fn(0.0)",
    "None, lambda average, now, count: ow.maximum(average, now) + count",
    "device='cpu'",
)
for OPTIONS in WAYS:
    CODE = MODELS.replace("OPTIONS", OPTIONS)
    table.case("AveragedModel", CODE + RESULT, name=f"AveragedModel({OPTIONS})", **INPUT)
AGAIN = """
other = U.AveragedModel(Model(), OPTIONS)
other.load_state_dict(average.state_dict())
model.change(7)
other.update_parameters(model)
[t.detach() for t in other.state_dict().values()]
"""
for OPTIONS in WAYS[:4]:
    CODE = (MODELS + AGAIN).replace("OPTIONS", OPTIONS)
    table.case("AveragedModel", CODE, name=f"AveragedModel({OPTIONS}), saved and loaded", **INPUT)

STATISTICS = """
net = ow.nn.Sequential(ow.nn.BatchNorm1d(2, momentum=0.3), ow.nn.ReLU(), ow.nn.BatchNorm1d(2, momentum=None))
net.MODE()
net(a)
ow.optim.swa_utils.update_bn(LOADER, net)
(net.training, net[0].momentum, net[2].momentum, [b for b in net.buffers()])
"""
BATCH = {"a": real(5, 2), "dtypes": ("float32",)}
for MODE in ("train", "eval"):
    for LOADER in ("[a, a * 2, a.exp()]", "([a, 1], (a * 2, 'y'))", "iter([a])", "[]"):
        CODE = STATISTICS.replace("MODE", MODE).replace("LOADER", LOADER)
        table.case("update_bn", CODE, name=f"update_bn({LOADER}) after {MODE}()", **BATCH)
NOTHING = "net = ow.nn.Linear(2, 2); ow.optim.swa_utils.update_bn(None, net); net.training"
table.case("update_bn", NOTHING)

# --- SWALR, with what tests of the other schedulers have
BEFORE = "S = ow.optim.swa_utils\n"
for MAKE in """SWALR(optimizer, 0.05)
SWALR(optimizer, [0.05, 0.2], 20, 'linear')
SWALR(optimizer, swa_lr=0.5, anneal_epochs=60, anneal_strategy='cos')
SWALR(optimizer, 0.05, 0)
SWALR(optimizer, 0.05, 1, 'linear')
SWALR(optimizer, -0.05, 33)""".splitlines():
    for CODE, NAME, RATES in (
        ("(run(scheduler, 120), state(scheduler))", "120 steps", schedulers.NUMBERS),
        (schedulers.SAVED.replace("MAKE", MAKE), "saved and loaded", schedulers.NUMBERS),
        ("run(scheduler, 60)", "60 steps", schedulers.TENSORS),
    ):
        MADE = f"{BEFORE}scheduler = S.{MAKE}\n{CODE}"
        schedulers.case("", MADE, RATES, name=f"{MAKE}, {NAME}", into=table)
OTHER = """S = ow.optim.swa_utils
scheduler = S.SWALR(optimizer, 0.02, 15)
scheduler.load_state_dict(S.SWALR(optimizer, 0.03, 20, 'linear').state_dict())
run(scheduler, 30)"""
schedulers.case("", OTHER, name="SWALR that loads the state of another strategy", into=table)
DECAYED = """S = ow.optim.lr_scheduler
decay = S.ExponentialLR(optimizer, 0.9)
run(decay, 10)
scheduler = ow.optim.swa_utils.SWALR(optimizer, 0.02, 15)
run(scheduler, 100)"""
schedulers.case("", DECAYED, name="SWALR after ExponentialLR", into=table)

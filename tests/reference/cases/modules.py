"""Layers and losses of nn: outputs, parameters, state_dict, printing, initialisation, utilities."""

from reference.samples import REAL, index, positive, prob, real
from reference.table import Table

table = Table()

# Fills each parameter of a layer with a fixed ramp, so that the layer's answers are known.
RAMP = """
def ramp(layer):
    with ow.no_grad():
        for n, p in enumerate(layer.parameters()):
            ramp = (ow.arange(p.numel(), dtype=ow.float64) * 7 + n) % 11 - 5
            p.copy_(ramp.div(8).view(p.shape))
    return layer
"""
FACTS = """
layer = ow.{}
shapes = [(n, p.shape, p.requires_grad) for n, p in layer.named_parameters()]
(repr(layer), shapes, [(n, b.shape) for n, b in layer.named_buffers()], list(layer.state_dict()))
"""
FLAT = {"a": real(2, 4)}
IMAGE = {"a": real(2, 4, 5, 6)}
SEQUENCE = {"a": real(2, 4, 7)}
TRAINED = {
    "nn.Linear(4, 3)": FLAT,
    "nn.Linear(4, 3, bias=False)": FLAT,
    "nn.Linear(in_features=4, out_features=2)": FLAT,
    "nn.Conv1d(4, 3, 2)": SEQUENCE,
    "nn.Conv1d(4, 2, 3, stride=2, padding=1, groups=2)": SEQUENCE,
    "nn.Conv2d(4, 3, 3)": IMAGE,
    "nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=1, bias=False)": IMAGE,
    "nn.Conv2d(4, 4, 3, padding='same', groups=4)": IMAGE,
    "nn.Conv2d(4, 2, 3, padding=1, padding_mode='circular')": IMAGE,
    "nn.ConvTranspose2d(4, 3, 3, stride=2, output_padding=1)": IMAGE,
    "nn.BatchNorm2d(4)": IMAGE,
    "nn.BatchNorm2d(4, eps=0.1, momentum=0.5)": IMAGE,
    "nn.BatchNorm2d(4, track_running_stats=False)": IMAGE,
    "nn.BatchNorm1d(4)": SEQUENCE,
    "nn.LayerNorm(4)": FLAT,
    "nn.LayerNorm((5, 6), eps=1e-3)": IMAGE,
    "nn.LayerNorm(4, bias=False)": FLAT,
    "nn.GroupNorm(2, 4)": IMAGE,
    "nn.Sequential(ow.nn.Linear(4, 3), ow.nn.ReLU(), ow.nn.Linear(3, 2))": FLAT,
    "nn.Sequential(ow.nn.Conv2d(4, 2, 3), ow.nn.BatchNorm2d(2), ow.nn.ReLU())": IMAGE,
}
PLAIN = {
    "nn.BatchNorm2d(4, affine=False)": IMAGE,
    "nn.LayerNorm(4, elementwise_affine=False)": FLAT,
    "nn.GroupNorm(2, 4, affine=False)": IMAGE,
    "nn.MaxPool2d(2)": IMAGE,
    "nn.MaxPool2d(3, stride=2, padding=1)": IMAGE,
    "nn.AvgPool2d(2)": IMAGE,
    "nn.AdaptiveAvgPool2d((2, 3))": IMAGE,
    "nn.AdaptiveAvgPool2d(1)": IMAGE,
    "nn.Flatten()": IMAGE,
    "nn.Flatten(2)": IMAGE,
    "nn.Unflatten(1, (2, 2))": FLAT,
    "nn.Identity()": FLAT,
    "nn.ReLU()": FLAT,
    "nn.GELU()": FLAT,
    "nn.GELU(approximate='tanh')": FLAT,
    "nn.SiLU()": FLAT,
    "nn.Sigmoid()": FLAT,
    "nn.Tanh()": FLAT,
    "nn.Softplus(beta=2)": FLAT,
    "nn.LeakyReLU(0.2)": FLAT,
    "nn.ELU(alpha=0.5)": FLAT,
    "nn.Hardtanh(-0.5, 0.5)": FLAT,
    "nn.Softmax(dim=1)": FLAT,
    "nn.LogSoftmax(dim=-1)": FLAT,
    "nn.Dropout(0.0)": FLAT,
    "nn.Dropout(0.5).eval()": FLAT,
}
for make, inputs in (TRAINED | PLAIN).items():
    call = f"{RAMP}layer = ramp(ow.{make}.to(a.dtype)); "
    table.case("layer", f"{call}layer(a)", name=make, dtypes=REAL, **inputs)
    grads = "ow.autograd.backward(layer(a).pow(2).sum()); [p.grad for p in layer.parameters()]"
    if make in TRAINED:
        table.case("layer", call + grads, name=f"{make} parameter gradients", grad=False, **inputs)
    table.case("layer", FACTS.format(make), name=f"{make} facts")
for mode in ("train", "eval"):
    steps = f"layer(a); layer.{mode}(); (layer(a * 2), dict(layer.state_dict()))"
    code = f"{RAMP}layer = ramp(ow.nn.BatchNorm2d(4).double()); {steps}"
    table.case("layer", code, name=f"BatchNorm2d running statistics, {mode}", **IMAGE)
EMBEDDINGS = ("nn.Embedding(5, 3)", "nn.Embedding(5, 3, padding_idx=1)")
for make in EMBEDDINGS:
    steps = "layer(i).sum().backward(); (layer(i), layer.weight.grad, repr(layer))"
    code = f"{RAMP}layer = ramp(ow.{make}); {steps}"
    table.case("layer", code, name=make, i=index(5, 2, 3), grad=False)

LOSSES = {
    "CrossEntropyLoss()": "a, t",
    "CrossEntropyLoss(label_smoothing=0.1)": "a, t",
    "CrossEntropyLoss(weight=w, ignore_index=1, reduction='sum')": "a, t",
    "NLLLoss()": "a.log_softmax(1), t",
    "MSELoss()": "a, b",
    "MSELoss(reduction='none')": "a, b",
    "L1Loss()": "a, b",
    "SmoothL1Loss(beta=0.5)": "a, b",
    "BCEWithLogitsLoss()": "a, b",
    "BCEWithLogitsLoss(pos_weight=w)": "a, b",
}
PAIR = {"a": real(4, 3), "b": prob(4, 3), "t": index(3, 4), "w": positive(3, grad=False)}
for make, arguments in LOSSES.items():
    table.case("loss", f"loss = ow.nn.{make}; loss({arguments})", name=make, **PAIR)
    table.case("loss", f"w = ow.ones(3); repr(ow.nn.{make})", name=f"{make} repr")

# Initialisation: exact where it is exact, statistics where it is random
INIT = {
    "constant_": "ow.nn.init.constant_(p, 2.5)",
    "zeros_": "ow.nn.init.zeros_(p)",
    "ones_": "ow.nn.init.ones_(p)",
    "eye_": "ow.nn.init.eye_(p)",
}
for name, code in INIT.items():
    table.case("init", f"p = ow.empty(3, 4); r = {code}; (r is p, p)", name=name)
BOUNDED = {
    "uniform_(p, -0.5, 0.5)": (0.5, 0.5 / 3**0.5),
    "xavier_uniform_(p)": ((6 / 500) ** 0.5, (2 / 500) ** 0.5),
    "xavier_uniform_(p, gain=2.0)": (2 * (6 / 500) ** 0.5, 2 * (2 / 500) ** 0.5),
    "kaiming_uniform_(p, a=5 ** 0.5)": (200**-0.5, (600) ** -0.5),
    "kaiming_uniform_(p, nonlinearity='relu')": ((6 / 200) ** 0.5, (2 / 200) ** 0.5),
    "kaiming_uniform_(p, mode='fan_out')": ((6 / 300) ** 0.5, (2 / 300) ** 0.5),
    "normal_(p, 0, 0.02)": (0.15, 0.02),
    "xavier_normal_(p)": (0.5, (2 / 500) ** 0.5),
    "kaiming_normal_(p)": (0.8, (2 / 200) ** 0.5),
    "trunc_normal_(p, std=0.02)": (2.0, 0.02),
}
for call, (bound, std) in BOUNDED.items():
    code = (
        f"ow.manual_seed(0); p = ow.empty(300, 200); r = ow.nn.init.{call}; "
        f"(r is p, p.abs().max().item() <= {bound:.6f} + 1e-6, "
        f"abs(p.std().item() / {std:.6f} - 1) < 0.02, abs(p.mean().item()) < {std / 50:.6f})"
    )
    table.case("init", code, name=call)
for gain in ("'relu'", "'tanh'", "'linear'", "'sigmoid'", "'leaky_relu', 0.2", "'leaky_relu'"):
    table.case("init", f"ow.nn.init.calculate_gain({gain})")
DEFAULTS = {
    "Linear(200, 300)": 200**-0.5,
    "Conv2d(8, 64, 5)": 200**-0.5,
    "Conv1d(40, 300, 5)": 200**-0.5,
}
for make, bound in DEFAULTS.items():
    code = (
        f"ow.manual_seed(0); layer = ow.nn.{make}; w, b = layer.weight, layer.bias; "
        f"(w.abs().max().item() <= {bound:.6f} + 1e-6, b.abs().max().item() <= {bound:.6f} + 1e-6, "
        f"abs(w.std().item() / {bound / 3**0.5:.6f} - 1) < 0.03)"
    )
    table.case("init", code, name=f"{make} by default")
table.case(
    "init",
    "ow.manual_seed(0); p = ow.nn.Embedding(300, 200).weight; abs(p.std().item() - 1) < 0.02",
    name="Embedding by default",
)

# Utilities on parameters
CLIP = """
ps = [ow.nn.Parameter(ow.ones(n, dtype=ow.float64)) for n in (2, 3, 1)]
ps[0].grad, ps[1].grad = a[0, :2].clone(), a[1].clone()
n = ow.nn.utils.{}
(n, [p.grad for p in ps])
"""
for call in (
    "clip_grad_norm_(ps, 1.0)",
    "clip_grad_norm_(ps, 100.0)",
    "clip_grad_norm_(ps, 0.5, norm_type=1)",
    "clip_grad_norm_(ps, 0.5, norm_type=inf)",
    "clip_grad_norm_(ps[0], 0.1)",
    "clip_grad_value_(ps, 0.5)",
):
    table.case("utils", CLIP.format(call), name=call, a=real(2, 3), grad=False)
VECTOR = """
ps = [ow.nn.Parameter(a[0].clone()), ow.nn.Parameter(a.clone())]
v = ow.nn.utils.parameters_to_vector(ps)
ow.nn.utils.vector_to_parameters(v * 2, ps)
(v, ps[0].detach(), ps[1].detach())
"""
table.case("utils", VECTOR, name="parameters_to_vector", a=real(2, 3), grad=False)

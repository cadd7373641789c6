"""What nn.utils does to modules: pruned parameters, and orthogonal ones."""

from reference.cases.modules import RAMP
from reference.samples import real
from reference.table import Table

table = Table()

# --- pruning ----------------------------------------------------------------------------------------------
IMPORTED = "from importlib import import_module; P = import_module(ow.__name__ + '.nn.utils.prune')"
BEGIN = f"{RAMP}{IMPORTED}; layer = ow.nn.Linear(4, 3).to(a.dtype); "
FILL = "layer.weight.data.copy_(a * (1 + ow.arange(12).to(a.dtype).view(3, 4) / 7)); "
SHOWN = """
facts = [type(h).__name__ for h in layer._forward_pre_hooks.values()], P.is_pruned(layer)
values = sorted(layer.state_dict().items())
layer(ow.ones(4, dtype=a.dtype)).sum().backward()
(facts, layer.weight.detach(), [list(pair) for pair in values], [p.grad for p in layer.parameters()])
"""
STEPS = (
    "P.identity(layer, 'weight')",
    "P.l1_unstructured(layer, 'weight', 0.4)",
    "P.l1_unstructured(layer, 'weight', 5)",
    "P.l1_unstructured(layer, 'weight', 0)",
    "P.l1_unstructured(layer, 'weight', 1.0)",
    "P.l1_unstructured(layer, 'weight', 3, importance_scores=ow.arange(12).view(3, 4) * 1.0)",
    "P.ln_structured(layer, 'weight', 1, 2, 0)",
    "P.ln_structured(layer, 'weight', 0.5, 1, -1)",
    "P.ln_structured(layer, 'weight', 2, float('inf'), 1)",
    "P.ln_structured(layer, 'weight', 0, 2, 1)",
    "P.ln_structured(layer, 'weight', 1, 'fro', 1)",
    "P.custom_from_mask(layer, 'bias', ow.tensor([1, 0, 1]))",
    "P.l1_unstructured(layer, 'weight', 3); P.l1_unstructured(layer, 'weight', 0.5)",
    "P.ln_structured(layer, 'weight', 1, 2, 0); P.ln_structured(layer, 'weight', 1, 2, 0)",
    "P.l1_unstructured(layer, 'weight', 4); P.ln_structured(layer, 'weight', 2, 1, 1); "
    "P.custom_from_mask(layer, 'weight', ow.eye(3, 4))",
    "P.l1_unstructured(layer, 'weight', 4); P.remove(layer, 'weight')",
    "P.l1_unstructured(layer, 'weight', 4); import copy; layer = copy.deepcopy(layer)",
    "P.global_unstructured([(layer, 'weight'), (layer, 'bias')], P.L1Unstructured, amount=6)",
    "P.l1_unstructured(layer, 'weight', 2); "
    "P.global_unstructured([(layer, 'weight'), (layer, 'bias')], P.L1Unstructured, amount=0.25)",
    "P.global_unstructured([(layer, 'weight'), (layer, 'bias')], P.L1Unstructured, amount=3, "
    "importance_scores={(layer, 'bias'): ow.ones(3, dtype=a.dtype) * 1e-6})",
)
FILL_BIAS = "layer.bias.data.copy_(a[:, 0] / 3); "
for step in STEPS:
    code = f"{BEGIN}{FILL}{FILL_BIAS}{step}\n{SHOWN}"
    table.case("prune", code, name=step, grad=False, dtypes=("float64", "float32"), a=real(3, 4))
for step in (
    "P.random_unstructured(layer, 'weight', 5); (layer.weight == 0).sum()",
    "P.random_structured(layer, 'weight', 2, 1); (layer.weight.sum(0) == 0).sum()",
    "P.L1Unstructured(3).prune(a)",
    "P.LnStructured(1, 2, 0).prune(a, importance_scores=-a * a)",
    "P.L1Unstructured(0.5).prune(a, default_mask=ow.eye(3, 4, dtype=a.dtype))",
    "(len(P.PruningContainer()), len(P.PruningContainer(P.Identity())))",
):
    table.case("prune", f"{BEGIN}{FILL}{step}", name=step, grad=False, a=real(3, 4))
for wrong in (
    *("P.l1_unstructured(layer, 'weight', '3')", "P.l1_unstructured(layer, 'weight', -1)"),
    *("P.l1_unstructured(layer, 'weight', 1.5)", "P.l1_unstructured(layer, 'weight', 13)"),
    *("P.ln_structured(layer, 'weight', 1, 2, 2)", "P.ln_structured(layer, 'weight', 1, 2, -3)"),
    *("P.ln_structured(layer, 'weight', 4, 2, 0)", "P.ln_structured(layer, 'bias', 1, 2, 0)"),
    *("P.custom_from_mask(layer, 'weight', ow.ones(3))", "P.remove(layer, 'weight')"),
    "P.l1_unstructured(layer, 'weight', 1, importance_scores=ow.ones(3))",
    "P.global_unstructured([(layer, 'weight')], P.LnStructured, amount=1, n=2)",
    "P.global_unstructured([(layer, 'weight')], P.L1Unstructured, [1], amount=1)",
    "P.global_unstructured(3, P.L1Unstructured, amount=1)",
    "P.PruningContainer().add_pruning_method(3)",
):
    table.case("prune", BEGIN + wrong, name=wrong, raises=True, a=real(3, 4))

# --- orthogonal weights -----------------------------------------------------------------------------------
MAKE = "layer = ow.nn.Linear({k}, {n}, bias=False).to(a.dtype); O = ow.nn.utils.parametrizations.orthogonal; "
SETS = "layer.parametrizations.weight.original.data.copy_(a); "
ENDS = (
    "layer(ow.linspace(-1, 1, {k}, dtype=a.dtype)).pow(3).sum().backward(); "
    "(layer.weight.detach(), layer.parametrizations.weight.original.grad)"
)
SIGNS = "{set}layer.parametrizations.weight.original.data.diagonal().sign_(); "
for n, k in ((4, 4), (5, 3), (3, 5), (2, 1)):
    for which in ("matrix_exp", "cayley", "householder"):
        made = f"{MAKE}O(layer, orthogonal_map='{which}', use_trivialization=False); {SIGNS}{ENDS}"
        code = made.format(n=n, k=k, set=SETS)
        name = f"orthogonal {which} {n} {k}"
        table.case(
            "orthogonal",
            code,
            name=name,
            grad=False,
            dtypes=("float64", "float32"),
            tol=64,
            a=real(n, k),
        )
NEAR = "(layer.weight - q).abs().max() < 1e-12"
ROTATION = "q = ow.linalg.svd(a, full_matrices=False)[0]; "
for n, k in ((4, 4), (5, 3)):
    made = MAKE.format(n=n, k=k) + ROTATION
    for which in ("None", "'cayley'", "'householder'"):
        code = f"{made}layer.weight.data.copy_(q); O(layer, orthogonal_map={which}); {NEAR}"
        table.case("orthogonal", code, name=f"begins {which} {n} {k}", grad=False, a=real(n, k))
    plain = "O(layer, orthogonal_map='householder', use_trivialization=False)"
    code = f"{made}{plain}; layer.weight = q; {NEAR}"
    table.case("orthogonal", code, name=f"assigned {n} {k}", grad=False, a=real(n, k))
STACKED = """
class Scaled(ow.nn.Module):
    def forward(self, x): return x * 0.5
    def right_inverse(self, x): return x * 2

P = ow.nn.utils.parametrize
layer = ow.nn.Linear(3, 3, dtype=ow.float64)
layer.weight.data.copy_(a)
for _ in range(2): P.register_parametrization(layer, 'weight', Scaled())
"""
for then in ("layer.weight", "layer.weight = a"):
    code = f"{STACKED}\n{then}; (layer.weight, layer.parametrizations.weight.original)"
    table.case("parametrize", code, name=f"stacked {then}", grad=False, a=real(3, 3))
for given in ("x[0]", "x.float()", "[x]"):
    code = STACKED.replace("return x * 2", f"return {given}").replace("range(2)", "range(1)")
    unsafe = code.replace("Scaled())", "Scaled(), unsafe=True)")
    code = f"{unsafe}\nP.register_parametrization(layer, 'weight', Scaled())"
    name = f"stacked, whose right_inverse gives {given}"
    table.case("parametrize", code, name=name, grad=False, raises=True, a=real(3, 3))
for wrong in (
    *("O(layer, 'none')", "O(layer, 'bias')", "O(layer, orthogonal_map='qr')"),
    "O(layer, orthogonal_map='cayley', use_trivialization=False); layer.weight = a",
    "O(layer, orthogonal_map='cayley'); layer.weight = a[:, :2]",
    "ow.nn.utils.parametrize.register_parametrization(layer, 'weight', ow.nn.Tanh()); layer.weight = a",
    "layer.register_parameter('v', ow.nn.Parameter(a[0])); O(layer, 'v')",
):
    code = MAKE.format(n=3, k=3) + wrong
    table.case("orthogonal", code, name=wrong, raises=True, a=real(3, 3))

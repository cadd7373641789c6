"""`import functorch`, which PyTorch brings along (opweave/as_torch/functorch.py)."""

from support.programs import run

PROGRAM = """
import warnings

import torch
import functorch
from functorch import combine_state_for_ensemble, grad, make_functional, make_functional_with_buffers, vmap

warnings.simplefilter("ignore")
x = torch.randn(5, 3)
model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Tanh())
function, params = make_functional(model)
print(torch.equal(function(params, x), model(x)), [p.requires_grad for p in params], functorch.vmap is vmap)
params[0].data.zero_()  # a copy
print(model[0].weight.abs().sum() > 0, function.param_names)
_, frozen = make_functional(model, disable_autograd_tracking=True)
each = vmap(grad(lambda p, one: function(p, one).sum()), (None, 0))(frozen, x)
print([tuple(g.shape) for g in each], [p.requires_grad for p in frozen])

normed = torch.nn.BatchNorm1d(3)
function, params, buffers = make_functional_with_buffers(normed.eval())
print(torch.equal(function(params, buffers, x), normed(x)), function.buffer_names)
function, params, buffers = combine_state_for_ensemble([torch.nn.Linear(3, 2) for _ in range(4)])
print(vmap(function, (0, 0, None))(params, buffers, x).shape, params[0].shape, params[0].requires_grad)
for call in (lambda: make_functional(normed), lambda: combine_state_for_ensemble([])):
    try:
        call()
    except RuntimeError as error:
        print(error)
warnings.simplefilter("error")
try:
    make_functional(model)
except FutureWarning as warning:
    print(warning)
try:
    import functorch.compile
except ModuleNotFoundError as error:
    print(error)
"""


def test_modules_as_functions(tmp_path):
    said, errors = run(tmp_path, PROGRAM)
    assert said.splitlines() == [
        "True [True, True] True",
        "tensor(True) ('0.weight', '0.bias')",
        "[(5, 2, 3), (5, 2)] [False, False]",
        "True ('running_mean', 'running_var', 'num_batches_tracked')",
        "torch.Size([4, 5, 2]) torch.Size([4, 2, 3]) False",
        "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) "
        "instead.",
        "combine_state_for_ensemble: Expected at least one model, got 0.",
        "`functorch.make_functional` is deprecated as of PyTorch 2.0; use `torch.func.functional_call` "
        "instead",
        "No module named 'functorch.compile'",
    ], errors

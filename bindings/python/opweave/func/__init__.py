"""Function transforms, after torch.func: derivatives and batches of functions, composed freely."""

from opweave.func._derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, vjp
from opweave.func._forward import jvp
from opweave.func._modules import functional_call
from opweave.func._stacking import replace_all_batch_norm_modules_, stack_module_state
from opweave.func._views import functionalize, linearize
from opweave.func._vmap import vmap

__all__ = [
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

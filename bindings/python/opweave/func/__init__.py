"""Function transforms, after torch.func: derivatives and batches of functions, composed freely."""

from opweave.func._derivatives import grad, grad_and_value, hessian, jacfwd, jacrev, vjp
from opweave.func._forward import jvp
from opweave.func._modules import functional_call
from opweave.func._vmap import vmap

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "vjp",
    "vmap",
]

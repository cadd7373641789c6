"""Adafactor."""

from opweave import _C
from opweave._dtype_info import finfo
from opweave._grad_mode import no_grad
from opweave.functional import where
from opweave.optim._for_subclasses import _to_scalar
from opweave.optim._forms import check_form
from opweave.optim._stateful import StatefulOptimizer, zeros


class Adafactor(StatefulOptimizer):
    """Shazeer and Stern, "Adafactor: Adaptive Learning Rates with Sublinear Memory Cost" (ICML 2018).

    Of a parameter of two or more dimensions the state is a mean for each row and each column of its last two.
    As in PyTorch the learning rate is an upper bound, and `eps[0]` None the dtype's own.
    """

    _of_older_states = {"foreach": None}

    def __init__(
        self,
        params,
        lr=1e-2,
        beta2_decay=-0.8,
        eps=(None, 1e-3),
        d=1.0,
        weight_decay=0.0,
        *,
        foreach=None,
        maximize=False,
    ):
        if isinstance(lr, _C.Tensor) and lr.numel() != 1:
            raise ValueError(f"Tensor lr must be 1-element, got one of {lr.numel()} elements")
        _check(lr >= 0, "Learning rate should be >= 0", lr)
        _check(beta2_decay <= 0, "beta2_decay should be <= 0", beta2_decay)
        _check(len(eps) == 2, "eps should be two numbers", eps)
        _check(eps[0] is None or eps[0] >= 0, "epsilon1 should be >= 0", eps[0])
        _check(eps[1] >= 0, "epsilon2 should be >= 0", eps[1])
        _check(d >= 1, "Clipping threshold d should be >= 1", d)
        _check(weight_decay >= 0, "weight_decay should be >= 0", weight_decay)
        super().__init__(params, {
            "lr": lr, "beta2_decay": beta2_decay, "eps": eps, "d": d, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize,
        })  # fmt: skip

    def _update(self, group, params, grads):
        for param, grad in zip(params, grads, strict=True):
            state = self._state_of(group, param)
            _update_one(group, state, param, -grad if group["maximize"] else grad)

    def _fresh(self, group, param):
        if param.dim() < 2:
            return {"variance": zeros(param)}
        rows, columns = list(param.shape), list(param.shape)
        rows[-1], columns[-2] = 1, 1
        return {"row_var": param.new_zeros(rows), "col_var": param.new_zeros(columns)}


_PART = 1 << 16  # elements
_NARROW = (_C.bfloat16, _C.float16)


def _check(holds, text, value):
    if not holds:
        raise ValueError(f"{text} but is: {value}")


def _update_one(group, state, param, grad):
    """One step of one parameter. Nothing waits for its device: what is computed of tensors stays one."""
    lr = _to_scalar(group["lr"])
    smallest = group["eps"][0]
    if smallest is None:
        smallest = finfo(param.dtype).eps
    state["step"] += 1
    step = state["step"].item()  # on the host
    rate = _at_least(_root_mean_square(param), group["eps"][1]) * _at_most(lr, step**-0.5)
    if group["weight_decay"] != 0:
        param.mul_(1 - lr * group["weight_decay"])
    update = _update_of(state, grad, step ** group["beta2_decay"], smallest)
    clipped = _at_least(_root_mean_square(update).div_(group["d"]), 1.0)
    _subtract(param, update, rate.div_(clipped))


def _at_least(value, bound):
    """A NaN is below it, as in Python's max() of the bound and a number, by which PyTorch does this."""
    return where(value > bound, value, bound)


def _at_most(lr, bound):
    return lr.clamp(max=bound).squeeze() if isinstance(lr, _C.Tensor) else min(lr, bound)


def _root_mean_square(tensor):
    """A tensor of one element, of float32 at least: the norm has the tensor's dtype."""
    norm = tensor.norm(2)
    return (norm.float() if norm.dtype in _NARROW else norm).div_(tensor.numel() ** 0.5)


def _subtract(param, update, factor):
    """`param -= factor * update`, rounded once; an operator would round the factor to the parameter's
    dtype."""
    if param.dtype in _NARROW:
        param.copy_(_C.addcmul(param.float(), update.float(), factor, value=-1))
    else:
        param.addcmul_(update, factor, value=-1)


def _update_of(state, grad, weight, smallest):
    """The gradient over the root of an estimate of each element's variance."""
    if "variance" not in state:
        variance = _variance_of_matrix(state, grad, weight, smallest)
        return variance.clamp_(min=smallest * smallest).rsqrt_().mul_(grad)
    whole = [state["variance"], grad, _C.empty_like(grad)]
    # In parts, which stay in the processor's cache from one operator to the next.
    parts = zip(*(t.split(_PART) if t.dim() else [t] for t in whole), strict=True)
    for variance, gradient, update in parts:
        variance.lerp_(_C.mul(gradient, gradient, out=update), weight)
        _C.clamp(variance, min=smallest * smallest, out=update).rsqrt_().mul_(gradient)
    return whole[-1]


def _variance_of_matrix(state, grad, weight, smallest):
    """The outer product of what is kept of rows and columns."""
    rows, columns = state["row_var"], state["col_var"]
    rows.lerp_(grad.square().mean(-1, keepdim=True), weight)
    columns.lerp_(grad.square().mean(-2, keepdim=True), weight)
    return (rows @ columns).div_(rows.mean(-2, keepdim=True).clamp_(min=smallest))


def adafactor(
    params,
    grads,
    row_vars,
    col_vars,
    variances,
    state_steps,
    foreach=None,
    grad_scale=None,
    found_inf=None,
    has_complex=False,
    *,
    d,
    lr,
    beta2_decay,
    weight_decay,
    eps1,
    eps2,
    maximize,
):
    """One step of Adafactor on lists of tensors, in place."""
    check_form("adafactor", state_steps, False, grad_scale, found_inf)
    group = {
        "lr": lr,
        "eps": (eps1, eps2),
        "weight_decay": weight_decay,
        "beta2_decay": beta2_decay,
        "d": d,
    }
    with no_grad():
        for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
            state = {"step": state_steps[i]}
            if param.dim() > 1:
                state.update(row_var=row_vars[i], col_var=col_vars[i])
            else:
                state["variance"] = variances[i]
            _update_one(group, state, param, -grad if maximize else grad)

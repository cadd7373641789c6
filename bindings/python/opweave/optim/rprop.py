"""Rprop."""

from opweave import _C
from opweave.optim import _recorded
from opweave.optim._elementwise import ElementwiseOptimizer
from opweave.optim._forms import check_form, step_lists
from opweave.optim._stateful import check_learning_rate, zeros


class Rprop(ElementwiseOptimizer):
    """Steps by the signs of gradients: Riedmiller and Braun, "A Direct Adaptive Method for Faster
    Backpropagation Learning: The RPROP Algorithm" (1993).
    """

    _operator = "_fused_rprop_"
    _recorded = staticmethod(_recorded.rprop)
    _states = {"prevs": "prev", "step_sizes": "step_size"}

    def __init__(
        self,
        params,
        lr=1e-2,
        etas=(0.5, 1.2),
        step_sizes=(1e-6, 50),
        *,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        check_learning_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        if not isinstance(step_sizes, (tuple, list)) or len(step_sizes) != 2:
            raise ValueError(f"step_sizes: expected the least and the largest, got {step_sizes}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach,
            "maximize": maximize, "differentiable": differentiable, "capturable": capturable,
        })  # fmt: skip

    def _fresh(self, group, param):
        return {"prev": zeros(param), "step_size": _C.full_like(param, float(group["lr"]))}

    def _numbers(self, group):
        (shrinks, grows), (least, most) = group["etas"], group["step_sizes"]
        return {
            "etaminus": shrinks, "etaplus": grows, "step_size_min": least, "step_size_max": most,
        }  # fmt: skip


def rprop(
    params,
    grads,
    prevs,
    step_sizes,
    state_steps,
    foreach=None,
    capturable=False,
    maximize=False,
    differentiable=False,
    has_complex=False,
    *,
    step_size_min,
    step_size_max,
    etaminus,
    etaplus,
):
    """One step of Rprop on lists of tensors, in place."""
    check_form("rprop", state_steps, differentiable)
    step_lists(
        "_fused_rprop_",
        params,
        grads,
        [prevs, step_sizes],
        {"steps": state_steps},
        step_size_min=step_size_min,
        step_size_max=step_size_max,
        etaminus=etaminus,
        etaplus=etaplus,
        maximize=maximize,
    )

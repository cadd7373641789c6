"""Optimisers that keep something beside each parameter: where that begins, how old files have it."""

from opweave import _C
from opweave._C import Tensor
from opweave.optim.optimizer import Optimizer, _get_scalar_dtype, check_at_least

_OF_COUNTS = (_C.float32, _C.float64)


def check_learning_rate(lr):
    """ValueError for one below 0, and for a tensor of several."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError(f"Tensor lr must be 1-element, got one of {lr.numel()} elements")
    check_at_least("learning rate", lr)


def check_betas(betas, most=2):
    """ValueError for one that is not in [0, 1); IndexError, or what the container raises, where one lacks."""
    for i in range(2):
        try:
            beta = betas[i]
        except (IndexError, KeyError) as error:
            raise type(error)(f"Invalid betas: expected two numbers, got {betas!r}") from None
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
    if most is not None and len(betas) > most:
        raise ValueError(f"Invalid betas: expected two numbers, got {betas!r}")


def count(value, group=None):
    """A number that is kept beside a parameter, as PyTorch keeps it: a tensor of float32 or float64."""
    is_fused = group is not None and group.get("fused")
    return _C.tensor(float(value), dtype=_get_scalar_dtype(is_fused))


def zeros(param):
    """A state of zeros."""
    return _C.zeros_like(param)


class StatefulOptimizer(Optimizer):
    """Base of optimisers with a state for each parameter.

    `_counts` are the numbers in it, by the names that operators have for lists of them; they are tensors of
    one element of float32 or float64. `_begins_with` is what a state has that has begun.
    """

    _counts: dict[str, str] = {"steps": "step"}
    _begins_with = "step"
    _of_older_states = {
        **dict.fromkeys(
            (
                *("amsgrad", "nesterov", "centered", "maximize", "capturable", "differentiable"),
                "decoupled_weight_decay",
            ),
            False,
        ),
        "foreach": None,
        "fused": None,
    }

    def _fresh(self, group, param):
        """The state of a parameter before its first step, beside the count of steps."""
        raise NotImplementedError

    def _is_new(self, param):
        """Whether nothing has been kept. What has lost its count is no beginning: KeyError, as in PyTorch."""
        state = self.state.get(param, {})
        return not state if self._begins_with == "step" else state.get(self._begins_with) is None

    def _state_of(self, group, param):
        state = self.state[param]
        if self._is_new(param):
            if self._begins_with == "step":
                state["step"] = count(0, group)
            state.update(self._fresh(group, param))
        for name in self._counts.values():
            # A saved state becomes of the parameter's dtype, and programs write to it.
            if getattr(state[name], "dtype", None) not in _OF_COUNTS:
                state[name] = count(state[name], group)
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for param in group["params"]:
                self._renew_counts(group, self.state.get(param, {}))

    def _renew_counts(self, group, state):
        """Counts of files that are older than counts in tensors."""
        for name in self._counts.values():
            if name in state and not isinstance(state[name], Tensor):
                state[name] = count(state[name], group)

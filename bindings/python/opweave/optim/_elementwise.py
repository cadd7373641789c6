"""Optimisers that treat every element alike: state beside each parameter, one operator for a whole step."""

import opweave
from opweave._C import Tensor
from opweave.optim._fused import call_fused
from opweave.optim.optimizer import Optimizer, check_at_least


def check_learning_rate(lr):
    """ValueError for one below 0, and for a tensor of several."""
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ValueError(f"Tensor lr must be 1-element, got one of {lr.numel()} elements")
    check_at_least("learning rate", lr)


def check_betas(betas):
    """ValueError for one that is not in [0, 1)."""
    for i, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {i}: {beta}")


class ElementwiseOptimizer(Optimizer):
    """Base of optimisers whose step is one fused operator.

    `_operator` names it. Of each parameter it has the states `_states`, by the operator's names of their
    lists, which have the parameter's sizes, and the numbers `_counts`, tensors of one float32 element,
    likewise.
    """

    _operator: str
    _states: dict[str, str]
    _counts: dict[str, str] = {}

    def _fresh(self, group, param):
        """The state of a parameter before its first step, beside the steps."""
        raise NotImplementedError

    def _numbers(self, group):
        """The operator's numbers."""
        raise NotImplementedError

    def _needs(self, group, state):
        """Whether a state is used with a group's settings."""
        return True

    def _state_of(self, group, param):
        state = self.state[param]
        if not state:
            state["step"] = opweave.tensor(0.0)
            state.update(self._fresh(group, param))
        for name in self._counts.values():
            if (
                state[name].dtype != opweave.float32
            ):  # a saved state becomes of the parameter's dtype
                state[name] = state[name].float()
        return state

    def _update(self, group, params, grads):
        states = [self._state_of(group, param) for param in params]
        lists = [
            [s[name] for s in states] if self._needs(group, name) else []
            for name in self._states.values()
        ]
        counts = {
            argument: [s[name] for s in states]
            for argument, name in {**self._counts, "steps": "step"}.items()
        }
        call_fused(
            getattr(opweave._C, self._operator),
            params,
            grads,
            *lists,
            **counts,
            **self._numbers(group),
            maximize=group["maximize"],
        )


def zeros(param):
    """A state of zeros."""
    return opweave.zeros_like(param)

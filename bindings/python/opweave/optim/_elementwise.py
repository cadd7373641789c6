"""Optimisers that treat every element alike: state beside each parameter, one operator for a whole step."""

from opweave import _C
from opweave.optim import _recorded
from opweave.optim._for_subclasses import _get_capturable_supported_devices
from opweave.optim._fused import call_fused
from opweave.optim._stateful import StatefulOptimizer


class ElementwiseOptimizer(StatefulOptimizer):
    """Base of optimisers whose step is one fused operator.

    `_operator` names it. Of each parameter it has the states `_states`, by the operator's names of their
    lists, which have the parameter's sizes, and the numbers `_counts`. `_recorded` computes the same where
    autograd records steps.
    """

    _operator: str
    _recorded: staticmethod
    _states: dict[str, str]

    def _numbers(self, group):
        """The operator's numbers."""
        raise NotImplementedError

    def _needs(self, group, state):
        """Whether a state is used with a group's settings."""
        return True

    def _update(self, group, params, grads):
        if group.get("capturable") and not group.get("fused"):
            self._check_captured(params)
        if not group["differentiable"]:
            self._update_together(group, params, grads)
            return
        for param, grad in zip(params, grads, strict=True):
            state = self._state_to_record(group, param)
            _recorded.apply(self._recorded, group, param, grad, state)

    def _check_captured(self, params):
        devices = _get_capturable_supported_devices()
        other = next((p.device for p in params if p.device.type not in devices), None)
        if other is not None:
            raise AssertionError(
                f"{type(self).__name__}.step: if capturable=True, params and their state must be on "
                f"supported devices: {devices}, but got a parameter on {other}"
            )

    def _state_to_record(self, group, param):
        return self._state_of(group, param)

    def _update_together(self, group, params, grads, **more):
        has_state = self._counts or any(self._needs(group, name) for name in self._states.values())
        states = [self._state_of(group, p) if has_state else {} for p in params]
        numbers = {**self._numbers(group), **more, "maximize": group["maximize"]}
        for chosen in self._of_one_dtype(states):
            self._call(
                group,
                [params[i] for i in chosen],
                [grads[i] for i in chosen],
                [states[i] for i in chosen],
                numbers,
            )

    def _of_one_dtype(self, states):
        """Places of parameters whose counts have the same dtypes: those of some may come from elsewhere."""
        alike = {}
        for i, state in enumerate(states):
            key = tuple([state[name].dtype for name in self._counts.values()])
            alike.setdefault(key, []).append(i)
        return alike.values()

    def _call(self, group, params, grads, states, numbers):
        lists = [
            [s[name] for s in states] if self._needs(group, name) else []
            for name in self._states.values()
        ]
        counts = {argument: [s[name] for s in states] for argument, name in self._counts.items()}
        call_fused(getattr(_C, self._operator), params, grads, *lists, **counts, **numbers)

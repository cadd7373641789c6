"""What compression leaves behind of each gradient, and adds to the next one.

The method is that of F. Seide et al., 1-Bit Stochastic Gradient Descent (Interspeech 2014).
"""

from __future__ import annotations

from typing import Any

from opweave import _C
from opweave._distributed import GradBucket
from opweave._grad_mode import no_grad
from opweave.nn.modules.module import Module


class ByParameter:
    """Tensors by the parameter that each belongs to, which is kept with it."""

    def __init__(self) -> None:
        self._entries = {}  # by identity: a copy of a parameter has another one

    def __contains__(self, parameter):
        return id(parameter) in self._entries

    def __getitem__(self, parameter):
        return self._entries[id(parameter)][1]

    def __setitem__(self, parameter, tensor):
        self._entries[id(parameter)] = (parameter, tensor)

    def __getstate__(self):
        return list(self._entries.values())

    def __setstate__(self, entries):
        self._entries = {id(parameter): (parameter, tensor) for parameter, tensor in entries}

    def by_name(self, module: Module) -> dict[str, Any]:
        """Copies, by the names that a module has for its parameters."""
        return {
            name: self[parameter].clone()
            for name, parameter in module.named_parameters()
            if parameter in self
        }


class ErrorFeedback:
    """The errors of a model's parameters on this rank; they follow the parameter from bucket to bucket.

    Those of parameters that no rank has used stay what they are: what is sent of such is dropped.
    """

    def __init__(self) -> None:
        self._errors = ByParameter()

    def add_to(self, bucket: GradBucket) -> None:
        """Adds what was left behind to the gradients of a bucket."""
        for parameter, gradient, used in _parts(bucket):
            if used and parameter in self._errors:
                gradient.add_(self._errors[parameter])

    def keep(self, bucket: GradBucket, sent: _C.Tensor) -> None:
        """Keeps what `sent`, a tensor like the bucket's buffer, lacks of its gradients."""
        at = 0
        for parameter, gradient, used in _parts(bucket):
            part = sent[at : at + gradient.numel()].view(gradient.shape)
            if used:
                self._errors[parameter] = gradient - part
            at += gradient.numel()

    def state_dict(self, module: Module) -> dict[str, Any]:
        """The errors by the names that a module has for its parameters."""
        return self._errors.by_name(module)

    def load_state_dict(self, module: Module, errors: dict[str, Any]) -> None:
        """Takes errors over, in the place of all there are.

        KeyError for a name that the module has not, ValueError for another shape.
        """
        parameters, self._errors = dict(module.named_parameters()), ByParameter()
        for name, error in errors.items():
            if name not in parameters:
                raise KeyError(f"load_state_dict: the module has no parameter '{name}'")
            parameter = parameters[name]
            if parameter.shape != error.shape:
                raise ValueError(
                    f"load_state_dict: the error of '{name}' has the shape {list(error.shape)}, "
                    f"the parameter {list(parameter.shape)}"
                )
            with no_grad():
                self._errors[parameter] = error.detach().clone().to(parameter.device)


def _parts(bucket):
    return zip(bucket.parameters(), bucket.gradients(), bucket.used(), strict=True)

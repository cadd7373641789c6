"""What compression leaves behind of each gradient, and adds to the next one.

The method is that of F. Seide et al., 1-Bit Stochastic Gradient Descent (Interspeech 2014).
"""

import opweave as ow


class ErrorFeedback:
    """The errors of a model's parameters on this rank; they follow the parameter from bucket to bucket."""

    def __init__(self):
        self._errors = {}  # by id of the parameter, which is kept with its error

    def add_to(self, bucket):
        """Adds what was left behind to the gradients of a bucket."""
        for parameter, gradient in zip(bucket.parameters(), bucket.gradients(), strict=True):
            if id(parameter) in self._errors:
                gradient.add_(self._errors[id(parameter)][1])

    def keep(self, bucket, sent):
        """Keeps what `sent`, a tensor like the bucket's buffer, lacks of its gradients."""
        at = 0
        for parameter, gradient in zip(bucket.parameters(), bucket.gradients(), strict=True):
            part = sent[at : at + gradient.numel()].view(gradient.shape)
            self._errors[id(parameter)] = (parameter, gradient - part)
            at += gradient.numel()

    def state_dict(self, module):
        """The errors by the names that a module has for its parameters."""
        return {
            name: self._errors[id(parameter)][1].clone()
            for name, parameter in module.named_parameters()
            if id(parameter) in self._errors
        }

    def load_state_dict(self, module, errors):
        """Takes errors over. KeyError for a name that the module has not, ValueError for another shape."""
        parameters = dict(module.named_parameters())
        for name, error in errors.items():
            if name not in parameters:
                raise KeyError(f"load_state_dict: the module has no parameter '{name}'")
            parameter = parameters[name]
            if parameter.shape != error.shape:
                raise ValueError(
                    f"load_state_dict: the error of '{name}' has the shape {list(error.shape)}, "
                    f"the parameter {list(parameter.shape)}"
                )
            with ow.no_grad():
                self._errors[id(parameter)] = (parameter, error.detach().clone())

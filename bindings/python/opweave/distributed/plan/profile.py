"""Profile: what a step takes in one process, and when in it which gradients are there."""

import time
from dataclasses import dataclass, replace
from statistics import fmean

WARM_UP = 3


class NoGradientError(ValueError):
    """A loss that does not depend on the model."""


@dataclass(frozen=True)
class Profile:
    """Of a step in one process, in seconds."""

    forward: float
    backward: float
    update: float  # of the optimiser
    # In the order in which the backward pass brings them: bytes, and when, from its beginning on.
    gradients: tuple
    processes: int = 1  # that took the step at once

    @property
    def seconds(self):
        return self.forward + self.backward + self.update

    @property
    def nbytes(self):
        return sum(nbytes for nbytes, _ in self.gradients)

    def faster(self, factor):
        """The same on what computes so many times as fast."""
        return replace(
            self,
            forward=self.forward / factor,
            backward=self.backward / factor,
            update=self.update / factor,
            gradients=tuple((nbytes, at / factor) for nbytes, at in self.gradients),
        )


def profile(model, loss, update=None, steps=5):
    """Runs `loss(model).backward()` and `update()` so many times, after three that do not count; means.

    Not medians: where processes wait for processors, a few parts of a step do so for long, and most do not.
    `loss` returns a tensor of one element. NoGradientError where no parameter gets a gradient.
    """
    times = [_Step(model).run(loss, update) for _ in range(steps + WARM_UP)][WARM_UP:]
    orders = times[-1]["gradients"]
    if not orders:
        raise NoGradientError("the loss gives no parameter a gradient")
    gradients = tuple(
        (nbytes, fmean(t["gradients"].get(name, (0, 0.0))[1] for t in times))
        for name, (nbytes, _) in orders.items()
    )
    return Profile(
        *(fmean(t[part] for t in times) for part in ("forward", "backward", "update")),
        gradients=tuple(sorted(gradients, key=lambda gradient: gradient[1])),
    )


class _Step:
    def __init__(self, model):
        self._model, self._found, self._began = model, {}, 0.0

    def run(self, loss, update):
        hooks = [
            p.register_post_accumulate_grad_hook(lambda p, name=name: self._note(name, p))
            for name, p in self._model.named_parameters()
            if p.requires_grad
        ]
        try:
            self._model.zero_grad()
            start = time.perf_counter()
            value = loss(self._model)
            self._began = time.perf_counter()
            value.backward()
            end = time.perf_counter()
            if update is not None:
                update()
            return {
                "forward": self._began - start,
                "backward": end - self._began,
                "update": time.perf_counter() - end,
                "gradients": self._found,
            }
        finally:
            for hook in hooks:
                hook.remove()

    def _note(self, name, parameter):
        nbytes = parameter.numel() * parameter.element_size()
        self._found[name] = (nbytes, time.perf_counter() - self._began)

"""Profile: what a step takes in one process, and when in it which gradients are there."""

import time
from dataclasses import dataclass, replace
from statistics import fmean

WARM_UP = 3
PARTS = ("forward", "backward", "update", "waiting")


class NoGradientError(ValueError):
    """A loss that does not depend on the model."""


@dataclass(frozen=True)
class Profile:
    """Of a step in one process, in seconds."""

    forward: float
    backward: float
    update: float  # of the optimiser
    # In the order in which the backward pass brings them: bytes, when, from its beginning on, and of what
    # dtype and device, where that is not the same for all.
    gradients: tuple
    processes: int = 1  # that took the step at once
    # Of the backward pass, what comes after all gradients: what was reduced is copied back, which hides no
    # reduction.
    after: float = 0.0
    waiting: float = 0.0  # for the other processes, in each step, as no two are equally quick

    @property
    def seconds(self):
        return self.forward + self.backward + self.update

    @property
    def nbytes(self):
        return sum(nbytes for nbytes, *_ in self.gradients)

    def faster(self, factor):
        """The same on what computes so many times as fast."""
        return replace(
            self,
            forward=self.forward / factor,
            backward=self.backward / factor,
            update=self.update / factor,
            after=self.after / factor,
            waiting=self.waiting / factor,
            gradients=tuple((nbytes, at / factor, *kind) for nbytes, at, *kind in self.gradients),
        )


def profile(model, loss, update=None, steps=5, meet=None):
    """Runs `loss(model).backward()` and `update()` so many times, after three that do not count.

    Means of the steps that are neither among the quickest nor the slowest quarter. Not medians part by part:
    where processes wait for processors, a few parts of a step do so for long, and most do not. `loss` returns
    a tensor of one element, `meet()`, after a backward pass, when all processes have called it.
    NoGradientError where no parameter gets a gradient.
    """
    times = [_Step(model).run(loss, update, meet) for _ in range(steps + WARM_UP)][WARM_UP:]
    orders = times[-1]["gradients"]
    if not orders:
        raise NoGradientError("the loss gives no parameter a gradient")
    times = _usual(times)
    gradients = tuple(
        (nbytes, fmean(t["gradients"].get(name, (0, 0.0))[1] for t in times), kind)
        for name, (nbytes, _, kind) in orders.items()
    )
    return Profile(
        *(fmean(t[part] for t in times) for part in PARTS[:3]),
        gradients=tuple(sorted(gradients, key=lambda gradient: gradient[1])),
        after=fmean(t["backward"] - _last(t) for t in times),
        waiting=fmean(t["waiting"] for t in times),
    )


def _usual(times):
    """The half of the steps in the middle: what all their parts take is the median of steps."""
    ordered = sorted(times, key=lambda t: sum(t[part] for part in PARTS))
    quarter = len(ordered) // 4
    return ordered[quarter : len(ordered) - quarter]


def _last(step):
    """When its last gradient was there."""
    return max((at for _, at, _ in step["gradients"].values()), default=step["backward"])


class _Step:
    def __init__(self, model):
        self._model, self._found, self._began = model, {}, 0.0

    def run(self, loss, update, meet):
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
            if meet is not None:
                meet()
            met = time.perf_counter()
            if update is not None:
                update()
            return {
                "forward": self._began - start,
                "backward": end - self._began,
                "waiting": met - end,
                "update": time.perf_counter() - met,
                "gradients": self._found,
            }
        finally:
            for hook in hooks:
                hook.remove()

    def _note(self, name, parameter):
        nbytes = parameter.numel() * parameter.element_size()
        at = time.perf_counter() - self._began
        self._found[name] = (nbytes, at, f"{parameter.dtype} on {parameter.device}")

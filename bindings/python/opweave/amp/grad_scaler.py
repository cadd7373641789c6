"""GradScaler, after torch.amp.GradScaler.

Gradients of 16 bits vanish where they are small. The loss is therefore multiplied by a scale, and the
gradients are divided by it before they are used; a step whose gradients overflowed is left out and the scale
reduced, and after many steps without that it grows. Micikevicius et al., "Mixed Precision Training" (ICLR
2018).
"""

import inspect
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum

from opweave import _C, _process_groups, _targets
from opweave._C import Tensor
from opweave._grad_mode import no_grad
from opweave._gradients import groups_of_gradients, wait_for_gradients


class OptState(Enum):
    """How far an optimizer has come since the last update()."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class _OfOptimizer:
    def __init__(self, optimizer):
        self.optimizer = optimizer  # which lives as long: another one may have its id otherwise
        self.stage = OptState.READY
        self.found_inf = {}  # by device


def _is_there(kind):
    return _targets.load(kind) and _C._device_count(kind) > 0


def _kind_of(device):
    """The type of a device; None, which is any."""
    if isinstance(device, str):
        return device.partition(":")[0]
    if device is None:
        return None
    if not isinstance(device, _C.device):
        raise TypeError(
            f"GradScaler(): device: expected a str, a device or None, got {device!r} "
            f"({type(device).__name__})"
        )
    return device.type


def _share_what_was_found(found, parameters):
    """Where ranks have different gradients: all ranks leave out a step, or none."""
    for group, of_group in groups_of_gradients(parameters).items():
        if group is None:
            continue
        for device in dict.fromkeys(p.device for p in of_group):
            none = _C.zeros((), dtype=_C.float32, device=device)
            _process_groups.all_reduce(found.setdefault(device, none), group, largest=True)


class GradScaler:
    """Scales losses, and leaves out the steps whose gradients overflowed.

    Args:
        device: the type of device whose tensors are trained.
        init_scale: the first scale.
        growth_factor: what it is multiplied by after `growth_interval` steps in a row without overflow; over
            1.
        backoff_factor: what it is multiplied by after a step with overflow; under 1.
        growth_interval: a number of steps.
        enabled: with False every method does nothing but call what it is given.

    The scale is a float32 tensor, as the overflow that was found is: nothing waits for a device but `step`,
    which has to know whether it is to be left out.
    """

    def __init__(
        self,
        device="cuda",
        init_scale=2.0**16,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
    ):
        self._device = _kind_of(device)
        self._enabled = enabled
        if enabled and self._device is not None and not _is_there(self._device):
            warnings.warn(
                f"GradScaler is enabled, but no device of the type '{self._device}' is there: it is disabled",
                stacklevel=2,
            )
            self._enabled = False
        if self._enabled:
            if not growth_factor > 1.0:
                raise AssertionError(
                    f"The growth factor must be > 1.0: GradScaler(): got growth_factor={growth_factor}"
                )
            if not backoff_factor < 1.0:
                raise AssertionError(
                    f"The backoff factor must be < 1.0: GradScaler(): got backoff_factor={backoff_factor}"
                )
        self._init_scale, self._init_growth_tracker = init_scale, 0
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._scale = self._growth_tracker = None  # made where the first loss is
        self._of_optimizers = {}  # by id

    # --- the three calls of a step ----------------------------------------------------------------
    def scale(self, outputs):
        """A tensor, or an iterable of them (also nested), times the scale: like what was given.

        ValueError for anything else.
        """
        if not self._enabled:
            return outputs
        scales = {}  # by device

        def scaled(value):
            if isinstance(value, Tensor):
                if self._scale is None:
                    self._begin(value.device)
                if value.device not in scales:
                    scales[value.device] = self._scale.to(value.device, non_blocking=True)
                return value * scales[value.device]
            if isinstance(value, Iterable):
                made = map(scaled, value)
                return type(value)(made) if isinstance(value, list | tuple) else made
            raise ValueError(
                f"outputs must be a Tensor or an iterable of Tensors, got {type(value).__name__}"
            )

        return scaled(outputs)

    def unscale_(self, optimizer):
        """Divides the gradients of an optimizer's parameters by the scale, in place; once between updates.

        For what looks at gradients before the step, such as clipping them. RuntimeError where it was called
        since the last update(), or after step(); ValueError for gradients of float16.
        """
        if not self._enabled:
            return
        self._check_begun("unscale_")
        state = self._of(optimizer)
        if state.stage is OptState.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state.stage is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        state.found_inf = self._unscale_grads_(optimizer, allow_fp16=False)
        state.stage = OptState.UNSCALED

    def step(self, optimizer, *args, **kwargs):
        """Calls `optimizer.step(*args, **kwargs)` unless a gradient has an inf or a NaN; returns what that
        does.

        Unscales the gradients first, unless unscale_() has. RuntimeError where it was called since the last
        update(), or with a closure.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_begun("step")
        state = self._of(optimizer)
        if state.stage is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if getattr(optimizer, "_step_supports_amp_scaling", False):
            result = self._step_that_unscales(optimizer, state, *args, **kwargs)
        else:
            if state.stage is OptState.READY:
                self.unscale_(optimizer)
            if not state.found_inf:
                raise AssertionError("No inf checks were recorded for this optimizer.")
            found = sum(found.item() for found in state.found_inf.values())
            result = None if found else optimizer.step(*args, **kwargs)
        state.stage = OptState.STEPPED
        return result

    def update(self, new_scale=None):
        """Adapts the scale to what the steps since the last call have found, or sets it to `new_scale`.

        `new_scale` is a number, or a float tensor of one element without a gradient.
        """
        if not self._enabled:
            return
        self._check_begun("update")
        if new_scale is not None:
            self._set_scale(new_scale)
        else:
            self._scale_from_what_was_found()
        self._of_optimizers.clear()

    # --- what they are made of --------------------------------------------------------------------
    def _begin(self, device):
        self._scale = _C.full((), self._init_scale, dtype=_C.float32, device=device)
        self._growth_tracker = _C.full((), self._init_growth_tracker, dtype=_C.int32, device=device)

    def _of(self, optimizer):
        return self._of_optimizers.setdefault(id(optimizer), _OfOptimizer(optimizer))

    def _check_begun(self, method):
        if self._scale is None:
            raise AssertionError(
                f"Attempted {method} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )

    def _unscale_grads_(self, optimizer, allow_fp16, unscales=True):
        """By device, whether there is an inf or a NaN: float32 tensors of one element.

        On any rank, where each has some of the gradients alone.
        """
        grads = defaultdict(list)  # by device
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        wait_for_gradients(parameters)
        with no_grad():
            for param in parameters:
                if param.grad is None:
                    continue
                if not allow_fp16 and param.grad.dtype == _C.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                grads[param.grad.device].append(param.grad)
            # Double precision, as the inverse of a scale near the largest float32 is denormal.
            inverse = self._scale.double().reciprocal().float()
            found = {}
            for device, of_device in grads.items():
                found[device] = _C.full((), 0.0, dtype=_C.float32, device=device)
                factor = inverse.to(device) if unscales else _C.ones((), device=device)
                _C._amp_foreach_non_finite_check_and_unscale_(of_device, found[device], factor)
            _share_what_was_found(found, parameters)
        return found

    def _step_that_unscales(self, optimizer, state, *args, **kwargs):
        """Of an optimizer that takes the scale and what was found itself."""
        if state.stage is OptState.READY:
            state.found_inf = self._unscale_grads_(optimizer, allow_fp16=True, unscales=False)
        scale = None if state.stage is OptState.UNSCALED else self._scale
        found = sum(found.to(self._scale.device) for found in state.found_inf.values())
        if "grad_scaler" in inspect.signature(optimizer.step).parameters:
            return optimizer.step(*args, **kwargs, grad_scaler=self)
        optimizer.grad_scale, optimizer.found_inf = scale, found
        try:
            return optimizer.step(*args, **kwargs)
        finally:
            del optimizer.grad_scale, optimizer.found_inf

    def _set_scale(self, new_scale):
        if not isinstance(new_scale, Tensor):
            self._scale.fill_(new_scale)
            return
        reason = (
            "new_scale should be a float or a torch.cuda.FloatTensor or torch.FloatTensor with "
            "requires_grad=False"
        )
        if not new_scale.is_floating_point() or new_scale.numel() != 1 or new_scale.requires_grad:
            raise AssertionError(
                f"{reason}, got a tensor of {new_scale.dtype} with {new_scale.numel()} elements"
            )
        self._scale.copy_(new_scale.reshape(()))

    def _scale_from_what_was_found(self):
        found = [
            found.to(self._scale.device, non_blocking=True)
            for state in self._of_optimizers.values()
            for found in state.found_inf.values()
        ]
        if not found:
            raise AssertionError("No inf checks were recorded prior to update.")
        total = _C.stack(found).sum() if len(found) > 1 else found[0]
        _C._amp_update_scale_(
            self._scale,
            self._growth_tracker,
            total,
            self._growth_factor,
            self._backoff_factor,
            self._growth_interval,
        )

    # --- settings and state -----------------------------------------------------------------------
    def get_scale(self):
        """The scale, a float; 1.0 where it is disabled."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self):
        """What the scale grows by."""
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        """Sets what the scale grows by."""
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        """What the scale shrinks by."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        """Sets what the scale shrinks by."""
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        """After so many steps it grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        """Sets after how many steps it grows."""
        self._growth_interval = new_interval

    def is_enabled(self):
        """Whether it does anything."""
        return self._enabled

    def _get_growth_tracker(self):
        if not self._enabled:
            return 0
        if self._growth_tracker is None:
            return self._init_growth_tracker
        return self._growth_tracker.item()

    def state_dict(self):
        """Scale, settings and the number of steps without overflow; {} where it is disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict):
        """What state_dict() gave, here or in PyTorch. RuntimeError for that of a disabled one."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of "
                "GradScaler."
            )
        self._init_scale = state_dict["scale"]
        if self._scale is not None:
            self._scale.fill_(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._growth_tracker is not None:
            self._growth_tracker.fill_(state_dict["_growth_tracker"])

    def __getstate__(self):
        if self._of_optimizers:
            raise AssertionError(
                "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end "
                "after scaler.update()."
            )
        state = dict(self.__dict__)
        state["_init_scale"] = self.get_scale()
        state["_init_growth_tracker"] = self._get_growth_tracker()
        state["_scale"] = state["_growth_tracker"] = None
        return state

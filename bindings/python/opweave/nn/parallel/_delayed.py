"""Parameters whose gradients are reduced together, when that of a certain other one is there."""

from opweave import _C
from opweave._grad_mode import no_grad
from opweave.distributed import _collectives
from opweave.nn.parallel._states import broadcast_all


class DelayedReduction:
    """The gradients of `parameters` as parts of one tensor, which a hook of `trigger` averages.

    ValueError where they are of several dtypes or devices.
    """

    def __init__(self, parameters, trigger, group, is_on):
        kinds = {(p.dtype, p.device) for p in parameters}
        if len(kinds) != 1:
            raise ValueError(
                "delay_all_reduce_named_params: expected parameters of one dtype and device, got "
                + ", ".join(sorted(f"{dtype} on {device}" for dtype, device in kinds))
            )
        ((dtype, device),) = kinds
        self._parameters, self._group, self._is_on = parameters, group, is_on
        broadcast_all([p.detach() for p in parameters], group)
        self._buffer = _C.zeros(sum(p.numel() for p in parameters), dtype=dtype, device=device)
        parts = self._buffer.split([p.numel() for p in parameters])
        self._views = [part.view(p.shape) for part, p in zip(parts, parameters, strict=True)]
        self._hook = trigger.register_hook(self._start)

    def set_group(self, group):
        """Who averages from now on."""
        self._group = group

    def prepare(self):
        """Before a backward pass: gradients are parts of the tensor, also where a program has set others."""
        for parameter, view in zip(self._parameters, self._views, strict=True):
            if parameter.grad is None:
                view.zero_()
            elif parameter.grad.data_ptr() != view.data_ptr():
                view.copy_(parameter.grad)
            parameter.grad = view

    def _start(self, gradient):
        if not self._is_on():
            return
        with no_grad():
            self._buffer.div_(self._group.size())
        work = _collectives.all_reduce(self._buffer, group=self._group, async_op=True)
        _C._queue_backward_callback(work.wait)

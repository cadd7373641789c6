"""Functions that run again for what they have saved.

A frame is one call. What its operators save is counted, not kept; the first tensor that a backward pass
asks for has the function run again, with the random numbers and the autocast of the first run, and what it
saves then is handed out by its number. Inputs are saved as operators save theirs: inside of another
checkpointed function they are dropped, too, and come back by running that one again. Chen et al., "Training
Deep Nets with Sublinear Memory Cost" (2016).
"""

import contextlib
import threading
import weakref

from opweave import _C
from opweave._grad_mode import enable_grad
from opweave.autograd import Function
from opweave.autograd.graph import hooks_of_checkpoint


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did something else than the first."""


class _Stop(Exception):  # noqa: N818 - it ends a run that has given all that is needed
    pass


class _Holder:
    """In the place of a tensor that an operator has saved."""

    __slots__ = ("__weakref__", "number", "value")

    def __init__(self, number):
        self.number = number
        self.value = None


class _SaveInputs(Function):
    """Saves tensors as an operator does: hooks around see them."""

    @staticmethod
    def forward(ctx, keep, _, *tensors):
        ctx.save_for_backward(*tensors)
        keep(ctx)
        return _C.empty(0)

    @staticmethod
    def backward(ctx, grad):
        raise AssertionError("nobody runs backward through saved inputs")

    @staticmethod
    def jvp(ctx, *tangents):
        return None  # nobody asks; what is saved has its tangents


class SavedInputs:
    """Arguments, whose tensors are saved as operators save theirs."""

    def __init__(self, args):
        self._is_tensor = [isinstance(a, _C.Tensor) for a in args]
        self._others = [None if t else a for a, t in zip(args, self._is_tensor, strict=True)]
        tensors = [a for a, t in zip(args, self._is_tensor, strict=True) if t]
        with enable_grad():
            start = _C.empty(0, requires_grad=True)
            self._kept = _SaveInputs.apply(self._keep, start, *tensors)  # holds what is saved

    def _keep(self, ctx):
        self._ctx = ctx

    def get(self):
        tensors = iter(self._ctx.saved_tensors)
        return [
            next(tensors) if is_tensor else other
            for is_tensor, other in zip(self._is_tensor, self._others, strict=True)
        ]


def description(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class Frame:
    """A call of a checkpointed function."""

    def __init__(self, recompute, inputs, early_stop, describe):
        self.holders = []  # weak: what nobody will ask for again needs no value
        self.descriptions = []
        self.early_stop = early_stop
        self.complete = False  # the first run has ended
        self._recompute, self._inputs, self._describe = recompute, inputs, describe
        self._lock = threading.RLock()

    def pack(self, tensor):
        holder = _Holder(len(self.holders))
        self.holders.append(weakref.ref(holder))
        if self._describe is not None:
            self.descriptions.append(self._describe(tensor))
        return holder

    def unpack(self, holder):
        with self._lock:
            if holder.value is None:
                self._run_again()
            value, holder.value = holder.value, None
            if value is None:
                raise CheckpointError(
                    "opweave.utils.checkpoint: the tensor that was saved as number "
                    f"{holder.number} was not saved when the function ran again."
                )
            return value

    def _run_again(self):
        run = _SecondRun(self)
        with contextlib.suppress(_Stop), run.hooks(), enable_grad():
            self._recompute(*self._inputs.get())
        run.check()


_TIP = (
    "Tip: the function has to do the same each time: no global state that changes, no data that is moved "
    "meanwhile."
)


class _SecondRun:
    """What is saved while the function of a frame runs again."""

    def __init__(self, frame):
        self._frame = frame
        self._wrong = []
        self._count = 0

    def hooks(self):
        return hooks_of_checkpoint(self._pack, lambda tensor: tensor)

    def _pack(self, tensor):
        frame, number = self._frame, self._count
        self._count += 1
        tensor = tensor.detach()
        if number >= len(frame.holders):
            # Of a backward pass inside of the function: what is saved later, nobody has saved yet.
            if frame.complete:
                raise CheckpointError(
                    "opweave.utils.checkpoint: trying to save more tensors during recomputation than "
                    f"during the original forward pass, which saved {len(frame.holders)}.\n{_TIP}"
                )
            return tensor
        self._compare(number, tensor)
        holder = frame.holders[number]()
        if holder is not None:
            holder.value = tensor
        if frame.early_stop and self._count == len(frame.holders):
            raise _Stop
        return tensor

    def _compare(self, number, tensor):
        describe, frame = self._frame._describe, self._frame
        if describe is None or (found := describe(tensor)) == frame.descriptions[number]:
            return
        self._wrong.append(
            f"tensor at position {number}:\nsaved metadata: {frame.descriptions[number]}\n"
            f"recomputed metadata: {found}\n"
        )

    def check(self):
        """CheckpointError if this run differs from the first."""
        frame = self._frame
        if frame.complete and self._count != len(frame.holders):
            raise CheckpointError(
                "opweave.utils.checkpoint: A different number of tensors was saved during the original "
                "forward and recomputation.\n"
                f"Number of tensors saved during forward: {len(frame.holders)}\n"
                f"Number of tensors saved during recomputation: {self._count}.\n{_TIP}"
            )
        if self._wrong:
            raise CheckpointError(
                "opweave.utils.checkpoint: Recomputed values for the following tensors have different "
                f"metadata than during the forward pass.\n{''.join(self._wrong)}{_TIP}"
            )

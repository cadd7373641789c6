"""What a program sets for a thread, for another one that works for it: gradients and autocast."""

import contextlib

from opweave import _C, accelerator
from opweave._grad_mode import set_grad_enabled
from opweave.amp._settings import get_autocast_dtype, is_autocast_enabled
from opweave.amp.autocast_mode import autocast


def of_this_thread():
    """What makes a context like the calling thread's."""
    grad = _C.is_grad_enabled()
    devices = _C._default_device(), accelerator.current_accelerator()
    kinds = [d.type for d in devices if d is not None]
    autocasts = [(k, get_autocast_dtype(k)) for k in kinds if is_autocast_enabled(k)]

    @contextlib.contextmanager
    def made():
        with contextlib.ExitStack() as stack:
            stack.enter_context(set_grad_enabled(grad))
            for kind, dtype in autocasts:
                stack.enter_context(autocast(kind, dtype=dtype))
            yield

    return made

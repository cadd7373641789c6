"""Communication hooks for `DistributedDataParallel.register_comm_hook`."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # which loads this package
    from opweave.nn.parallel import DistributedDataParallel

__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]


class DDPCommHookType(enum.Enum):
    """The hooks by name; register_ddp_comm_hook() takes one. Each is its module, its function, and the
    options of
    its state."""

    ALLREDUCE = ("default_hooks", "allreduce_hook", None)
    FP16_COMPRESS = ("default_hooks", "fp16_compress_hook", None)
    BF16_COMPRESS = ("default_hooks", "bf16_compress_hook", None)
    QUANTIZE_PER_TENSOR = ("quantization_hooks", "quantization_pertensor_hook", None)
    QUANTIZE_PER_CHANNEL = ("quantization_hooks", "quantization_perchannel_hook", None)
    POWER_SGD = ("powerSGD_hook", "powerSGD_hook", 1)
    POWER_SGD_RANK2 = ("powerSGD_hook", "powerSGD_hook", 2)
    NOOP = ("debugging_hooks", "noop_hook", None)


def register_ddp_comm_hook(
    comm_hook_type: DDPCommHookType, model: DistributedDataParallel, state: Any = None
) -> None:
    """Registers a hook of this package with a DistributedDataParallel.

    Args:
        comm_hook_type: a DDPCommHookType.
        model: the DistributedDataParallel.
        state: the group that averages; the model's, for None.

    Raises:
        TypeError: no DDPCommHookType.
    """
    import importlib

    if not isinstance(comm_hook_type, DDPCommHookType):
        raise TypeError(
            "register_ddp_comm_hook(): comm_hook_type: expected a DDPCommHookType, got "
            f"{type(comm_hook_type).__name__}"
        )
    module, function, rank = comm_hook_type.value
    hooks = importlib.import_module(f"{__name__}.{module}")
    if rank is not None:
        state = hooks.PowerSGDState(state, matrix_approximation_rank=rank)
    model.register_comm_hook(state, getattr(hooks, function))

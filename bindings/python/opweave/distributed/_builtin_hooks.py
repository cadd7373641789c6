"""Communication hooks that PyTorch has in C++, by its names."""

from enum import Enum


class BuiltinCommHookType(Enum):
    """What `DistributedDataParallel._register_builtin_comm_hook` takes."""

    ALLREDUCE = 1
    FP16_COMPRESS = 2

    def hook(self):
        """The function that does it; its state is None."""
        from opweave.distributed.algorithms.ddp_comm_hooks import default_hooks

        if self is BuiltinCommHookType.ALLREDUCE:
            return default_hooks.allreduce_hook
        return default_hooks.fp16_compress_hook

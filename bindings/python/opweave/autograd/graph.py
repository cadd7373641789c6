"""The recorded graph: its nodes, and hooks on what it saves."""

from opweave import _C

Node = _C._Node


class saved_tensors_hooks:  # noqa: N801
    """Inside of the block, pack_hook(tensor) says what is kept of every tensor that is saved for
    backward, and unpack_hook makes the tensor from it again."""

    def __init__(self, pack_hook, unpack_hook):
        self._hooks = pack_hook, unpack_hook

    def __enter__(self):
        _C._push_saved_tensors_hooks(*self._hooks)

    def __exit__(self, *exception):
        _C._pop_saved_tensors_hooks()


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Keeps what is saved for backward in host memory.

    Args:
        pin_memory: for PyTorch's programs; copies wait for their end either way.
        device_type: likewise; tensors of all devices are copied.
    """

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(
            lambda tensor: (tensor.device, tensor.cpu()),
            lambda packed: packed[1].to(packed[0]),
        )

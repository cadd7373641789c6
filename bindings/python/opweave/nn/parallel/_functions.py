"""What DataParallel is made of in PyTorch: copies, sums and parts, through which gradients come back."""

from opweave.nn.parallel import comm
from opweave.nn.parallel.scatter_gather import _joined, device_of

# Copies to devices, sums, joins and parts are operators that autograd knows: none of these needs a backward
# pass of its own.


class Broadcast:
    """All inputs on each device, device by device."""

    @staticmethod
    def apply(target_gpus, *inputs):
        copies = comm.broadcast_coalesced(inputs, target_gpus)
        return tuple(tensor for tensors in copies for tensor in tensors)


class ReduceAddCoalesced:
    """The sums of what devices have, `num_inputs` tensors of each, on one device."""

    @staticmethod
    def apply(destination, num_inputs, *grads):
        of_devices = [grads[i : i + num_inputs] for i in range(0, len(grads), num_inputs)]
        return comm.reduce_add_coalesced(of_devices, destination)


class Gather:
    """Inputs joined along a dimension on one device; numbers as a vector."""

    @staticmethod
    def apply(target_device, dim, *inputs):
        return _joined(list(inputs), device_of(target_device), dim)


class Scatter:
    """Parts of a tensor along a dimension, each on its device."""

    @staticmethod
    def apply(target_gpus, chunk_sizes, dim, input):
        return comm.scatter(input, target_gpus, chunk_sizes, dim)

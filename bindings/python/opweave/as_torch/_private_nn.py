"""What PyTorch's torch._C._nn has under names of its own, of functions that nn.functional gathers in one."""

from functools import partial
from math import prod

from opweave.nn.functional import pad


def _padded(mode, self, padding):
    return pad(self, list(padding), mode=mode)


def _placed(self, indices, output_size, stride=None, padding=None, *, dims):
    """Each number where its index says in planes or volumes of that size; zeros elsewhere."""
    places, numbers = indices.flatten(-dims), self.flatten(-dims)
    room = self.new_zeros((*numbers.shape[:-1], prod(output_size)))
    return room.scatter(-1, places, numbers).unflatten(-1, list(output_size))


max_unpool2d, max_unpool3d = partial(_placed, dims=2), partial(_placed, dims=3)
reflection_pad1d = reflection_pad2d = reflection_pad3d = partial(_padded, "reflect")
replication_pad1d = replication_pad2d = replication_pad3d = partial(_padded, "replicate")

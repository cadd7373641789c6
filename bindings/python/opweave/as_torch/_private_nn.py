"""What PyTorch's torch._C._nn has under names of its own, of functions that nn.functional gathers in one."""

from functools import partial
from math import prod

from opweave.nn.functional import interpolate, pad


def _padded(mode, self, padding):
    return pad(self, list(padding), mode=mode)


def _resized(input, output_size, *scales, mode, align_corners=None, **named):
    """By factors where they are given, each or in one list, and otherwise by sizes."""
    options = {"mode": mode, "align_corners": align_corners}
    scales = (*scales, *named.values())  # scales, scales_h, scales_w or scale_factors
    if len(scales) == 1 and isinstance(scales[0], list | tuple):
        scales = scales[0]
    if output_size is None or (scales and None not in scales):
        found = interpolate(input, scale_factor=list(scales), **options)
        if output_size is None or list(found.shape[2:]) == list(output_size):
            return found
    return interpolate(input, list(output_size), **options)


def _aligned(input, output_size, align_corners, *scales, mode, **named):
    return _resized(input, output_size, *scales, mode=mode, align_corners=align_corners, **named)


def _placed(self, indices, output_size, stride=None, padding=None, *, dims):
    """Each number where its index says in planes or volumes of that size; zeros elsewhere."""
    places, numbers = indices.flatten(-dims), self.flatten(-dims)
    room = self.new_zeros((*numbers.shape[:-1], prod(output_size)))
    return room.scatter(-1, places, numbers).unflatten(-1, list(output_size))


max_unpool2d, max_unpool3d = partial(_placed, dims=2), partial(_placed, dims=3)
reflection_pad1d = reflection_pad2d = reflection_pad3d = partial(_padded, "reflect")
replication_pad1d = replication_pad2d = replication_pad3d = partial(_padded, "replicate")
upsample_nearest1d = upsample_nearest2d = upsample_nearest3d = partial(_resized, mode="nearest")
_upsample_nearest_exact1d = partial(_resized, mode="nearest-exact")
_upsample_nearest_exact2d = _upsample_nearest_exact3d = _upsample_nearest_exact1d
upsample_linear1d = partial(_aligned, mode="linear")
upsample_bilinear2d = partial(_aligned, mode="bilinear")
upsample_bicubic2d = partial(_aligned, mode="bicubic")
upsample_trilinear3d = partial(_aligned, mode="trilinear")

"""Where this rank's part of a tensor lies; PyTorch's name, used by libraries in spite of the underscore."""

from opweave.distributed.tensor.placement_types import Shard


def compute_local_shape_and_global_offset(global_shape, mesh, placements, skip_offset=False):
    """The shape of this rank's part and where it begins: (shape, offset), both as long as `global_shape`.

    Args:
        global_shape: of the whole tensor.
        mesh: a DeviceMesh.
        placements: one for each dimension of the mesh; a dimension of the tensor may be cut several times, by
            the earlier ones first.
        skip_offset: the offset is ().

    Returns:
        ((0,), ()) for a rank that is not in the mesh.
    """
    place = mesh.get_coordinate()
    if place is None:
        return (0,), ()
    shape, offset = list(global_shape), [0] * len(global_shape)
    for index, placement in enumerate(placements):
        if isinstance(placement, Shard):
            dim = placement.dim
            size, begin = placement.local_shard_size_and_offset(
                shape[dim], mesh.size(index), place[index]
            )
            # A rank without a part begins where the whole ends, as PyTorch says.
            offset[dim] = offset[dim] + begin if size else global_shape[dim]
            shape[dim] = size
    return tuple(shape), () if skip_offset else tuple(offset)

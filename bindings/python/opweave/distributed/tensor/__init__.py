"""How tensors lie on the ranks of a mesh, by PyTorch's names. Such tensors, DTensor, are not written yet."""

from opweave.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard

__all__ = ["Partial", "Placement", "Replicate", "Shard"]

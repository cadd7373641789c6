"""Which rank updates which parameter, and the parameters of one rank as one block of memory."""

from opweave import _C


def partition(groups, ranks):
    """For each rank its parameter groups: of each group the parameters that it updates.

    Group by group, the largest parameter first, each goes to the rank that has the fewest elements: that of
    PyTorch. A group that is added later does not change who has the others.
    """
    parts = [[] for _ in range(ranks)]
    sizes = [0] * ranks
    for group in groups:
        options = {name: value for name, value in group.items() if name != "params"}
        mine = [[] for _ in range(ranks)]
        for parameter in sorted(group["params"], key=lambda p: p.numel(), reverse=True):
            rank = sizes.index(min(sizes))
            mine[rank].append(parameter)
            sizes[rank] += parameter.numel()
        for part, parameters in zip(parts, mine, strict=True):
            part.append({**options, "params": parameters})
    return parts


def parameters_of(groups):
    """All of them, in order."""
    return [parameter for group in groups for parameter in group["params"]]


def share_memory(parameters):
    """Has parameters be parts of one tensor for each dtype and device; those tensors."""
    kinds = {}
    for parameter in parameters:
        kinds.setdefault((parameter.dtype, parameter.device), []).append(parameter)
    blocks = []
    for (dtype, device), same in kinds.items():
        block = _C.empty(sum(p.numel() for p in same), dtype=dtype, device=device)
        parts = block.split([p.numel() for p in same])
        for parameter, part in zip(same, parts, strict=True):
            view = part.view(parameter.shape)
            view.copy_(parameter.detach())
            parameter.data = view
        blocks.append(block)
    return blocks

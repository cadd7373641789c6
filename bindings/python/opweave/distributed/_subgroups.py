"""Several groups at once: the world cut into parts, and a group cut by its own ranks."""

import weakref

from opweave.distributed import _arguments, _groups, _options
from opweave.distributed._backends import routes_of
from opweave.distributed._groups import GroupMember, member, new_group

_splits = weakref.WeakKeyDictionary()  # how often each group was split


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None
):
    """Groups of the world's ranks that are listed; a call of every process.

    Returns:
        The group that this process is in (None where it is in none), and all of them.
    """
    _arguments.check_call()
    where, argument = "new_subgroups_by_enumeration()", "ranks_per_subgroup_list"
    ranks_per_subgroup_list = [
        _arguments.sequence(ranks, where, argument, "lists of ints")
        for ranks in _arguments.sequence(ranks_per_subgroup_list, where, argument, "lists of ints")
    ]
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    found_in, mine, groups = {}, None, []
    for ranks in ranks_per_subgroup_list:
        for rank in ranks:
            if rank in found_in:
                raise ValueError(
                    f"Rank {rank} has appeared in both subgroup {found_in[rank]} and {ranks}"
                )
            found_in[rank] = ranks
    for ranks in ranks_per_subgroup_list:
        groups.append(new_group(ranks, timeout, backend, pg_options, group_desc=group_desc))
        if groups[-1] != GroupMember.NON_GROUP_MEMBER:
            mine = groups[-1]
    return mine, groups


def new_subgroups(
    group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None
):
    """Groups of `group_size` ranks that follow one another; a call of every process.

    Args:
        group_size: divides the size of the world; there is no default on a machine without devices.

    Returns:
        The group that this process is in, and all of them.
    """
    _arguments.check_call()
    world_size = member(group)[0].size()
    if group_size is None:
        raise ValueError("Default group size only takes effect when CUDA is available")
    if _arguments.rank(group_size, "new_subgroups()", "group_size") <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if group_size > world_size:
        raise ValueError(
            f"The arg 'group_size' ({group_size}) must not exceed the world size ({world_size})"
        )
    if world_size % group_size:
        raise ValueError(
            f"The world size ({world_size}) must be divisible by 'group_size={group_size}'"
        )
    ranks = member(group)[1].ranks
    parts = [ranks[i : i + group_size] for i in range(0, world_size, group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def split_group(
    parent_pg=None,
    split_ranks=None,
    timeout=None,
    pg_options=None,
    group_desc=None,
    backend=None,
):
    """The part of a group that this process is in; a call of every process of that group, and of no other.

    Args:
        parent_pg: the group; the default group for None.
        split_ranks: for each part its ranks in that group, in the order that they have in the part.

    Returns:
        The new group, or `GroupMember.NON_GROUP_MEMBER` for a process that is in no part.
    """
    _arguments.check_call()
    parent, known = member(parent_pg)
    if not split_ranks:
        raise ValueError("split_group(): split_ranks cannot be None or empty")
    split_ranks = [
        _arguments.sequence(part, "split_group()", "split_ranks", "lists of ints")
        for part in _arguments.sequence(
            split_ranks, "split_group()", "split_ranks", "lists of ints"
        )
    ]
    listed = [_arguments.rank(r, "split_group()", "split_ranks") for p in split_ranks for r in p]
    wrong = [rank for rank in listed if not 0 <= rank < parent.size()]
    if wrong or len(set(listed)) != len(listed) or not all(split_ranks):
        raise ValueError(
            f"split_group(): expected parts with different ranks of a group of {parent.size()}, "
            f"got {split_ranks}"
        )
    with _groups.world.lock:
        _splits[parent] = number = _splits.get(parent, 0) + 1
        mine = next((part for part in split_ranks if parent.rank() in part), [])
        name = f"{parent.group_name}/{group_desc or 'split'}-{number}-{mine[0] if mine else 'none'}"
        ranks, rank = [known.ranks[r] for r in mine], known.ranks[parent.rank()]
        if backend is None and parent._is_native():
            color = split_ranks.index(mine) if mine else -1
            _options.check_native(pg_options, [b for _, b in routes_of(known.backend)])
            timeout = timeout or _options.timeout_of(pg_options)
            made = _groups.split_part(parent, known, color, name, ranks, rank, timeout)
        else:
            made = (
                _groups.make_part(known, name, ranks, rank, timeout, backend, pg_options)
                if mine
                else None
            )
    if made is None:
        return GroupMember.NON_GROUP_MEMBER
    _groups.world.groups[made].description = group_desc or "undefined"
    return made

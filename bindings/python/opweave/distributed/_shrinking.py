"""A smaller group of the ranks that are left: what remains to be done after one has failed."""

from dataclasses import replace

from opweave._distributed import PrefixStore
from opweave.distributed import _groups
from opweave.distributed._groups import member

SHRINK_DEFAULT, SHRINK_ABORT = 0, 1


def _checked(ranks_to_exclude, group, flags):
    """The ranks that stay, by their rank in the group."""
    if not isinstance(ranks_to_exclude, list):
        raise TypeError(
            f"shrink_group(): ranks_to_exclude must be a list, but got {type(ranks_to_exclude).__name__}"
        )
    if flags not in (SHRINK_DEFAULT, SHRINK_ABORT):
        raise ValueError(f"shrink_group(): expected SHRINK_DEFAULT or SHRINK_ABORT, got {flags!r}")
    gone, size = set(ranks_to_exclude), group.size()
    wrong = [r for r in ranks_to_exclude if not isinstance(r, int) or not 0 <= r < size]
    if not gone or wrong or len(gone) != len(ranks_to_exclude) or len(gone) == size:
        raise ValueError(
            f"shrink_group(): expected some, not all, different ranks of a group of {size}, "
            f"got {ranks_to_exclude}"
        )
    if group.rank() in gone:
        raise RuntimeError(f"shrink_group(): rank {group.rank()} is to go, and must not call it")
    return [r for r in range(size) if r not in gone]


def shrink_group(ranks_to_exclude, group=None, shrink_flags=SHRINK_DEFAULT, pg_options=None):
    """The group without some of its ranks; a call of every rank that stays, and of none that goes.

    The group itself is left. Where it is the default group, all groups are, the new one takes its place, and
    its ranks are the ranks of the world from now on. It works after a failure too, as long as the store's
    host lives. `SHRINK_ABORT` fails what still runs.
    """
    with _groups.world.lock:
        old, known = member(group)
        left = _checked(ranks_to_exclude, old, shrink_flags)
        is_world = old is _groups.world.default
        ranks = list(range(len(left))) if is_world else [known.ranks[r] for r in left]
        name = f"{old.group_name}/without-{'-'.join(map(str, sorted(ranks_to_exclude)))}"
        known = replace(known, store=PrefixStore(name, known.store))  # names begin anew
        if shrink_flags == SHRINK_ABORT:
            old.abort("it is being shrunk")
        _groups.destroy_process_group(old)
        made = _groups.make_part(
            known, name, ranks, ranks[left.index(old.rank())], None, None, pg_options
        )
        if is_world:
            _groups.world.default = made
        return made

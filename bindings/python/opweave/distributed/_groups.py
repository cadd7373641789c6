"""Groups of processes: how they are made, named and left."""

import atexit
import hashlib
import os
import sys
import threading
from dataclasses import dataclass, field
from datetime import timedelta

from opweave import _C, _targets
from opweave._distributed import (
    HashStore,
    PrefixStore,
    ProcessGroup,
    Store,
    _choose_backend,
    _Claim,
    _dump_before_end,
    _dump_if_it_failed,
    _leave_all,
    _make_group,
    _split_group,
    _Within,
)
from opweave.distributed import _arguments, _options
from opweave.distributed._backends import (
    BackendConfig,
    is_nccl_available,
    is_registered,
    make_python_group,
    routes_of,
    shown,
)
from opweave.distributed._endings import tell_others, what_raised
from opweave.distributed._starter import rendezvous_of
from opweave.distributed.rendezvous import rendezvous

default_pg_timeout = timedelta(minutes=30)
default_pg_nccl_timeout = timedelta(minutes=10)


GroupName = str  # what `ProcessGroup.group_name` is


class GroupMember:
    """Stands for a group that this process is not in."""

    NON_GROUP_MEMBER = -100


@dataclass
class Membership:
    """What this process knows of a group that it is in."""

    ranks: list[int]  # in the world, by the rank in the group
    backend: str
    store: Store
    timeout: timedelta
    chosen: bool  # by Opweave, for want of a name
    description: str = ""
    device: object = None  # that it is bound to
    implementations: dict = field(default_factory=dict)  # by backend, for those who ask for one
    barriers: int = 0  # monitored ones that were called
    schedulers: int = 0  # that were made of it
    links: dict = field(default_factory=dict)  # as they were measured; empty: they were not
    process: int = field(default_factory=os.getpid)


@dataclass
class World:
    """The groups of this process."""

    default: ProcessGroup | None = None
    groups: dict[ProcessGroup, Membership] = field(default_factory=dict)
    claim: _Claim | None = None  # to the rank that this process has
    made: int = 0  # by calls of all
    made_by_some: dict[tuple[int, ...], int] = field(default_factory=dict)  # how often, by ranks
    # Rank and size of a world whose others are not there.
    pretended: tuple[int, int] | None = None
    # The ranks of groups that such a world was asked for by all, and where.
    asked: list[tuple[list[int], str]] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)


world = World()


def _renew_lock():
    world.lock = threading.RLock()


# A forked process has it free, whichever thread was making a group.
os.register_at_fork(after_in_child=_renew_lock)


@atexit.register
def _tell_why_the_program_ends():
    """The others, which wait for this rank, know no more than that it ended."""
    error = getattr(sys, "last_value", None)
    if not world.groups:
        return
    if error is None:
        _dump_if_it_failed()  # nobody says here whether by sys.exit(3)
        return
    # The words that the groups end with: the watchdog, which may see that, writes the same record anew.
    _dump_before_end(what_raised(error, next(iter(world.groups))))
    tell_others(error, world.groups)


class _Names(type):
    @property
    def WORLD(cls):  # noqa: N802 - PyTorch's name
        """The group of all processes; None before init_process_group."""
        return world.default


class group(metaclass=_Names):  # noqa: N801 - PyTorch's name
    """Groups that have a name: `group.WORLD`."""


def is_initialized():
    """Whether `init_process_group` was called."""
    return world.default is not None


def member(of):
    """The group, or the default one for None, and what is known of it. ValueError where there is none."""
    if of is None:
        of = world.default
        if of is None:
            raise ValueError(
                "Default process group has not been initialized, please make sure to call init_process_group."
            )
    known = world.groups.get(of) if isinstance(of, ProcessGroup) else None
    if known is None and not isinstance(of, ProcessGroup):
        _arguments.expect(of, ProcessGroup, _arguments.called(), "group", "a ProcessGroup or None")
    if known is None:
        raise ValueError(f"expected a process group that this process is in, got {of!r}")
    return of, known


def named(name):
    """The group of this process with a name. ValueError where there is none."""
    for group in world.groups:
        if group.group_name == name:
            return group
    raise ValueError(f"no group of this process is called '{name}'")


def get_rank(group=None):
    """The rank of this process in a group; -1 where it is not in it."""
    return -1 if group == GroupMember.NON_GROUP_MEMBER else member(group)[0].rank()


def get_world_size(group=None):
    """How many processes a group has; -1 where this process is not in it."""
    return -1 if group == GroupMember.NON_GROUP_MEMBER else member(group)[0].size()


def get_backend(group=None):
    """The name of what carries a group's collectives out."""
    return member(group)[1].backend


def get_process_group_ranks(group=None):
    """The ranks in the world of a group's processes, by their rank in the group."""
    return list(member(group)[1].ranks)


def get_group_rank(group, global_rank):
    """The rank in a group of the process with a rank in the world. ValueError if it is not in it."""
    ranks = member(group)[1].ranks
    if _arguments.rank(global_rank, "get_group_rank()", "global_rank") not in ranks:
        name = member(group)[0].group_name
        raise ValueError(
            f"Global rank {global_rank} is not part of group {name}, which has the ranks {ranks}"
        )
    return ranks.index(global_rank)


def get_global_rank(group, group_rank):
    """The rank in the world of the process that has a rank in a group. ValueError where there is none."""
    ranks = member(group)[1].ranks
    if not 0 <= _arguments.rank(group_rank, "get_global_rank()", "group_rank") < len(ranks):
        name = member(group)[0].group_name
        raise ValueError(
            f"Group rank {group_rank} is not part of group {name}, which has {len(ranks)} ranks"
        )
    return ranks[group_rank]


def get_pg_count():
    """How many groups this process is in."""
    return len(world.groups)


def set_timeout(timeout, group=None):
    """Sets a group's timeout, for collectives that are called from now on and name none."""
    _arguments.expect(timeout, timedelta, "set_timeout()", "timeout", "a timedelta")
    _arguments.of_group(timeout, "set_timeout()")
    group, known = member(group)
    group._set_timeout(timeout)
    known.timeout = timeout


def staging_statistics(group=None):
    """What a group carried through memory of the host, because its backend takes no tensors of a device.

    Returns:
        A dict with the number of "collectives" and of "bytes", which were copied there and back.
    """
    collectives, nbytes = member(group)[0]._staged()
    return {"collectives": collectives, "bytes": nbytes}


def get_backend_config(group=None):
    """The same for each type of device: "cpu:gloo,cuda:gloo"."""
    return str(BackendConfig(get_backend(group)))


def _default_timeout(backend):
    return default_pg_nccl_timeout if str(backend).lower() == "nccl" else default_pg_timeout


def _chosen_routes(store, name, rank, ranks, parent):
    """The backends where nobody says which: NCCL for its devices, if they are there."""
    routes = [("", _choose_backend(store, name, rank, ranks, parent))]
    if _targets.module("cuda").is_available() and is_nccl_available():
        routes.insert(0, ("cuda", "nccl"))
    return routes


def _make(backend, store, name, ranks, rank, timeout, options=None, device=None):
    """`backend` as users name it; for None one is chosen by where the ranks are.

    Of the ranks those that the default group, where there is one, knows to have ended are not waited for.
    """
    routes = _routes(backend)
    _check_options(options, routes)
    with _Within(timeout):
        return _make_in_time(routes, store, name, ranks, rank, timeout, options, device)


def _make_in_time(routes, store, name, ranks, rank, timeout, options, device):
    own = PrefixStore(f"group/{name}", store)
    own.set_timeout(timeout)
    chosen = routes is None
    if chosen:
        routes = _chosen_routes(own, name, rank, list(ranks), world.default)

    def make_native(routes, store, name):
        priority = _options.priority_of(options)
        return _make_group(
            routes, store, name, rank, list(ranks), timeout, device, world.default, priority
        )

    made = make_python_group(routes, own, name, ranks, rank, timeout, options, make_native)
    if made is None:
        made = make_native(routes, own, name)
    world.groups[made] = Membership(list(ranks), shown(routes), store, timeout, chosen)
    return made


def _check_options(options, routes):
    """Those of a backend that a program has registered are its own affair."""
    backends = None if routes is None else [backend for _, backend in routes]
    if not any(is_registered(backend) for backend in backends or ()):
        _options.check_native(options, backends)


def pretend(rank, size):
    """From now on the world has so many ranks, whatever a program asks for; the others are not there."""
    world.pretended = (rank, size)


def _routes(backend):
    routes = routes_of(backend)
    return routes if world.pretended is None else [("", "fake")]


def init_process_group(
    backend=None,
    init_method=None,
    timeout=None,
    world_size=-1,
    rank=-1,
    store=None,
    group_name="",
    pg_options=None,
    device_id=None,
):
    """Makes the group of all processes, in which this one has a rank; a call of every process.

    `backend` names what carries collectives out: 'shm', 'gloo' (docs/collectives.md), one that was
    registered, or one for each type of device ("cpu:gloo,cuda:nccl"). For None it is 'shm' where all ranks
    are on one host, else 'gloo'. Processes meet in `store`, with `rank` and `world_size`, or where
    `init_method` says (`rendezvous`; `env://`); for 'mpi', mpirun says which rank this is, and where.
    `timeout` is that of every collective which names none; that of `pg_options`, or else 30 minutes, 10 for
    'nccl'. `device_id` is a device that is connected now and not by its first collective. `pg_options` are
    what a registered backend takes, or BackendOptions (`ProcessGroupNCCL.Options()`).
    All of it together takes no longer than the timeout. ValueError for a second call without
    `destroy_process_group`, for a rank that the world has not or that another process has, and where
    processes were started for worlds of different sizes.
    """
    _arguments.check_call()
    with world.lock:
        if world.default is not None:
            raise ValueError("trying to initialize the default process group twice!")
        if store is not None and init_method is not None:
            raise ValueError("Cannot specify both init_method and store.")
        timeout = _arguments.of_group(timeout, "init_process_group()")
        routes = routes_of(backend)  # wrong names before anybody waits
        _check_options(pg_options, routes)
        size = world_size
        if world.pretended is not None:
            rank, size = world.pretended
            store = HashStore()
        device = _device(device_id)
        timeout = timeout or _options.timeout_of(pg_options) or _default_timeout(backend)
        # Of all that follows together.
        with _Within(timeout):
            if store is None:
                # Who knows the ranks is not told them.
                met = rendezvous_of(routes, timeout)
                if met is None:
                    met = next(rendezvous(init_method or "env://", rank, size, timeout=timeout))
                store, rank, size = met
            if size < 1 or not 0 <= rank < size:
                raise ValueError(f"rank {rank} is not one of a world of {size} processes")
            made = _make_world(
                backend, store, group_name or "world", size, rank, timeout, pg_options, device
            )
        world.groups[made].device = None if device_id is None else _C.device(device_id)
        world.groups[made].description = "default_pg"
        world.default = made


def _device(device_id):
    """The device that is connected at once, for the argument `device_id`."""
    if device_id is None:
        return None
    _arguments.expect(
        device_id, str | int | _C.device, _arguments.called(), "device_id", "a device"
    )
    device = _C.device(device_id)
    if device.index is None and not _C._is_host(device):
        raise ValueError(
            f"{_arguments.called()}: device_id: expected a device with an index, such as '{device.type}:0', "
            f"got {device_id!r}"
        )
    return str(device)


def _make_world(backend, store, name, size, rank, timeout, options, device):
    """The group of all processes, in which no other has this rank and all mean the same world."""
    claim = _Claim(store, name, rank, size)
    try:
        made = _make(
            backend, claim.meeting_store, name, range(size), rank, timeout, options, device
        )
    except BaseException:
        claim.release()
        raise
    claim.note_made()
    world.claim, world.groups[made].store = claim, claim.store
    return made


def new_group(
    ranks=None,
    timeout=None,
    backend=None,
    pg_options=None,
    use_local_synchronization=False,
    group_desc=None,
    device_id=None,
    sort_ranks=True,
):
    """A group of some processes of the world (all, for None); a call of every process.

    With `use_local_synchronization` it is a call of those that are in it, and no other need make it.
    Processes that are not in it get `GroupMember.NON_GROUP_MEMBER`. `device_id` is a device that is connected
    now. With `sort_ranks=False` the ranks in the group are the places in `ranks`.
    """
    _arguments.check_call()
    with world.lock:
        _, known = member(None)
        size = len(known.ranks)
        timeout = _arguments.of_group(timeout, "new_group()")
        routes_of(backend)
        given = range(size) if ranks is None else ranks
        ranks = _arguments.sequence(given, "new_group()", "ranks", "a list of ints")
        for rank in ranks:
            _arguments.rank(rank, "new_group()", "ranks")
        if sort_ranks:
            ranks.sort()
        wrong = [r for r in ranks if not 0 <= r < size]
        if wrong or len(set(ranks)) != len(ranks):
            raise ValueError(
                f"new_group(): expected different ranks of a world of {size}, got {ranks}"
            )
        if world.pretended is not None and not use_local_synchronization:
            world.asked.append((ranks, _arguments.called_from()))
        name = f"{group_desc or 'group'}-{_number(ranks, use_local_synchronization)}"
        rank = world.default.rank()
        if rank not in ranks:
            return GroupMember.NON_GROUP_MEMBER
        made = make_part(known, name, ranks, rank, timeout, backend, pg_options, device_id)
        world.groups[made].description = group_desc or "undefined"
        return made


def _number(ranks, is_local):
    """What tells a group from others, alike on all ranks that call: only those count that have called."""
    if not is_local:
        world.made += 1
        return str(world.made)
    count = world.made_by_some[tuple(ranks)] = world.made_by_some.get(tuple(ranks), 0) + 1
    of = hashlib.sha256(repr(ranks).encode()).hexdigest()[:16]
    return f"of-{of}-{count}"


def split_part(parent, known, color, name, ranks, rank, timeout):
    """A group of those of a group's ranks that say the same color, on its backends; None for color -1."""
    timeout = _arguments.of_group(timeout, _arguments.called()) or known.timeout
    own = PrefixStore(f"group/{name}", known.store)
    own.set_timeout(timeout)
    place = ranks.index(rank) if ranks else 0
    with _Within(timeout):
        made = _split_group(parent, color, own, name, place, ranks, timeout)
    if made is not None:
        world.groups[made] = Membership(ranks, known.backend, known.store, timeout, known.chosen)
    return made


def make_part(known, name, ranks, rank, timeout, backend, pg_options, device_id=None):
    """A group of some of a group's processes: backend, store and timeout are that one's unless given."""
    if backend is None and not known.chosen:
        backend = known.backend
    place = ranks.index(rank)
    timeout = _arguments.of_group(timeout, _arguments.called())
    timeout = timeout or _options.timeout_of(pg_options) or known.timeout
    device = _device(device_id)
    made = _make(backend, known.store, name, ranks, place, timeout, pg_options, device)
    world.groups[made].device = None if device is None else _C.device(device)
    return made


def destroy_process_group(group=None):
    """Leaves a group; for None or the default group all of them. What still runs fails.

    While an exception is handled, as in a `finally`, ranks that wait for this one are told of it.
    """
    with world.lock:
        if group == GroupMember.NON_GROUP_MEMBER:
            return
        left, _ = member(group)
        if (error := sys.exc_info()[1]) is not None:
            tell_others(error, world.groups if left is world.default else [left])
        if left is world.default:
            all_groups = list(world.groups)
            world.groups.clear()
            world.default, world.made = None, 0
            world.made_by_some.clear()
            _leave_all(all_groups)
            # A shrunk world has none: that of the whole one was given back.
            if world.claim is not None:
                world.claim.release()
            world.claim = None
        else:
            del world.groups[left]
            left._leave()

"""Scheduler: collectives by priority, in parts, in the same order on all ranks."""

from opweave import _C, _distributed
from opweave.distributed import _arguments, _groups
from opweave.distributed._collectives import broadcast
from opweave.distributed._groups import destroy_process_group, get_group_rank, member
from opweave.distributed._reductions import ReduceOp

_MIB = 2**20
# Of rounds, where links were not measured; and in which they lie where they were.
_USUAL, _LEAST, _MOST = 1.0, 1 / 16, 16.0
# Before each round ranks agree on it, which takes a latency: of the time of a round a fiftieth.
_LATENCIES = 50


def _round_mb(links):
    """How much a round takes of what was measured: the slower kind of link decides."""
    if not links:
        return _USUAL
    slowest = min(links.values(), key=lambda link: link["bandwidth"])
    carried = _LATENCIES * slowest["latency"] * slowest["bandwidth"] / _MIB
    return min(max(carried, _LEAST), _MOST)


class Scheduler:
    """Carries out collectives by their priority: what is urgent does not wait for what is large.

    Collectives of a group run one after another. Those of a scheduler do so in rounds: of what all ranks have
    called for, that of the highest priority is next, then the smaller, then the earlier. What is larger than
    a round (`round_mb`, in MiB) is cut, so that what is called meanwhile waits for a round and not for all of
    it. Results are equal to those of `all_reduce` and `broadcast` to the bit, and so is the order on all
    ranks. Of several collectives of one tensor each has to be waited for before the next is called.

    Every rank of the group makes it, which connects a group of its own; and calls it for the same things in
    the same order. None is the default group; `round_mb` is rank 0's. For None a round is what the slowest
    link carries in fifty latencies, between 1/16 and 16 MiB, if `measure_links` has measured it, and 1 MiB
    otherwise.

    It takes tensors on the host. An error, a timeout, or a rank that leaves ends it on all ranks: what is
    pending fails with DistBackendError, and so does what is called later. TypeError and ValueError for
    arguments that cannot be, RuntimeError for a group whose backend is not one of Opweave's.
    """

    def __init__(self, group=None, round_mb=None):
        _arguments.expect(
            round_mb, int | float | None, "Scheduler()", "round_mb", "a number or None"
        )
        if round_mb is not None and not round_mb > 0:
            raise ValueError(f"Scheduler(): round_mb must be positive, got {round_mb}")
        if round_mb is not None and not 1 <= round_mb * _MIB < 2**63:
            raise ValueError(
                f"Scheduler(): round_mb: expected at least a byte and less than 2**43 MiB, got {round_mb}"
            )
        own, known = member(group)
        if not own._is_native():
            raise RuntimeError(
                f"Scheduler(): the backend '{known.backend}' of the group '{own.name()}' is not one of "
                "Opweave's"
            )
        self._known, self._given = known, round_mb
        known.schedulers += 1
        name, ranks = f"{own.name()}-scheduler-{known.schedulers}", list(known.ranks)
        self.group = _groups.make_part(known, name, ranks, ranks[own.rank()], None, None, None)
        if known.links:
            # The ways of its collectives, and so their bits, are the group's.
            first, last = (list(known.links.values())[i] for i in (0, -1))
            self.group._set_links(list(first.values()), list(last.values()))
        size = _C.tensor([round_mb or _round_mb(known.links)], dtype=_C.float64)
        broadcast(size, group=self.group, group_src=0)
        self.round_mb = size.item()
        self._scheduler = _distributed._Scheduler(self.group, int(self.round_mb * _MIB))

    def all_reduce(self, tensor, op=ReduceOp.SUM, priority=0):
        """`all_reduce`, later: a Work. The higher the priority, the sooner."""
        self._check(tensor, priority, "Scheduler.all_reduce()")
        _arguments.expect(op, ReduceOp, "Scheduler.all_reduce()", "op", "a ReduceOp")
        return self._started().all_reduce(tensor, str(op), priority)

    def broadcast(self, tensor, src=None, priority=0, group_src=None):
        """`broadcast`, later: a Work. `src` is a rank of the world, `group_src` one of the group."""
        where = "Scheduler.broadcast()"
        self._check(tensor, priority, where)
        if (src is None) == (group_src is None):
            raise ValueError(
                f"{where}: expected either src or group_src, got src={src} and group_src={group_src}"
            )
        name, given = ("src", src) if group_src is None else ("group_src", group_src)
        _arguments.rank(given, where, name)
        root = get_group_rank(self.group, src) if group_src is None else group_src
        return self._started().broadcast(tensor, root, priority)

    def statistics(self):
        """What it has done since it was made.

        Returns:
            A dict: "collectives" that were called, "rounds", and "parts" that were carried out in them;
            "overtakings", parts that went ahead of something that was called before them; "order", a number
            that is the same on all ranks, as they had the same parts in the same order; "agreeing", the
            seconds in which ranks agreed on rounds, or waited for one another to have something pending.
        """
        return self._started().statistics()

    def explain(self):
        """The size of rounds, and why: a text of one line."""
        if self._given is not None:
            why = "as it was given"
        elif self._known.links:
            why = f"what the slowest measured link carries in {_LATENCIES} latencies"
        else:
            why = "as links were not measured"
        return f"rounds of {self.round_mb:.3g} MiB, {why}"

    def close(self):
        """Ends it on this rank: what is pending fails. Its group is destroyed; the other one goes on."""
        self._scheduler = None
        if self.group in _groups.world.groups:
            destroy_process_group(self.group)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def _started(self):
        if self._scheduler is None:
            raise RuntimeError("Scheduler: it was closed")
        return self._scheduler

    @staticmethod
    def _check(tensor, priority, where):
        _arguments.tensor(tensor, where, "tensor")
        _arguments.expect(priority, int, where, "priority", "an int")
        if not -(2**31) <= priority < 2**31:
            raise ValueError(f"{where}: priority: expected an int of 32 bits, got {priority}")

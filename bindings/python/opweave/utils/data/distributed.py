"""DistributedSampler: each rank's own part of a data set."""

from opweave import _C
from opweave._random import default_generator
from opweave.utils.data.sampler import Sampler


def _of_group(name, value, ask):
    if value is not None:
        return value
    import opweave.distributed as dist

    if not dist.is_initialized():
        raise ValueError(
            f"DistributedSampler: {name} is that of the default process group, which has not been "
            f"initialized; call init_process_group, or give {name}"
        )
    return getattr(dist, ask)()


class DistributedSampler(Sampler):
    """The indices of one rank's examples: every `num_replicas`-th of an order that all ranks have.

    The order is PyTorch's, index for index. All ranks have as many examples: the first ones are taken again
    at the end, or the last ones left out.

    Args:
        dataset: what has a length.
        num_replicas, rank: of the default group, for None.
        shuffle: whether the order is another one in each epoch (`set_epoch`).
        seed: the same on all ranks.
        drop_last: whether examples that do not suffice for all ranks are left out.

    ValueError for a rank that there is not, and without a group that says which it is.
    """

    def __init__(
        self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False
    ):
        self.num_replicas = _of_group("num_replicas", num_replicas, "get_world_size")
        self.rank = _of_group("rank", rank, "get_rank")
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"Invalid rank {self.rank}, rank should be in the interval [0, {self.num_replicas - 1}]"
            )
        self.dataset, self.shuffle, self.seed, self.drop_last = dataset, shuffle, seed, drop_last
        self.epoch = 0
        more = 0 if drop_last else self.num_replicas - 1
        self.num_samples = (len(dataset) + more) // self.num_replicas
        self.total_size = self.num_samples * self.num_replicas
        self._taken = 0  # of this rank's, in this epoch
        self._used = None  # of these, what a DataLoader that loads ahead has handed out
        self._begins_at = 0  # the next time

    def _order(self):
        n = len(self.dataset)
        return self._shuffled(n) if self.shuffle else range(n)

    def _shuffled(self, n):
        # Of this engine always: ranks of PyTorch may be among those of the group.
        host = default_generator.device
        generator = _C.Generator(device=host, engine="mt19937")
        generator.manual_seed(self.seed + self.epoch)
        return _C.randperm(n, generator=generator, device=host).tolist()

    def __iter__(self):
        self._taken, self._begins_at, self._used = self._begins_at, 0, None
        first = self._taken * self.num_replicas + self.rank
        order = self._order()
        # Where there are more places than examples these are taken again, from the first.
        places = range(first, self.total_size, self.num_replicas) if len(order) > 0 else ()
        return self._take(order, places)

    def _take(self, order, places):
        for place in places:
            self._taken += 1
            yield order[place % len(order)]

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """The epoch that is begun, for an order of its own; called before it on every rank."""
        if epoch != self.epoch:
            self._taken = self._begins_at = 0
            self._used = None
        self.epoch = epoch

    def _tell_used(self, taken):
        """A loader has handed out the first so many of this epoch's examples, and no more."""
        self._used = taken

    def state_dict(self):
        """The epoch, and how many examples all ranks together have taken in it; the same on every rank.

        What has been taken is what the iterator has yielded, or what a `DataLoader` has handed out, however
        many batches its workers have loaded ahead: save where all of that is used. With `in_order=False`
        there is no such place before the end of an epoch.
        """
        taken = self._taken if self._used is None else self._used
        return {"epoch": self.epoch, "seed": self.seed, "taken": taken * self.num_replicas}

    def load_state_dict(self, state_dict):
        """Goes on where the state was saved: the next iteration, of that epoch, leaves out what was taken.

        For another number of ranks as well; up to as many examples as there are ranks are taken again then.
        """
        self.epoch, self.seed = state_dict["epoch"], state_dict["seed"]
        self._used = None
        self._taken = self._begins_at = state_dict["taken"] // self.num_replicas

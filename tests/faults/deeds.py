"""What ranks do together: collectives whose results are known, and training."""

import opweave as ow
import opweave.distributed as dist
from opweave import nn

# Elements of a collective: within a message, in several pieces, beyond what is copied at once.
SIZES = (1, 1000, 300_000)


def expect(found, wanted):
    """AssertionError unless all elements of a tensor are this number."""
    if not bool((found == wanted).all()):
        raise AssertionError(
            f"expected {wanted} everywhere, got {found.flatten()[:5].tolist()} ..."
        )


class Deed:
    """Steps that each of `size` ranks takes, this one as `rank`."""

    def __init__(self, rank, size):
        self.rank, self.size = rank, size


class CollectiveDeed(Deed):
    """A step `KIND SIZE` calls the method of that kind with how many elements a tensor has."""

    @property
    def sum(self):
        return self.size * (self.size + 1) // 2

    def own(self, n):
        return ow.full((n,), self.rank + 1.0)

    @classmethod
    def names(cls, chance):
        kinds = [kind for kind in vars(cls) if not kind.startswith("_")]
        some = [f"{chance.choice(kinds)} {chance.choice(SIZES)}" for _ in range(6)]
        return [*some, "barrier 0"]  # which nobody passes without the others

    def take(self, name):
        kind, n = name.split()
        getattr(self, kind)(int(n))


class Collectives(CollectiveDeed):
    """Each step a collective of tensors that hold the rank + 1; what stands here is one."""

    def all_reduce(self, n):
        x = self.own(n)
        dist.all_reduce(x)
        expect(x, self.sum)

    def all_reduce_async(self, n):
        first, second = self.own(n), self.own(1)
        works = [dist.all_reduce(x, async_op=True) for x in (first, second)]
        for work in works:
            work.wait()
        expect(first, self.sum)
        expect(second, self.sum)

    def broadcast(self, n):
        x = self.own(n)
        dist.broadcast(x, self.size - 1)
        expect(x, self.size)

    def reduce(self, n):
        x = self.own(n)
        dist.reduce(x, 0)
        if self.rank == 0:
            expect(x, self.sum)

    def all_gather(self, n):
        parts = [ow.zeros(n) for _ in range(self.size)]
        dist.all_gather(parts, self.own(n))
        for r, part in enumerate(parts):
            expect(part, r + 1)

    def reduce_scatter(self, n):
        mine = ow.zeros(n)
        dist.reduce_scatter(mine, [self.own(n) for _ in range(self.size)])
        expect(mine, self.sum)

    def all_to_all(self, n):
        parts = [ow.zeros(n) for _ in range(self.size)]
        dist.all_to_all(parts, [self.own(n) for _ in range(self.size)])
        for r, part in enumerate(parts):
            expect(part, r + 1)

    def gather(self, n):
        parts = [ow.zeros(n) for _ in range(self.size)] if self.rank == 0 else None
        dist.gather(self.own(n), parts, 0)
        for r, part in enumerate(parts or []):
            expect(part, r + 1)

    def scatter(self, n):
        x = ow.zeros(n)
        parts = [ow.full((n,), float(r)) for r in range(self.size)] if self.rank == 0 else None
        dist.scatter(x, parts, 0)
        expect(x, self.rank)

    def send_recv(self, n):
        x = ow.zeros(n)
        before = (self.rank - 1) % self.size
        work = dist.isend(self.own(n), (self.rank + 1) % self.size, tag=3)
        dist.recv(x, before, tag=3)
        work.wait()
        expect(x, before + 1)

    def barrier(self, _):
        dist.barrier()


class Training(Deed):
    """DistributedDataParallel over three steps, whose parameters stay equal."""

    def wrap(self):
        ow.manual_seed(self.rank)
        layers = nn.Linear(20, 300), nn.ReLU(), nn.Linear(300, 3)
        self.model = nn.parallel.DistributedDataParallel(nn.Sequential(*layers), bucket_cap_mb=0.01)
        self.optimizer = ow.optim.SGD(self.model.parameters(), lr=0.1)

    def forward(self):
        self.optimizer.zero_grad()
        self.loss = self.model(ow.randn(8, 20)).square().sum()

    def backward(self):
        self.loss.backward()

    def update(self):
        self.optimizer.step()

    def compare(self):
        for p in self.model.parameters():
            parts = [ow.empty_like(p) for _ in range(self.size)]
            dist.all_gather(parts, p.detach())
            for part in parts:
                expect(part - p, 0)

    @classmethod
    def names(cls, _):
        return ["wrap", *["forward", "backward", "update"] * 3, "compare"]

    def take(self, name):
        getattr(self, name)()


DEEDS = {"collectives": Collectives, "training": Training}


def names(deed, chance):
    """Of its steps."""
    return DEEDS[deed].names(chance)

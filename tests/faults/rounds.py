"""Round: what some processes do together, and what befalls one of them. A seed and a number decide it."""

import random
from dataclasses import dataclass

import deeds

# Seconds that a collective may take.
LIMIT = 3.0
# What the victim does or suffers; the first two a while after a step began, the rest before it.
SIGNALS = ("killed", "stopped")
FAULTS = (*SIGNALS, "exits", "vanishes", "raises", "late", "none")
# Whose victim will not be there for a group of those that are left.
GONE = ("killed", "stopped", "exits", "vanishes", "raises")
MEETING = -1  # the step in which the group is made


@dataclass(frozen=True)
class Round:
    """`deed` has `steps`, which all ranks take in this order; `fault` befalls `victim` in the step `at`."""

    number: int
    backend: str
    ranks: int
    deed: str
    steps: tuple
    fault: str
    victim: int
    at: int
    delay: float  # seconds from the beginning of the step to the signal

    def __str__(self):
        where = "the meeting" if self.at == MEETING else f"step {self.at} ({self.steps[self.at]})"
        return (
            f"round {self.number}: {self.backend}, {self.ranks} ranks, {self.deed}: rank {self.victim} "
            f"{self.fault} in {where}, {self.delay * 1000:.1f} ms after it began"
        )


def draw(seed, number, backends=("shm", "gloo")):
    """The round of this number."""
    chance = random.Random(f"{seed}:{number}")
    deed = chance.choice(list(deeds.DEEDS))
    ranks = chance.choice([2, 3, 3, 4])
    steps = deeds.names(deed, chance)
    return Round(
        number=number,
        backend=chance.choice(backends),
        ranks=ranks,
        deed=deed,
        steps=tuple(steps),
        fault=chance.choice(FAULTS),
        victim=chance.randrange(ranks),
        at=chance.randrange(MEETING, len(steps)),
        delay=chance.choice([0, 1e-4, 1e-3, 1e-2]) * chance.random(),
    )

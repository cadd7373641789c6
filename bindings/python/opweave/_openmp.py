"""How OpenMP's threads wait for one another, which it reads from the environment when it is loaded."""

import os

# Rounds of waiting before a thread sleeps, 100 us in all. libgomp's own 300,000 rounds last 20 ms: as
# soon as other programs use the cores, threads that turn take them from those they wait for, and two
# trainings side by side took 10 times as long as with this bound, which costs one alone a few percent.
_ROUNDS = "2000"
_CHOICES = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


def load_extension():
    """Imports _C with short waits, unless the user chose otherwise; the environment stays as it was."""
    if any(name in os.environ for name in _CHOICES):
        return
    os.environ["GOMP_SPINCOUNT"] = _ROUNDS
    try:
        from opweave import _C  # noqa: F401
    finally:
        del os.environ["GOMP_SPINCOUNT"]

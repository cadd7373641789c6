"""The generator: beside torchgen, and on made-up files of up to 20,000 operators."""

from generator import (
    check,
    check_torch,
    generate,
    generate_made_up,
    megabytes_of,
    seconds_of,
    seconds_of_few,
    torchgen_aten,
    torchgen_parse,
    version,
)
from measure import Pair, Sampler
from rows import add_row, row

SIZES = {count: generate_made_up(count) for count in (2500, 5000, 10000, 20000)}


def _limit(amount: float) -> Sampler:
    """What a row is measured against whose goal is an amount of time or memory."""
    return lambda runs: amount * runs


def _times(factor: int, sampler: Sampler) -> Sampler:
    return lambda runs: factor * sampler(runs)


# What every command costs before it does anything: no table is filled before it is asked for.
add_row("opweave --version", "10 ms", 1, lambda: Pair(seconds_of(version), _limit(0.01)))
add_row("opweave check", "50 ms", 1, lambda: Pair(seconds_of(check), _limit(0.05)))
add_row("check of PyTorch's files", "100 ms", 1, lambda: Pair(seconds_of(check_torch), _limit(0.1)))


@row("check of PyTorch's files", "torchgen parse", 0.1)
def _() -> Pair:
    return Pair(seconds_of(check_torch), torchgen_parse)


@row("memory of checking PyTorch's files", "100 MB", 1, unit="MB")
def _() -> Pair:
    return Pair(megabytes_of(check_torch), _limit(100))


add_row("full generation", "300 ms", 1, lambda: Pair(seconds_of(generate), _limit(0.3)))


@row("full generation", "torchgen, ATen", 0.025)
def _() -> Pair:
    return Pair(seconds_of(generate), torchgen_aten)


@row("memory of full generation", "200 MB", 1, unit="MB")
def _() -> Pair:
    return Pair(megabytes_of(generate), _limit(200))


def _add_size(count: int) -> None:
    limit = 6 * count / 20000
    name = f"generation of {count:,} made-up operators"
    add_row(name, f"{limit:g} s", 1, lambda: Pair(seconds_of_few(SIZES[count]), _limit(limit)))


for size in SIZES:
    _add_size(size)

# Linear: eight times the operators take eight times as long.
add_row(
    "time of 20,000 made-up operators",
    "8 x 2,500",
    1.2,
    lambda: Pair(seconds_of_few(SIZES[20000]), _times(8, seconds_of_few(SIZES[2500]))),
)
add_row(
    "memory of 20,000 made-up operators",
    "8 x 2,500",
    1.2,
    lambda: Pair(megabytes_of(SIZES[20000]), _times(8, megabytes_of(SIZES[2500]))),
    unit="MB",
)

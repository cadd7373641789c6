"""Random numbers of the engine "mt19937": PyTorch's, to the last bit."""

import json
import subprocess
import sys
from pathlib import Path

import opweave as ow
import pytest
import reference
from reference import random_numbers

ANSWERS = json.loads((Path(reference.__file__).parent / "data/random_numbers.json").read_text())
CASES = random_numbers.cases()


@pytest.fixture(autouse=True)
def twister():
    ow.random.set_engine("mt19937")
    yield
    ow.random.set_engine("philox")


def runs():
    return [(seed, name) for name in CASES for seed in random_numbers.seeds_of(name)]


@pytest.mark.parametrize(("seed", "name"), runs())
def test_numbers_are_pytorchs(seed, name):
    ow.manual_seed(seed)
    assert random_numbers.answer(ow, CASES[name]) == ANSWERS[f"{seed}: {name}"]


@pytest.mark.parametrize("name", ["odd normals", "many words"])
def test_the_state_is_laid_out_as_pytorchs(name):
    ow.manual_seed(5)
    CASES[name](ow)
    state = random_numbers.answer(ow, lambda ow: ow.get_rng_state())
    assert state == ANSWERS[f"state after {name}"]


@pytest.mark.parametrize("name", ["odd normals", "many words"])
def test_a_state_comes_back(name):
    ow.manual_seed(3)
    ow.randn(5)  # leaves the second of a pair
    state = ow.get_rng_state()
    first = random_numbers.answer(ow, CASES[name])
    ow.set_rng_state(state)
    assert random_numbers.answer(ow, CASES[name]) == first
    other = ow.Generator(engine="mt19937").set_state(state)
    assert other.initial_seed() == 3
    ow.set_rng_state(state)
    assert ow.randn(7, generator=other).tolist() == ow.randn(7).tolist()


def test_an_engine_begins_with_the_seed():
    ow.manual_seed(7)
    twisted = ow.rand(4).tolist()
    ow.random.set_engine("philox")
    assert ow.random.get_engine() == "philox"
    ow.manual_seed(7)
    assert ow.rand(4).tolist() != twisted
    ow.random.set_engine("mt19937")
    assert ow.rand(4).tolist() == twisted
    assert ow.initial_seed() == 7


def test_generators_have_engines_of_their_own():
    twisted = ow.Generator(engine="mt19937").manual_seed(5)
    plain = ow.Generator(engine="philox").manual_seed(5)
    assert (twisted.engine, plain.engine) == ("mt19937", "philox")
    ow.manual_seed(5)
    assert ow.rand(9, generator=twisted).tolist() == ow.rand(9).tolist()
    assert ow.rand(9, generator=plain).tolist() != ow.rand(9).tolist()
    assert (twisted.get_state().numel(), plain.get_state().numel()) == (5056, 16)


def test_generators_that_are_gone_leave_nothing():
    for seed in range(2000):
        ow.Generator(engine="mt19937").manual_seed(seed)
    ow.random.set_engine("philox")
    assert ow.Generator().engine == "philox"


def test_fork_rng_restores_the_engine():
    ow.manual_seed(1)
    expected = ow.randn(3).tolist()
    ow.manual_seed(1)
    with ow.random.fork_rng():
        ow.randn(100)
    assert ow.randn(3).tolist() == expected


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (lambda: ow.Generator(engine="pcg"), ValueError, "'philox' or 'mt19937', got 'pcg'"),
        (lambda: ow.Generator(engine=3), TypeError, "must be str, not int"),
        (lambda: ow.Generator(device="meta", engine="mt19937"), ValueError, "is on 'meta'"),
        (lambda: ow.set_rng_state(ow.zeros(5, dtype=ow.uint8)), RuntimeError, "5056 .* to be 5"),
        (lambda: ow.set_rng_state(ow.zeros(5056)), TypeError, "RNG state must be"),
        (
            lambda: ow.set_rng_state(ow.zeros(5056, dtype=ow.uint8)),
            RuntimeError,
            "Invalid mt19937 state: seeded=0",
        ),
    ],
)
def test_refusals(wrong, error, message):
    with pytest.raises(error, match=message):
        wrong()


def test_a_state_that_would_read_past_the_end_is_refused():
    state = ow.get_rng_state()
    state[8] = 200  # numbers left
    with pytest.raises(RuntimeError, match="199 numbers left after number"):
        ow.set_rng_state(state)


def test_generators_without_an_engine_of_their_own_draw_as_the_default_one():
    assert ow.Generator().engine == "mt19937"
    assert ow.Generator(engine="philox").engine == "philox"
    ow.random.set_engine("philox")
    assert ow.Generator().engine == "philox"


def test_a_generator_is_not_locked_while_python_makes_its_state():
    program = """
import gc
import opweave as ow
generator = ow.Generator(engine="mt19937")
asked = []
def ask(phase, info):
    if phase == "start" and len(asked) < 20:
        asked.append(ow.randn(2, generator=generator))
gc.callbacks.append(ask)
gc.set_threshold(1)
states = []
for _ in range(100):
    states.append(generator.get_state())
print(len(asked))
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "20\n", done.stderr

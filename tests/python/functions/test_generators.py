"""Generators as objects: copied, pickled, and with a state that goes on apart."""

import copy
import pickle

import opweave as ow
import pytest


def drawn(engine):
    generator = ow.Generator(engine=engine)
    generator.manual_seed(2**40 + 7)
    ow.rand(5, generator=generator)
    return generator


@pytest.mark.parametrize("engine", ["philox", "mt19937"])
@pytest.mark.parametrize(
    "again",
    [
        copy.copy,
        copy.deepcopy,
        lambda g: pickle.loads(pickle.dumps(g)),
        lambda g: pickle.loads(pickle.dumps(g, protocol=0)),
        lambda g: g.clone_state(),
    ],
    ids=["copy", "deepcopy", "pickle", "protocol 0", "clone_state"],
)
def test_another_of_the_same_state(engine, again):
    generator = drawn(engine)
    other = again(generator)
    assert type(other) is ow.Generator
    assert (other.engine, other.device) == (engine, generator.device)
    assert other.initial_seed() == generator.initial_seed() == 2**40 + 7
    numbers = ow.rand(3, generator=generator).tolist()
    assert ow.rand(3, generator=other).tolist() == numbers
    assert (
        ow.rand(3, generator=other).tolist() == ow.rand(3, generator=generator).tolist() != numbers
    )


def test_what_has_a_generator_is_copied_with_it():
    sampler = ow.utils.data.RandomSampler(range(10), generator=drawn("philox"))
    assert list(copy.deepcopy(sampler)) == list(sampler)


def test_a_state_of_pytorch_is_taken_with_its_engine():
    """What a pickle of a Generator of PyTorch says: seed, offset and the words of its engine."""
    generator, state = ow.Generator(), drawn("mt19937").get_state()
    generator.__setstate__((5, None, state))
    assert generator.engine == "mt19937"
    assert ow.rand(2, generator=generator).equal(
        ow.rand(2, generator=drawn("mt19937").clone_state())
    )


def test_what_is_refused():
    generator = ow.Generator()
    for call in (generator.graphsafe_get_state, lambda: generator.graphsafe_set_state(generator)):
        with pytest.raises(
            NotImplementedError, match=r"graphsafe_.et_state is not supported in this Gen"
        ):
            call()
    for state in (3, (1, 2), (1, None, 5), (1, None, ow.ones(3))):
        with pytest.raises(TypeError, match=r"Generator|state"):
            generator.__setstate__(state)
    with pytest.raises(TypeError, match="set_state expected the uint8 CPU tensor"):
        generator.__setstate__((1, None, ow.ones(3, dtype=ow.uint8)))

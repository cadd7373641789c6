"""Seeds and states of the default random generators."""

from opweave import _C

default_generator = _C._default_generator(None)


def _as_seed(seed):
    """The seed as an integer of 64 bits; what `int()` refuses is refused with the same kind of error."""
    try:
        number = int(seed)
    except (OverflowError, TypeError, ValueError) as error:
        raise type(error)(f"manual_seed(): the seed has to be an integer, not {seed!r}") from None
    if not -(2**63) <= number < 2**64:
        raise ValueError(
            f"Overflow when unpacking long long: the seed {number} has more than 64 bits"
        )
    return number


def manual_seed(seed):
    """Seeds the default generators of all devices; returns the CPU's.

    Raises:
        ValueError: a seed of more than 64 bits, or not a number.
        OverflowError: an infinite seed.
        TypeError: a seed that is no number.
    """
    _C._manual_seed(_as_seed(seed))
    return default_generator


def seed():
    """Seeds the default generators of all devices from the system's entropy; returns the seed."""
    value = default_generator.seed()
    _C._manual_seed(value)
    return value


def initial_seed():
    """The seed of the CPU's default generator."""
    return default_generator.initial_seed()


def get_rng_state():
    """The state of the CPU's default generator, as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Restores a state of get_rng_state()."""
    default_generator.set_state(new_state)

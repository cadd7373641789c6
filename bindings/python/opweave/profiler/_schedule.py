"""When a profiler records: by the number of a step."""

import enum

__all__ = ["ProfilerAction", "ProfilerActivity", "schedule"]


class ProfilerActivity(enum.Enum):
    """What is looked at. Work on devices is seen as the calls that begin it."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a profiler does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """Cycles of steps: `wait` in which nothing is done, `warmup`, and `active` that are recorded.

    Args:
        repeat: how many cycles; 0 for as many as there are steps.
        skip_first: steps before the first cycle.
        skip_first_wait: 1 for a first cycle without `wait`.

    Returns:
        function: from the number of a step to a ProfilerAction.

    Raises:
        AssertionError: a negative number, or no active steps.
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    length = wait + warmup + active

    def action(step):
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        step -= skip_first
        if step < 0:
            return ProfilerAction.NONE
        step += wait if skip_first_wait else 0
        if repeat and step >= repeat * length:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD

    return action


def always(_):
    """What a profiler without a schedule does."""
    return ProfilerAction.RECORD

"""How many tests run at once: `./dev test` gives every processor SLOTS slots.

A test that computes takes all the slots of a processor. One of processes that mostly wait for one another
takes one: beside it the processor has time for others.
"""

SLOTS = 2  # .bazelrc, which cannot read it here, has it as well

def slots(waits):
    """The tags of a test."""
    return [] if waits else ["cpu:%d" % SLOTS]

"""What is wrong with how a round ended."""

import re

from rounds import LIMIT, MEETING, SIGNALS

OPERATORS = re.compile(
    r"all_reduce|broadcast|reduce|all_gather|reduce_scatter|all_to_all|gather|scatter|send|recv|barrier"
)
# Seconds beyond its time-out after which a rank has been told.
PATIENCE = 1.0


def judge(drawn, ends, slack=0.0):
    """A line for each thing that is wrong. `ends`: of each rank; `slack`: seconds of a busy machine."""
    lines = []
    for rank, end in enumerate(ends):
        is_victim = rank == drawn.victim and drawn.fault != "none"
        if is_victim and drawn.fault != "late":
            continue
        if end.outcome is None:
            lines.append(f"rank {rank} {end.how}: {end.said[-1500:]}")
            continue
        lines += [
            f"rank {rank}: {text}"
            for text in faults_of(drawn, end.outcome, is_victim, slack, ends[drawn.victim].process)
        ]
    return lines


def faults_of(drawn, outcome, is_victim, slack, process):
    """Of one rank that came to its end; `process` is the number of the victim's."""
    yield from [f"a wrong result: {outcome['wrong']}"] if outcome["wrong"] else []
    yield from faults_of_telling(drawn, outcome["told"], is_victim, slack, process)
    if outcome["leaving"] > LIMIT + PATIENCE + slack:
        yield f"left after {outcome['leaving']:.1f} s"
    if outcome["kept"]:
        yield f"keeps {'; '.join(outcome['kept'])}"
    if outcome["again"]:
        yield f"no group of those that are left: {outcome['again']}"


def faults_of_telling(drawn, told, is_victim, slack, process):
    if told is None:
        # A signal may come when everything is done.
        if drawn.fault not in ("none", *SIGNALS):
            yield "was told nothing"
        return
    text = told["text"]
    where = f"in {told['step']}: {text}"
    if drawn.fault == "none":
        yield f"nothing happened, and it was told {where}"
    elif not is_victim and not names(drawn, text, process):
        yield f"the victim is not named {where}"
    elif drawn.at != MEETING and told["step"] != "meeting" and not OPERATORS.search(text):
        yield f"no operator is named {where}"
    if told["seconds"] > LIMIT + PATIENCE + slack:
        yield f"was told after {told['seconds']:.1f} s {where}"


def names(drawn, text, process):
    """Whether it is said who is to blame: `rank 2` or `ranks 0, 2`."""
    # The store's file, which is locked before it is known who is which rank.
    if f"process {process} holds it" in text:
        return True
    lists = re.findall(r"ranks? ((?:\d+(?:, )?)+)", text)
    if any(str(drawn.victim) in numbers.split(", ") for numbers in lists):
        return True
    # Who waits for a letter knows the other alone, which may wait for the victim.
    waits = drawn.fault in ("late", "stopped")
    return waits and re.search(r"rank \d+ did not (take|send) it in time", text) is not None

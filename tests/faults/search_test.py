"""The search for faults between processes: a short run of it, and that it finds what there is to find."""

from dataclasses import replace

import pytest
import rounds
from judge import judge
from search import End, findings_of

ROUND = rounds.Round(
    number=0,
    backend="shm",
    ranks=2,
    deed="collectives",
    steps=("all_reduce 1", "barrier 0"),
    fault="raises",
    victim=1,
    at=0,
    delay=0.0,
)
GOOD = {
    "told": {"step": "all_reduce 1", "text": "all_reduce: rank 1 has ended", "seconds": 0.1},
    "wrong": "",
    "leaving": 0.1,
    "kept": [],
    "again": "",
}
# The clock of a busy machine is not what is tested here.
SLACK = 10


@pytest.mark.parametrize("number", range(6))
def test_a_short_run_finds_nothing(number):
    drawn = rounds.draw(3, number)
    if findings := findings_of(drawn, SLACK):
        # Whole, where pytest would shorten it.
        pytest.fail("\n".join([str(drawn), *findings]), pytrace=False)


def test_the_number_of_a_round_decides_it():
    drawn = [str(rounds.draw(1, n)) for n in range(200)]
    assert drawn == [str(rounds.draw(1, n)) for n in range(200)]
    for what in (*rounds.FAULTS, "shm", "gloo", "training", "collectives", "the meeting"):
        assert any(what in text for text in drawn), what


def found(**changes):
    outcome = {**GOOD, **changes}
    return judge(ROUND, [End(outcome, "", "", 7), End(None, "ended with the status 1", "", 8)])


def told(**changes):
    return found(told={**GOOD["told"], **changes})


def test_a_good_end_is_none():
    assert not found()
    assert not told(text="all_reduce: ranks 0, 1 did not come in time")
    locked = "the store does not answer: FileStore('/a'): cannot lock the file, process {} holds it"
    assert not told(step="meeting", text=locked.format(8))
    assert told(step="meeting", text=locked.format(7))


def test_what_is_wrong_is_found():
    assert found(wrong="x") == ["rank 0: a wrong result: x"]
    assert found(told=None) == ["rank 0: was told nothing"]
    assert "the victim is not named" in told(text="all_reduce: rank 0 left the group")[0]
    assert "the victim is not named" in told(text="all_reduce: ranks 0, 11 left the group")[0]
    assert "no operator is named" in told(text="rank 1 left the group")[0]
    assert "was told after 4.5 s" in told(seconds=4.5)[0]
    assert found(leaving=5) == ["rank 0: left after 5.0 s"]
    assert found(kept=["3 threads"]) == ["rank 0: keeps 3 threads"]
    assert found(again="x") == ["rank 0: no group of those that are left: x"]
    assert judge(ROUND, [End(None, "hangs", "where"), None]) == ["rank 0 hangs: where"]
    calm = replace(ROUND, fault="none")
    ends = [End(GOOD, "", ""), End({**GOOD, "told": None}, "", "")]
    assert "nothing happened" in judge(calm, ends)[0]


def test_a_letter_names_who_did_not_take_it():
    late = replace(ROUND, ranks=3, fault="late", victim=2)
    text = "send to rank 1: rank 1 did not take it in time"
    waits = End({**GOOD, "told": {**GOOD["told"], "text": text}}, "", "")
    assert not judge(late, [waits, waits, waits])
    assert judge(replace(late, fault="killed"), [waits, waits, waits])

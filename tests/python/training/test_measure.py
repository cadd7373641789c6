"""What processes of this host measure: its links, and the step of a model that several take at once."""

import time

import pytest
from opweave.distributed.plan import (
    MeasureError,
    host_links,
    profile_at_once,
    read_links,
    write_links,
)


def test_this_host_is_measured(tmp_path):
    links = host_links(2)
    [(ranks, points)] = links.levels[0].measured
    assert ranks == 2
    assert [nbytes for nbytes, _ in points][:2] == [4, 1024]
    assert all(seconds > 0 for _, seconds in points)
    assert 0 < links.busy <= 1
    assert links.processors >= 1
    write_links(links, tmp_path / "links.json")
    assert read_links(tmp_path / "links.json").levels == links.levels


SMALL_MODEL = """
import opweave as ow
from opweave import nn
def model(): return nn.Linear(32, 8)
def loss(m): return m(ow.ones(4, 32)).sum()
"""


def test_a_step_is_measured_by_several_processes(tmp_path):
    file = tmp_path / "model.py"
    file.write_text(SMALL_MODEL)
    found = profile_at_once(file, 2, steps=2)
    assert found.nbytes == 4 * (32 * 8 + 8)
    assert found.backward > found.after > 0
    assert found.waiting > 0  # for the others
    file.write_text(SMALL_MODEL + "raise RuntimeError('it has no model')")
    with pytest.raises(MeasureError, match="measure failed: RuntimeError: it has no model"):
        profile_at_once(file, 2)


# Of two processes the second fails: before it is ready, when the other waits for it in the making of
# their group; and in a step, when the other waits at its end.
ALONE = "\nimport sys\nif sys.argv[4] == '1': {}\n"
DIES = {
    "before": ALONE.format("raise RuntimeError('no room')"),
    "in a step": "\ndef fails(model): raise RuntimeError('no room')" + ALONE.format("loss = fails"),
    # The other is told by the group before this process has ended.
    "in a step, and ends slowly": "\nimport atexit, time\ndef fails(model): raise RuntimeError('no room')"
    + ALONE.format("loss = fails; atexit.register(time.sleep, 1)"),
    "killed": ALONE.format("import os; os._exit(9)"),
}


@pytest.mark.parametrize("when", DIES)
def test_the_process_that_fails_alone_is_told_of_at_once(when, tmp_path):
    file = tmp_path / "model.py"
    file.write_text(SMALL_MODEL + DIES[when])
    told = "status 9" if when == "killed" else "RuntimeError: no room"
    began = time.monotonic()
    with pytest.raises(MeasureError, match=f"measure failed: {told}"):
        profile_at_once(file, 2)
    assert time.monotonic() - began < 30, "the one that waits was waited for"

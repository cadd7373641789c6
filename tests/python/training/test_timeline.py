"""The timeline of backward passes: what viewers read, and a page."""

import json
import re

import opweave as ow
import pytest
from opweave import nn
from support.ranks import run

PASSES, KEPT = 5, 3


def mine(rank):
    return ow.randn(8, 32, generator=ow.Generator().manual_seed(rank))


def train(dist, rank, size, place):
    layers = [nn.Linear(32, 32) for _ in range(3)]
    model = nn.parallel.DistributedDataParallel(nn.Sequential(*layers), bucket_cap_mb=0.005)
    timeline = dist.trace.TrainingTimeline(model, passes=KEPT)
    assert timeline.passes() == []
    for _ in range(PASSES):
        model(mine(rank)).sum().backward()
    for name in ("steps.json", "steps.html"):
        timeline.save(f"{place}/{name}")
    with pytest.raises(ValueError, match=r"expected \.json or \.html, got 'steps\.txt'"):
        timeline.save(f"{place}/steps.txt")
    with pytest.raises(ValueError, match="expected a number of passes above 0, got 0"):
        dist.trace.TrainingTimeline(model, passes=0)
    before = timeline.passes()
    timeline.stop()
    model(mine(rank)).sum().backward()
    model(mine(rank))
    return before, model.statistics()["began"]


def test_what_is_kept_is_written_for_all_ranks(tmp_path):
    results = run(train, 2, tmp_path, place=str(tmp_path))
    for passes, last in results:
        began = [one["began"] for one in passes]
        assert len(began) == KEPT
        assert began == sorted(began)
        assert began[-1] < last
    trace = json.loads((tmp_path / "steps.json").read_text())
    events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
    names = [e["args"]["name"] for e in trace["traceEvents"] if e["ph"] == "M"]
    assert {"rank 0", "rank 1", "backward pass", "collectives 1"} <= set(names)
    for rank, (passes, _) in enumerate(results):
        here = [e for e in events if e["pid"] == rank]
        assert sum(e["name"] == "backward" for e in here) == KEPT
        buckets = [e for e in here if e["name"].startswith("bucket")]
        assert len(buckets) == sum(len(one["buckets"]) for one in passes)
        assert "2.weight" in " ".join(e["args"]["what"] for e in buckets)
        check_rows(here)
    assert min(e["ts"] for e in events) >= 0
    html = (tmp_path / "steps.html").read_text()
    assert len(re.findall('<rect class="bucket"', html)) == sum(
        len(one["buckets"]) for passes, _ in results for one in passes
    )
    assert "pass 2, backward: " in html
    assert ">rank 1<" in html


def check_rows(events):
    """In a row nothing overlaps: viewers would take it for nested."""
    rows = {}
    for event in sorted(events, key=lambda e: e["ts"]):
        end = rows.get(event["tid"], 0.0)
        assert event["ts"] >= end - 1e-3
        rows[event["tid"]] = event["ts"] + event["dur"]

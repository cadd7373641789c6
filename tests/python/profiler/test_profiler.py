"""opweave.profiler: which events there are, when they are recorded, and what is made of them."""

import gzip
import json
import threading
import time

import pytest


def named(events):
    return [event.name.removeprefix("opweave::") for event in events]


def test_calls_in_calls(ow):
    x = ow.randn(50, 50, requires_grad=True)
    with ow.profiler.profile() as p:
        with ow.profiler.record_function("mine"):
            y = (x @ x).relu().sum()
        y.backward()
    by_name = {event.name: event for event in reversed(p.events())}
    mine = by_name["mine"]
    assert mine.is_user_annotation
    assert mine.cpu_parent is None
    assert named(mine.cpu_children) == ["matmul", "relu", "sum"]
    assert "opweave::mm" in by_name
    assert by_name["opweave::matmul"].cpu_parent is mine
    for event in p.events():
        inside = sum(child.cpu_time_total for child in event.cpu_children)
        assert event.self_cpu_time_total == pytest.approx(event.cpu_time_total - inside)
        assert event.self_cpu_time_total >= 0
        for child in event.cpu_children:
            assert event.time_range.start <= child.time_range.start
            assert child.time_range.end <= event.time_range.end
    backward = [e for e in p.events() if e.time_range.start > mine.time_range.end]
    assert "opweave::mm" in [e.name for e in backward]


def test_a_call_is_one_event(ow):
    x = ow.ones(3, requires_grad=True)
    with ow.profiler.profile() as p:
        for _ in range(5):
            x.sin()
    assert [(e.key, e.count) for e in p.key_averages()] == [("opweave::sin", 5)]


def test_times_are_those_of_the_clock(ow):
    with ow.profiler.profile() as p, ow.profiler.record_function("pause"):
        time.sleep(0.05)
    (event,) = p.events()
    assert 50_000 <= event.cpu_time_total < 5_000_000


def test_all_threads(ow):
    def work():
        ow.ones(3).cos()

    with ow.profiler.profile() as p:
        ow.ones(3).sin()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    sines, cosines = ([e for e in p.events() if e.name == f"opweave::{n}"] for n in ("sin", "cos"))
    assert sines[0].thread == threading.get_native_id() != cosines[0].thread


def test_shapes(ow):
    with ow.profiler.profile(record_shapes=True) as p:
        for n in (2, 3, 3):
            ow.ones(n, 4) @ ow.ones(4, 5)
    products = [e for e in p.events() if e.name == "opweave::mm"]
    assert [e.input_shapes for e in products] == [[[n, 4], [4, 5]] for n in (2, 3, 3)]
    grouped = [a for a in p.key_averages(group_by_input_shape=True) if a.key == "opweave::mm"]
    assert sorted(a.count for a in grouped) == [1, 2]
    assert "[[3, 4], [4, 5]]" in p.key_averages(group_by_input_shape=True).table()


def test_a_call_that_fails(ow):
    with ow.profiler.profile() as p:
        with pytest.raises(RuntimeError):
            ow.ones(2, 3) @ ow.ones(2, 3)
        with pytest.raises(KeyError), ow.profiler.record_function("mine"):
            raise KeyError
    assert [e.failed for e in p.events() if e.name in ("opweave::matmul", "mine")] == [True, True]


def test_schedule(ow):
    action = ow.profiler.ProfilerAction
    made = ow.profiler.schedule(wait=1, warmup=1, active=2, repeat=1, skip_first=1)
    none, warm, record, save = action.NONE, action.WARMUP, action.RECORD, action.RECORD_AND_SAVE
    assert [made(i) for i in range(8)] == [none, none, warm, record, save, none, none, none]
    for_ever = ow.profiler.schedule(wait=0, warmup=0, active=1)
    assert [for_ever(i) for i in range(3)] == [save] * 3
    with pytest.raises(AssertionError, match=r"Got wait=-1 \(need >= 0\).*active=0 \(need > 0\)"):
        ow.profiler.schedule(wait=-1, warmup=0, active=0)


def test_steps(ow):
    seen = []

    def ready(p):
        seen.append((p.step_num, named(p.events())))

    made = ow.profiler.schedule(wait=1, warmup=1, active=2)
    with ow.profiler.profile(schedule=made, on_trace_ready=ready) as p:
        for i in range(8):
            (ow.sin if i % 4 == 2 else ow.cos)(ow.ones(1))
            p.step()
    cycle = ["ProfilerStep#{}", "ones", "sin", "ProfilerStep#{}", "ones", "cos"]
    assert [step for step, _ in seen] == [4, 8]
    for (_, names), first in zip(seen, (2, 6), strict=True):
        text = " ".join(n for n in names if not n.startswith(("empty", "fill_")))
        assert text == " ".join(cycle).format(first, first + 1)


def test_what_a_cycle_has_at_the_end(ow):
    seen = []
    with ow.profiler.profile(on_trace_ready=lambda p: seen.append(len(p.events()))):
        ow.ones(1)
    assert len(seen) == 1
    assert seen[0] > 0


def test_table(ow):
    with ow.profiler.profile() as p:
        for _ in range(3):
            ow.ones(100, 100).sin()
        with ow.profiler.record_function("a long name " * 20):
            pass
    averages = p.key_averages()
    lines = averages.table(sort_by="self_cpu_time_total", header="MINE").splitlines()
    assert lines[1] == "MINE"
    assert lines[3].split("  ")[-1].strip() == "# of Calls"
    assert all(len(line) == len(lines[2]) for line in lines[2:-1])
    assert any(
        len(word) == 55 and word.endswith("...") for line in lines for word in line.split("  ")
    )
    assert lines[-1].startswith("Self CPU time total: ")
    total = averages.total_average()
    assert total.count == sum(a.count for a in averages)
    assert total.self_cpu_time_total == pytest.approx(p.events().self_cpu_time_total)
    own = [a.self_cpu_time_total for a in averages]
    rows = averages.table(sort_by="cpu_time_total", row_limit=1, time_unit="ms").splitlines()
    assert len(rows) == 6
    assert rows[3].count("ms") == 3
    assert sum(own) > 0
    with pytest.raises(AttributeError, match="has no attribute 'x'"):
        averages.table(sort_by="x")
    with pytest.raises(ValueError, match="time_unit must be one of s, ms, us, not 'h'"):
        averages.table(time_unit="h")
    assert ow.profiler.EventList().table() == ""


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_trace(ow, tmp_path, suffix):
    with ow.profiler.profile(record_shapes=True) as p, ow.profiler.record_function("mine"):
        ow.ones(2).sin()
    p.add_metadata("note", "text")
    p.add_metadata_json("numbers", "[1, 2]")
    path = tmp_path / f"trace.json{suffix}"
    p.export_chrome_trace(str(path))
    data = path.read_bytes()
    trace = json.loads(gzip.decompress(data) if suffix else data)
    assert (trace["note"], trace["numbers"]) == ("text", [1, 2])
    events = {e["name"]: e for e in trace["traceEvents"] if e["ph"] == "X"}
    assert events["mine"]["cat"] == "user_annotation"
    assert events["opweave::sin"]["args"]["Input Dims"] == [[2]]
    assert events["mine"]["ts"] <= events["opweave::sin"]["ts"]
    assert events["opweave::sin"]["dur"] > 0


def test_trace_for_each_cycle(ow, tmp_path):
    handler = ow.profiler.tensorboard_trace_handler(str(tmp_path / "new"), worker_name="w")
    made = ow.profiler.schedule(wait=0, warmup=0, active=1)
    with ow.profiler.profile(schedule=made, on_trace_ready=handler) as p:
        ow.ones(1)
        p.step()
        ow.ones(1)
    files = sorted(path.name for path in (tmp_path / "new").iterdir())
    assert len(files) == 2
    assert all(name.startswith("w.") and name.endswith(".pt.trace.json") for name in files)


def test_record_function_of_a_function(ow):
    @ow.profiler.record_function("again")
    def twice(n):
        return twice(n - 1) if n else 0

    twice(2)
    with ow.profiler.profile() as p:
        twice(2)
    assert [e.name for e in p.events()] == ["again"] * 3
    with pytest.raises(TypeError, match="name must be str, not int"):
        ow.profiler.record_function(3)


def test_the_older_names(ow):
    old = ow.autograd.profiler
    with old.profile(record_shapes=True) as p, old.record_function("mine"):
        ow.ones(2).sin()
    assert "mine" in p.table()
    assert p.self_cpu_time_total > 0
    assert p.total_average().count == len(p.function_events)
    with ow.autograd.profiler.profile(enabled=False) as off:
        ow.ones(2)
    assert list(off.function_events) == []


def test_what_is_refused(ow):
    with ow.profiler.profile(), pytest.raises(RuntimeError, match="Profiler is already enabled"):  # noqa: SIM117
        with ow.profiler.profile():
            pass
    with ow.profiler.profile() as p:
        ow.ones(1)
    assert p.events()
    with pytest.raises(TypeError, match="Expected ProfilerActivity or dict, got <class 'int'>"):
        ow.profiler.profile(activities=[3])
    with pytest.warns(UserWarning, match=r"profile\(\): profile_memory=True: not recorded"):
        ow.profiler.profile(profile_memory=True)
    with pytest.raises(RuntimeError, match="stacks, which are not recorded"):
        p.export_stacks("x")


def test_many_calls_from_many_threads(ow):
    def work():
        for _ in range(500):
            ow.ones(2) + 1

    with ow.profiler.profile() as p:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    counts = {a.key: a.count for a in p.key_averages()}
    assert counts["opweave::add"] == 2000
    assert counts["opweave::ones"] == 2000

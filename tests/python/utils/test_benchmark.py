"""opweave.utils.benchmark: what is measured, and how tables show it."""

import math

import pytest

LABELS = {"label": "L", "sub_label": "S", "description": "D"}


def made(ow, median, **labels):
    task = ow.utils.benchmark.TaskSpec("x + y", "pass", **labels)
    return ow.utils.benchmark.Measurement(10, [10 * median] * 4, task)


def test_a_timer_calls_the_statement(ow):
    calls = []
    timer = ow.utils.benchmark.Timer(
        "f(opweave.get_num_threads())", globals={"f": calls.append}, num_threads=2
    )
    before = ow.get_num_threads()
    measured = timer.timeit(200)
    assert len(calls) == 202
    assert set(calls) == {2}
    assert ow.get_num_threads() == before
    assert (measured.number_per_run, len(measured.raw_times)) == (200, 1)
    assert measured.median == measured.mean == measured.times[0] > 0


def test_blocks(ow):
    seen = []
    timer = ow.utils.benchmark.Timer("x + 1", setup="x = opweave.ones(2)")
    measured = timer.blocked_autorange(callback=lambda n, t: seen.append((n, t)), min_run_time=0.02)
    assert [t for _, t in seen] == measured.raw_times
    assert {n for n, _ in seen} == {measured.number_per_run}
    assert sum(measured.raw_times) >= 0.02
    adapted = timer.adaptive_autorange(min_run_time=0.005, max_run_time=0.05)
    assert len(adapted.times) > 1


def test_what_is_refused(ow):
    benchmark = ow.utils.benchmark
    with pytest.raises(ValueError, match="Currently only a `str` stmt is supported"):
        benchmark.Timer(3)
    with pytest.raises(ValueError, match="Invalid language `c`"):
        benchmark.Timer("1", language="c")
    with pytest.raises(NameError, match="name 'x' is not defined"):
        benchmark.Timer("x").timeit(1)
    with pytest.raises(
        ValueError, match="Expected an instance of `Measurement`, got <class 'int'> instead"
    ):
        benchmark.Compare([3])
    with pytest.raises(NotImplementedError, match="blocked_autorange"):
        benchmark.Timer().repeat()


def test_statistics(ow):
    task = ow.utils.benchmark.TaskSpec("f()", "pass")
    measured = ow.utils.benchmark.Measurement(2, [2.0, 4.0, 6.0, 8.0, 10.0], task)
    assert (measured.median, measured.mean, measured.iqr) == (3.0, 3.0, 2.0)
    assert measured.has_warnings
    assert not measured.meets_confidence()
    assert "Median: 3.00 s" in repr(measured)
    assert "WARNING: the middle half of the times spans 66.7% of their median" in repr(measured)
    assert measured.num_threads == 1
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        measured.nothing  # noqa: B018


def test_one_measurement_as_text(ow):
    text = repr(made(ow, 1.5e-6, **LABELS)).splitlines()
    assert text[1:] == ["L: S", "D", "  Median: 1.50 us", "  IQR:    0.00 us",
                        "  4 measurements, 10 runs per measurement, 1 thread"]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "unit"),
    [(0, "ns"), (3e-10, "ns"), (5e-7, "ns"), (1e-6, "us"), (0.02, "ms"), (90, "s")],
)
def test_units(ow, seconds, unit):
    assert ow.utils.benchmark.select_unit(seconds)[0] == unit


@pytest.mark.parametrize(
    ("x", "n", "trimmed"), [(0, 3, 0), (123.4, 2, 120), (0.01234, 1, 0.01), (9.99, 2, 10)]
)
def test_trimming(ow, x, n, trimmed):
    assert ow.utils.benchmark.trim_sigfig(x, n) == pytest.approx(trimmed)


def test_digits_are_counted(ow):
    with pytest.raises(TypeError, match=r"^trim_sigfig: n: expected a number of digits, got inf$"):
        ow.utils.benchmark.trim_sigfig(1.0, math.inf)


def test_table(ow):
    results = [
        made(ow, 1e-6, **LABELS),
        made(ow, 1.1e-6, **{**LABELS, "description": "E"}),
        made(ow, 5e-6, **{**LABELS, "sub_label": "S2", "description": "E"}, num_threads=2),
    ]
    compare = ow.utils.benchmark.Compare(results)
    assert str(compare).splitlines() == [
        "[------- L --------]",
        "         |  D  |  E ",
        "1 threads: ---------",
        "      S  | 1.0 | 1.1",
        "2 threads: ---------",
        "      S2 |     | 5.0",
        "",
        "Times are in microseconds (us).",
    ]
    compare.colorize()
    assert str(compare).count("\033[92m") == 2
    assert str(compare).count("\033[34m") == 1
    compare.trim_significant_figures()
    assert "1.0000" in str(compare)


def test_measurements_of_one_task_are_one(ow):
    first, second = made(ow, 1.0, **LABELS), made(ow, 3.0, **LABELS)
    (merged,) = ow.utils.benchmark.Measurement.merge([first, second])
    assert sorted(merged.times) == [1.0] * 4 + [3.0] * 4

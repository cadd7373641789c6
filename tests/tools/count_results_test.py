"""The line that ends ./dev test counts what ran, what failed however it failed, and what was skipped."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPORT = """<testsuites><testsuite>
<testcase name="a"/><testcase name="b"/>
<testcase name="c"><skipped/></testcase>
{more}</testsuite></testsuites>"""

FAILED_CASE = '<testcase name="d"><failure/></testcase>'


def result(label: str, status: str, report: Path | None, attempt: int = 1) -> dict:
    outputs = [{"name": "test.log", "uri": "file:///nowhere"}]
    if report is not None:
        outputs.append({"name": "test.xml", "uri": report.as_uri()})
    return {
        "id": {"testResult": {"label": label, "run": 1, "attempt": attempt}},
        "testResult": {"status": status, "testActionOutput": outputs},
    }


def configured(label: str) -> dict:
    return {"id": {"targetConfigured": {"label": label}}, "configured": {"testSize": "SMALL"}}


def completed(label: str, **payload: dict) -> dict:
    return {"id": {"targetCompleted": {"label": label}}, **payload}


@pytest.fixture
def count(tmp_path: Path):
    def run(*events: dict) -> str:
        file = tmp_path / "events.json"
        file.write_text("".join(json.dumps(event) + "\n" for event in events))
        command = [sys.executable, "tools/dev/count_results.py", file]
        return subprocess.check_output(command, text=True).strip()

    return run


def report(tmp_path: Path, more: str = "") -> Path:
    file = tmp_path / "a report.xml"
    file.write_text(REPORT.format(more=more))
    return file


def test_nothing_ran(count):
    assert count() == "0 passed, 0 failed, 0 skipped"


def test_counts_cases(count, tmp_path):
    assert count(result("//a", "PASSED", report(tmp_path))) == "2 passed, 0 failed, 1 skipped"


def test_counts_failed_cases_once(count, tmp_path):
    event = result("//a", "FAILED", report(tmp_path, FAILED_CASE))
    assert count(event) == "2 passed, 1 failed, 1 skipped"


def test_of_attempts_the_last_counts(count, tmp_path):
    (tmp_path / "first").mkdir()
    failed = report(tmp_path / "first", FAILED_CASE)
    first, second = result("//a", "FAILED", failed), result("//a", "PASSED", report(tmp_path), 2)
    again = "//a passed only when it was run again: what failed first is above\n"
    assert count(first, second) == again + "2 passed, 0 failed, 1 skipped"
    second = result("//a", "FAILED", failed, 2)
    assert count(first, second) == "2 passed, 1 failed, 1 skipped"


@pytest.mark.parametrize("status", ["FAILED", "TIMEOUT", "INCOMPLETE"])
def test_a_target_that_fails_beside_its_cases_is_a_failure(count, tmp_path, status):
    event = result("//a", status, report(tmp_path))
    assert count(event) == "2 passed, 1 failed, 1 skipped"


def test_a_target_without_a_report_counts_as_one(count):
    events = result("//a", "PASSED", None), result("//b", "FAILED", None)
    assert count(*events) == "1 passed, 1 failed, 0 skipped"


def test_a_truncated_report_is_no_report(count, tmp_path):
    file = tmp_path / "test.xml"
    file.write_text("<testsuites><testcase")
    assert count(result("//a", "TIMEOUT", file)) == "0 passed, 1 failed, 0 skipped"


def test_what_does_not_build_failed(count):
    events = configured("//a"), completed("//a", completed={})
    assert count(*events) == "0 passed, 1 failed, 0 skipped"


def test_what_cannot_be_built_here_is_skipped(count):
    aborted = {"reason": "SKIPPED"}
    events = (
        configured("//a"),
        completed("//a", aborted=aborted),
        completed("//lib", aborted=aborted),
    )
    assert count(*events) == "0 passed, 0 failed, 1 skipped"

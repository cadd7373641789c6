"""Counts the test cases of a Bazel run from its build events and prints one line."""

import json
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse


def read_events(path: str) -> Iterator[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def case_outcome(case: ET.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("status") == "skipped":
        return "skipped"
    return "passed"


def report_of(result: dict[str, Any]) -> Path | None:
    for output in result.get("testActionOutput", []):
        if output["name"] == "test.xml":
            return Path(unquote(urlparse(output["uri"]).path))
    return None


def cases_of(report: Path | None) -> Counter[str]:
    """The outcomes in a JUnit file; none where a test died before it wrote one."""
    if report is None or not report.exists() or report.stat().st_size == 0:
        return Counter()
    try:
        root = ET.parse(report).getroot()
    except ET.ParseError:
        return Counter()
    return Counter(case_outcome(case) for case in root.iter("testcase"))


def outcomes_of(result: dict[str, Any]) -> Counter[str]:
    """A target that failed counts at least one failure, whatever its report says."""
    counts = cases_of(report_of(result))
    if result["status"] == "PASSED":
        return counts or Counter(passed=1)
    return counts if counts["failed"] else counts + Counter(failed=1)


def target_outcome(event: dict[str, Any], tests: set[str]) -> str | None:
    """Targets that never ran: incompatible ones are skipped, those that did not build failed."""
    label = event["id"].get("targetCompleted", {}).get("label")
    if label is None:
        return None
    if event.get("aborted", {}).get("reason") == "SKIPPED":
        return "skipped" if label in tests else None
    return None if event.get("completed", {}).get("success") else "failed"


def count(events: Iterable[dict[str, Any]]) -> Counter[str]:
    total: Counter[str] = Counter()
    tests: set[str] = set()
    for event in events:
        if "targetConfigured" in event["id"] and "testSize" in event.get("configured", {}):
            tests.add(event["id"]["targetConfigured"]["label"])
        if "testResult" in event["id"] and "testResult" in event:
            total += outcomes_of(event["testResult"])
        elif outcome := target_outcome(event, tests):
            total[outcome] += 1
    return total


def main() -> None:
    total = count(read_events(sys.argv[1]))
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")


if __name__ == "__main__":
    main()

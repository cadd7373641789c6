"""Counts the test cases of a Bazel run from its build events and prints one line."""

import json
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
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


class Results:
    """What the events say so far. Of a test that was run again the last attempt counts."""

    def __init__(self) -> None:
        self.tests: set[str] = set()
        self.others: Counter[str] = Counter()
        self.attempts: dict[tuple[str, int, int], list[dict[str, Any]]] = {}

    def add(self, event: dict[str, Any]) -> None:
        if "targetConfigured" in event["id"] and "testSize" in event.get("configured", {}):
            self.tests.add(event["id"]["targetConfigured"]["label"])
        if "testResult" in event["id"] and "testResult" in event:
            self.attempts.setdefault(run_of(event), []).append(event["testResult"])
        elif outcome := target_outcome(event, self.tests):
            self.others[outcome] += 1

    def total(self) -> Counter[str]:
        last = (outcomes_of(attempts[-1]) for attempts in self.attempts.values())
        return sum(last, Counter(self.others))

    def run_again(self) -> list[str]:
        """The tests that passed only when they were run again."""
        return sorted(
            {
                label
                for (label, _, _), attempts in self.attempts.items()
                if len(attempts) > 1 and attempts[-1]["status"] == "PASSED"
            }
        )


def run_of(event: dict[str, Any]) -> tuple[str, int, int]:
    """What the attempts of one test have in common."""
    result = event["id"]["testResult"]
    return result["label"], result.get("run", 1), result.get("shard", 1)


def main() -> None:
    results = Results()
    for event in read_events(sys.argv[1]):
        results.add(event)
    for label in results.run_again():
        print(f"{label} passed only when it was run again: what failed first is above")
    total = results.total()
    print(f"{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")


if __name__ == "__main__":
    main()

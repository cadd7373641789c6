"""python -m opweave.distributed.trace FOLDER: reads the flight records of all ranks."""

import argparse
import sys
from pathlib import Path

from opweave.distributed.trace import divergence, records, timeline


def report(traces, groups):
    """(group, line) for all there is to say."""
    found = []
    for name, parts in groups.items():
        first = divergence.first_divergence(name, parts)
        if first is not None:
            found.append((first.queued, name, f"number {first.sequence}: {first.text}"))
    lines = [(name, text) for _, name, text in sorted(found)]
    for name, parts in groups.items():
        lines += [(name, text) for text in divergence.open_letters(parts)]
        if not any(group == name for group, _ in lines):
            lines.append((name, "all that is remembered agrees and has ended"))
    return lines


def main(arguments=None):
    parser = argparse.ArgumentParser(
        prog="python -m opweave.distributed.trace",
        description="Reads the flight records that the ranks wrote, names the first collective where they "
        "part, and draws a timeline.",
    )
    parser.add_argument("folder", type=Path, help="where the files of all ranks are")
    parser.add_argument("--html", type=Path, help="where the timeline goes (FOLDER/timeline.html)")
    given = parser.parse_args(arguments)
    if not given.folder.is_dir():
        parser.error(f"{given.folder} is no folder")
    traces, wrong = records.read_folder(given.folder)
    for text in wrong:
        print(text, file=sys.stderr)
    if not traces:
        print(f"{given.folder} has no flight records", file=sys.stderr)
        return 2
    groups = divergence.groups_of(traces)
    for trace in traces:
        print(f"rank {trace.rank} on {trace.host}: {trace.reason}")
    lines = report(traces, groups)
    for group, text in lines:
        print(f"{group}: {text}")
    html = given.html or given.folder / "timeline.html"
    html.write_text(timeline.page(traces, groups, lines), encoding="utf-8")
    print(f"timeline: {html}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""`./dev hostile SECONDS`: feeds every callable of the package with what it was not made for."""

import argparse
import re
import sys
import time

from campaign import Campaign, Limits, run_program
from minimise import minimised


def place_of(finding):
    """What tells one finding from another: what was called, and how it ended."""
    target = re.search(r"r = ([\w.]+)\(", finding.program)
    name = re.sub(r"^a0\.", "", target.group(1)) if target else "?"
    name = name.removeprefix("ow.ops.").removeprefix("ow.").removeprefix("F.").split(".")[0]
    return finding.kind, name, like(finding.kind, finding.text)


def like(kind, text):
    """Of words that are not for users, what tells one text from another."""
    return re.sub(r"\d+", "N", text[:60]) if kind == "text" else ""


def said(finding):
    """What tells where it happened: the message, or the lines of a sanitizer that do."""
    if finding.kind == "text":
        return finding.text[-1500:]
    lines = [x for x in finding.text.splitlines() if re.search(r"runtime error|ERROR: |^ +#\d", x)]
    return "\n".join(line[:200] for line in lines[:12])


def alone(finding, limits, shrink):
    """The finding's program, as small as it gets; whether it does the same in a process of its own."""
    found = finding.kind, like(finding.kind, finding.text)

    def ends_alike(program):
        kind, text = run_program(program, limits)
        return (kind, like(kind, text)) == found

    if not ends_alike(finding.program):
        return finding.program, False
    if not shrink or finding.kind == "hangs":
        return finding.program, True
    return minimised(finding.program, ends_alike), True


def main():
    parser = argparse.ArgumentParser(prog="./dev hostile")
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--first", type=int, default=0, help="the number of the first call")
    parser.add_argument("--no-shrink", action="store_true", help="print findings as they are")
    options = parser.parse_args()
    limits = Limits()
    campaign = Campaign(options.seed, limits)
    findings = campaign.run(first=options.first, seconds=options.seconds)
    kinds = {}
    for finding in findings:
        kinds.setdefault(place_of(finding), []).append(finding)
    for (kind, name, _), group in sorted(kinds.items()):
        program, repeats = alone(group[0], limits, not options.no_shrink)
        print(f"--- {kind} in {name}: {len(group)} calls, the first is {group[0].number}", end="")
        print("" if repeats else " (not when it is made alone)")
        print(said(group[0]))
        print(program, end="\n\n", flush=True)
    print(
        f"{campaign.made} calls with seed {options.seed}, {len(findings)} findings, {len(kinds)} different;"
        f" {campaign.accepted} of {campaign.judged} were accepted"
    )
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())

"""python -m opweave.distributed.plan MODEL.py: what its training would take on many ranks.

MODEL.py has two functions: `model()` returns a module, `loss(model)` the loss of a batch, and, if it likes,
`optimizer(parameters)` an optimiser. It is run here, on one process or on `--processes` of them at once, and
put on the links of `--links FILE` (JSON or YAML; by default 8 ranks in a host with 600 GB/s, and so on),
which `--measure FILE` writes for this host. With `--check`, MODEL.py is a training program, which is run as
every one of `--ranks` ranks: the first collective that they are not called for alike is named. What follows
`--` are its arguments.
"""

import argparse
import json
import sys
from pathlib import Path

from opweave.distributed.plan import (
    Links,
    LinksError,
    MeasureError,
    ProgramError,
    check,
    host_links,
    plan,
    profile_at_once,
    profile_of,
    read_links,
    report,
    write_links,
)
from opweave.distributed.plan.profile import NoGradientError


class PlanError(Exception):
    """What was asked for cannot be done."""


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m opweave.distributed.plan", description=__doc__.partition("\n\n")[2]
    )
    parser.add_argument("program", type=Path, metavar="MODEL.py", nargs="?")
    parser.add_argument("--links", type=Path, help="what is between ranks, in JSON or YAML")
    parser.add_argument("--ranks", type=int, action="append", help="default: 2 to 16,384")
    parser.add_argument("--ranks-per-host", type=int, help="default: what the links say")
    parser.add_argument(
        "--steps", type=int, default=5, help="that are timed (default: %(default)s)"
    )
    parser.add_argument(
        "--processes",
        type=int,
        default=1,
        help="that take the step at once, as the ranks of a host do",
    )
    parser.add_argument(
        "--faster", type=float, default=1.0, help="as on what computes so many times as fast"
    )
    parser.add_argument("--measure", type=Path, metavar="FILE", help="write the links of this host")
    parser.add_argument("--bucket-cap-mb", type=float, help="default: DistributedDataParallel's")
    parser.add_argument("--plot", type=Path, help="where to draw the efficiency, as SVG")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="compare what ranks call")
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    options = parser.parse_args(given[:end])
    options.arguments = given[end + 1 :]
    if options.program is None and options.measure is None:
        parser.error("expected a MODEL.py, or --measure FILE")
    return options


def _refuse_bad(options):
    for name in ("steps", "processes", "ranks_per_host"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise PlanError(f"--{name.replace('_', '-')}: expected at least 1, got {value}")
    if min(options.ranks or [2]) < 2:
        raise PlanError(f"--ranks: expected at least 2, got {min(options.ranks)}")
    if not options.faster > 0:
        raise PlanError(f"--faster: expected more than 0, got {options.faster}")
    if options.bucket_cap_mb is not None and not options.bucket_cap_mb > 0:
        raise PlanError(f"--bucket-cap-mb: expected more than 0, got {options.bucket_cap_mb}")


def _links(options):
    if options.measure is not None:
        links = host_links(max(options.processes, 2))
        write_links(links, options.measure)
    else:
        links = Links() if options.links is None else read_links(options.links)
    if options.ranks_per_host is not None:
        if links.is_matrix:
            raise PlanError("--ranks-per-host: the links are given for each two ranks")
        links = links.with_ranks_per_host(options.ranks_per_host)
    if links.most is not None and max(options.ranks or [2]) > links.most:
        raise PlanError(f"{options.links} describes {links.most} ranks, --ranks asks for more")
    return links


def _check(options):
    ranks = (options.ranks or [1024])[0]
    found = check(options.program, ranks, options.arguments)
    for disagreement in found:
        print(disagreement)
    if not found:
        print(f"{ranks} ranks call the same")
    return 1 if found else 0


def _outlooks(options, links):
    if options.processes == 1:
        measured = profile_of(options.program, options.steps)
    else:
        measured = profile_at_once(options.program, options.processes, options.steps)
    measured = measured.faster(options.faster)
    outlooks = plan(measured, links, options.ranks, options.bucket_cap_mb)
    if options.plot is not None:
        title = f"{options.program.name}: efficiency of a data-parallel step"
        try:
            options.plot.write_text(report.picture(outlooks, title), encoding="utf-8")
        except OSError as error:
            raise PlanError(f"--plot: {error}") from error
    print(json.dumps(report.rows(outlooks)) if options.json else report.table(measured, outlooks))


def main(arguments=None):
    options = parse(arguments)
    try:
        if options.check:
            return _check(options)
        _refuse_bad(options)
        links = _links(options)
    except (PlanError, LinksError, MeasureError, OSError, ValueError) as error:
        return _refused(error)
    try:
        if options.program is not None:
            _outlooks(options, links)
    except (PlanError, ProgramError, MeasureError, NoGradientError) as error:
        return _refused(error)  # what the program itself raises is told with its lines
    return 0


def _refused(error):
    print(f"plan: {error}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())

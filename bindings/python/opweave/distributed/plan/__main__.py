"""python -m opweave.distributed.plan MODEL.py: what its training would take on many ranks.

MODEL.py has two functions: `model()` returns a module, `loss(model)` the loss of a batch, and, if it likes,
`optimizer(parameters)` an optimiser. It is run here, on one process, and put on the links of `--links FILE`
(JSON; by default 8 ranks in a host with 600 GB/s, and so on). With `--check`, MODEL.py is a training program,
which is run as every one of `--ranks` ranks: the first collective that they are not called for alike is
named. What follows `--` are its arguments.
"""

import argparse
import json
import runpy
import sys
from pathlib import Path

from opweave.distributed.plan import Links, LinksError, check, plan, profile, report


class PlanError(Exception):
    """What was asked for cannot be done."""


def parse(arguments):
    parser = argparse.ArgumentParser(
        prog="python -m opweave.distributed.plan", description=__doc__.partition("\n\n")[2]
    )
    parser.add_argument("program", type=Path, metavar="MODEL.py")
    parser.add_argument("--links", type=Path, help="what is between ranks, in JSON")
    parser.add_argument("--ranks", type=int, action="append", help="default: 2 to 16,384")
    parser.add_argument(
        "--steps", type=int, default=5, help="that are timed (default: %(default)s)"
    )
    parser.add_argument("--bucket-cap-mb", type=float, help="default: DistributedDataParallel's")
    parser.add_argument("--plot", type=Path, help="where to draw the efficiency, as SVG")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--check", action="store_true", help="compare what ranks call")
    given = list(sys.argv[1:] if arguments is None else arguments)
    end = given.index("--") if "--" in given else len(given)
    options = parser.parse_args(given[:end])
    options.arguments = given[end + 1 :]
    return options


def _functions(program):
    if not program.exists():
        raise PlanError(f"there is no program {program}")
    sys.path.insert(0, str(program.parent.resolve()))
    names = runpy.run_path(str(program), run_name="model")
    lacking = [name for name in ("model", "loss") if not callable(names.get(name))]
    if lacking:
        wanted = " and ".join(f"a function {name}" for name in lacking)
        raise PlanError(f"{program}: expected model() and loss(model); there is not {wanted}")
    return names


def _measured(program, steps):
    names = _functions(program)
    model = names["model"]()
    update = None
    if callable(names.get("optimizer")):
        update = names["optimizer"](model.parameters()).step
    return profile(model, names["loss"], update, steps)


def _check(options):
    ranks = (options.ranks or [1024])[0]
    found = check(options.program, ranks, options.arguments)
    for disagreement in found:
        print(disagreement)
    if not found:
        print(f"{ranks} ranks call the same")
    return 1 if found else 0


def main(arguments=None):
    options = parse(arguments)
    try:
        if options.check:
            return _check(options)
        if min(options.ranks or [2]) < 2 or options.steps < 1:
            raise PlanError("expected at least 2 --ranks and 1 of --steps")
        if options.bucket_cap_mb is not None and not options.bucket_cap_mb > 0:
            raise PlanError(f"--bucket-cap-mb: expected more than 0, got {options.bucket_cap_mb}")
        links = Links() if options.links is None else Links.read(options.links)
        if links.most is not None and max(options.ranks or [2]) > links.most:
            raise PlanError(f"{options.links} describes {links.most} ranks, --ranks asks for more")
        measured = _measured(options.program, options.steps)
        outlooks = plan(measured, links, options.ranks, options.bucket_cap_mb)
        if options.plot is not None:
            title = f"{options.program.name}: efficiency of a data-parallel step"
            options.plot.write_text(report.picture(outlooks, title), encoding="utf-8")
        text = (
            json.dumps(report.rows(outlooks)) if options.json else report.table(measured, outlooks)
        )
        print(text)
        return 0
    except (PlanError, LinksError, OSError, ValueError) as error:
        print(f"plan: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())

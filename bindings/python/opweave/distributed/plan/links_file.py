"""Files that describe links, in JSON or YAML."""

import json
from pathlib import Path

from opweave.distributed.plan.links import Level, Links


class LinksError(ValueError):
    """A description of links that cannot be used: the file, where in it, and what was expected."""


def read_links(file):
    """Of a file: {"levels": [{"name", "count", "latency", "bandwidth"}, ...]} from the nearest on, or
    matrices {"latency": [[...]], "bandwidth": [[...]]} of seconds and bytes a second.

    A level may have "at_once" and "measured": {"2": [[bytes, seconds], ...]} as well, and beside the levels
    there may be "processors" and "busy" (see Level and Links). LinksError.
    """
    return _Reader(file).links(_parsed(Path(file)))


def write_links(links, file):
    """What read_links() reads, in JSON; of levels."""
    levels = [
        {
            "name": level.name,
            "count": level.count,
            "latency": level.latency,
            "bandwidth": level.bandwidth,
            **({} if level.at_once is None else {"at_once": level.at_once}),
            "measured": {str(ranks): [list(p) for p in points] for ranks, points in level.measured},
        }
        for level in links.levels
    ]
    described = {"levels": levels, "busy": links.busy}
    if links.processors is not None:
        described["processors"] = links.processors
    Path(file).write_text(json.dumps(described, indent=1) + "\n", encoding="utf-8")


def _parsed(file):
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise LinksError(f"{file}: not text: {error.reason}") from None
    if file.suffix in (".yaml", ".yml"):
        return _parsed_yaml(file, text)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise LinksError(f"{file}:{error.lineno}:{error.colno}: {error.msg}") from None


def _parsed_yaml(file, text):
    try:
        import yaml
    except ImportError:
        raise LinksError(
            f"{file}: YAML needs the package PyYAML, which is not installed; JSON needs none"
        ) from None
    try:
        return yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f":{mark.line + 1}:{mark.column + 1}" if mark else ""
        raise LinksError(f"{file}{where}: {error.problem}") from None
    except yaml.YAMLError as error:
        raise LinksError(f"{file}: {error}") from None


class _Reader:
    def __init__(self, file):
        self._file = file

    def links(self, given):
        if not isinstance(given, dict):
            self._refuse("", given, "an object")
        if "levels" in given and not set(given) - {"levels", "processors", "busy"}:
            return self._levels(given)
        if set(given) == {"latency", "bandwidth"}:
            latency = self._matrix("latency", given["latency"], None)
            return Links((), latency, self._matrix("bandwidth", given["bandwidth"], len(latency)))
        keys = ", ".join(sorted(map(str, given))) or "none"
        raise LinksError(
            f"{self._file}: expected the key 'levels', or 'latency' and 'bandwidth', got {keys}"
        )

    def _levels(self, given):
        rows = given["levels"]
        if not isinstance(rows, list) or not rows:
            self._refuse("levels", rows, "a list of levels")
        levels = [self._level(f"levels[{i}]", row) for i, row in enumerate(rows)]
        processors, busy = given.get("processors"), given.get("busy", 0)
        if processors is not None:
            self._whole("processors", processors)
        if busy != 0:
            self._number("busy", busy)
        return Links(levels, processors=processors, busy=busy)

    def _level(self, where, row):
        fields = {"name", "count", "latency", "bandwidth"}
        if not isinstance(row, dict) or not fields <= set(row) <= fields | {"at_once", "measured"}:
            self._refuse(where, row, "an object with name, count, latency and bandwidth")
        self._whole(f"{where}.count", row["count"])
        if row.get("at_once") is not None:
            self._whole(f"{where}.at_once", row["at_once"])
        return Level(
            str(row["name"]),
            row["count"],
            *(self._number(f"{where}.{key}", row[key]) for key in ("latency", "bandwidth")),
            row.get("at_once"),
            self._measured(f"{where}.measured", row.get("measured", {})),
        )

    def _measured(self, where, given):
        if not isinstance(given, dict) or not all(str(ranks).isdigit() for ranks in given):
            self._refuse(where, given, "an object with numbers of ranks")
        return tuple(
            (int(ranks), self._points(f"{where}[{ranks}]", points))
            for ranks, points in given.items()
        )

    def _points(self, where, points):
        pairs = (
            isinstance(points, list)
            and points
            and all(isinstance(p, list) and len(p) == 2 for p in points)
        )
        if not pairs:
            self._refuse(where, points, "a list of [bytes, seconds]")
        for i, point in enumerate(points):
            for j, value in enumerate(point):
                self._number(f"{where}[{i}][{j}]", value)
            if i and point[0] <= points[i - 1][0]:
                self._refuse(f"{where}[{i}][0]", point[0], "more bytes than in the one before")
        return tuple((float(nbytes), float(seconds)) for nbytes, seconds in points)

    def _whole(self, where, value):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            self._refuse(where, value, "a whole number of at least 1")

    def _matrix(self, where, rows, size):
        if not isinstance(rows, list) or len(rows) < 2 or size not in (None, len(rows)):
            self._refuse(where, rows, f"a list of {size or 'at least 2'} rows")
        size = len(rows)
        for i, row in enumerate(rows):
            if not isinstance(row, list) or len(row) != size:
                self._refuse(f"{where}[{i}]", row, f"a list of {size} numbers")
            for j, value in enumerate(row):
                if i != j:  # a rank needs no link to itself
                    self._number(f"{where}[{i}][{j}]", value)
        return rows

    def _number(self, where, value):
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e18:
            self._refuse(where, value, "a number above 0")
        return float(value)

    def _refuse(self, where, value, expected):
        shown = json.dumps(value, default=str)
        shown = shown if len(shown) < 60 else shown[:57] + "..."
        raise LinksError(f"{self._file}: {where or 'the file'}: expected {expected}, got {shown}")

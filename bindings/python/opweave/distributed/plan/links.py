"""Links: latency and bandwidth between ranks, by levels of a machine room or between each two."""

import json
from dataclasses import dataclass
from pathlib import Path


class LinksError(ValueError):
    """A description of links that cannot be used: the file, where in it, and what was expected."""


@dataclass(frozen=True)
class Level:
    """Ranks that are as near to one another: so many of the level below, or of ranks, make one."""

    name: str
    count: int
    latency: float  # s
    bandwidth: float  # bytes/s


# Eight ranks share a host, eight hosts are neighbours, 16 such make a rack row, and there are many sites.
DEFAULT = (
    Level("host", 8, 2e-6, 600e9),
    Level("neighbours", 8, 5e-6, 200e9),
    Level("racks", 16, 50e-6, 100e9),
    Level("sites", 2**20, 1000e-6, 10e9),
)


class Links:
    """What is between ranks, that are numbered so that near ones follow one another."""

    def __init__(self, levels=DEFAULT, latency=None, bandwidth=None):
        self.levels, self._latency, self._bandwidth = tuple(levels), latency, bandwidth

    @property
    def most(self):
        """How many ranks are described; None where there is no end."""
        return None if self._latency is None else len(self._latency)

    def groups(self, ranks):
        """Level by level (how many parts a group of it has, its latency, its bandwidth), of so many ranks."""
        if self._latency is not None:
            return [(ranks, *self.worst(ranks))]
        found, left = [], ranks
        for level in self.levels:
            count = min(level.count, left)
            if count > 1:
                found.append((count, level.latency, level.bandwidth))
            left = -(-left // level.count)
        return found

    def worst(self, ranks):
        """The largest latency and least bandwidth between neighbours in a ring of the first ranks."""
        if self._latency is None:
            groups = self.groups(ranks)
            return max(g[1] for g in groups), min(g[2] for g in groups)
        hops = [(r, (r + 1) % ranks) for r in range(ranks)]
        return (
            max(self._latency[a][b] for a, b in hops),
            min(self._bandwidth[a][b] for a, b in hops),
        )

    @classmethod
    def measured(cls, links):
        """Of what `measure_links` has returned, for ranks as they were there."""
        within = links.get("within", links.get("between"))
        levels = [Level("host", 2**20, within["latency"], within["bandwidth"])]
        if set(links) == {"within", "between"}:
            between = links["between"]
            levels[0] = Level("host", 1, within["latency"], within["bandwidth"])
            levels.append(Level("hosts", 2**20, between["latency"], between["bandwidth"]))
        return cls(levels)

    @classmethod
    def read(cls, file):
        """Of a JSON file: {"levels": [{"name", "count", "latency", "bandwidth"}, ...]} from the nearest on,
        or matrices {"latency": [[...]], "bandwidth": [[...]]} of seconds and bytes a second. LinksError.
        """
        try:
            given = json.loads(Path(file).read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            raise LinksError(f"{file}:{error.lineno}:{error.colno}: {error.msg}") from None
        except UnicodeDecodeError as error:
            raise LinksError(f"{file}: not text: {error.reason}") from None
        return _Reader(file).links(given)


class _Reader:
    def __init__(self, file):
        self._file = file

    def links(self, given):
        if not isinstance(given, dict):
            self._refuse("", given, "an object")
        if set(given) == {"levels"}:
            rows = given["levels"]
            if not isinstance(rows, list) or not rows:
                self._refuse("levels", rows, "a list of levels")
            return Links([self._level(f"levels[{i}]", row) for i, row in enumerate(rows)])
        if set(given) == {"latency", "bandwidth"}:
            latency = self._matrix("latency", given["latency"], None)
            return Links((), latency, self._matrix("bandwidth", given["bandwidth"], len(latency)))
        keys = ", ".join(sorted(given)) or "none"
        raise LinksError(
            f"{self._file}: expected the key 'levels', or 'latency' and 'bandwidth', got {keys}"
        )

    def _level(self, where, row):
        fields = {"name", "count", "latency", "bandwidth"}
        if not isinstance(row, dict) or set(row) != fields:
            self._refuse(where, row, "an object with name, count, latency and bandwidth")
        count = row["count"]
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            self._refuse(f"{where}.count", count, "a whole number of at least 1")
        numbers = [self._number(f"{where}.{key}", row[key]) for key in ("latency", "bandwidth")]
        return Level(str(row["name"]), count, *numbers)

    def _matrix(self, where, rows, size):
        size = size or (len(rows) if isinstance(rows, list) else 0)
        if not isinstance(rows, list) or len(rows) != size or size < 2:
            self._refuse(where, rows, f"a list of {size or 'at least 2'} rows")
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
        shown = json.dumps(value)
        shown = shown if len(shown) < 60 else shown[:57] + "..."
        raise LinksError(f"{self._file}: {where or 'the file'}: expected {expected}, got {shown}")

"""The dtypes of dtypes/dtypes.def by their names: for tests, and for recording where there is no Opweave."""

import re
from pathlib import Path

_TABLE = Path(__file__).parents[2] / "dtypes/dtypes.def"
_ROW = re.compile(r"^OW_DTYPE\((.*)\)$", re.MULTILINE)
_COLUMNS = re.compile(r"//   OW_DTYPE\(([^)]*)\)", re.DOTALL)


def _rows():
    text = _TABLE.read_text()
    columns = re.findall(r"\w+", _COLUMNS.search(text)[1].replace("//", ""))
    for row in _ROW.findall(text):
        cells = [cell.strip().strip("'\"") for cell in row.split(",")]
        yield dict(zip(columns, cells, strict=True))


# A line of the table each, as texts.
TABLE = tuple(_rows())
DTYPES = tuple(row["name"] for row in TABLE)
FLOATING = tuple(row["name"] for row in TABLE if row["category"] == "floating")
# Those that promote among themselves.
COMMON = tuple(row["name"] for row in TABLE if row["promotion"] == "lattice")
# Those that NumPy has.
SHARED = tuple(row["name"] for row in TABLE if row["numpy"] != "0")

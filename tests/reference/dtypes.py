"""The dtypes of dtypes/*.def by their names: for tests, and for recording where there is no Opweave."""

import re
from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "dtypes"


def _rows(file, macro):
    text = (_FOLDER / file).read_text()
    columns = re.search(rf"//   {macro}\(([^)]*)\)", text, re.DOTALL)[1].replace("//", "")
    for row in re.findall(rf"^{macro}\((.*)\)$", text, re.MULTILINE):
        cells = [cell.strip().strip("'\"") for cell in row.split(",")]
        yield dict(zip(re.findall(r"\w+", columns), cells, strict=True))


# A line of the table each, as texts.
TABLE = tuple(_rows("dtypes.def", "OW_DTYPE"))
COMPLEX = tuple(row["name"] for row in TABLE if row["category"] == "complex")
# Of real numbers: those in which all operators are recorded.
DTYPES = tuple(row["name"] for row in TABLE if row["name"] not in COMPLEX)
FLOATING = tuple(row["name"] for row in TABLE if row["category"] == "floating")
# Those that promote among themselves.
COMMON = tuple(row["name"] for row in TABLE if row["promotion"] == "lattice")
# Those that NumPy has.
SHARED = tuple(row["name"] for row in TABLE if row["numpy"] != "0")
# Those of which there are no tensors.
NAMED = tuple(_rows("named.def", "OW_NAMED_DTYPE"))

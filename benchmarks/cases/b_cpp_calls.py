"""What one small call from C++ costs."""

from baseline import BIN
from measure import Pair
from rows import row
from server import served


@row("C++ add of 1 element, allocation included", "libtorch", 0.35, "0.2")
def _() -> Pair:
    folder = BIN / "benchmarks/cpp"
    return Pair(served(folder / "calls_opweave", "add"), served(folder / "calls_libtorch", "add"))

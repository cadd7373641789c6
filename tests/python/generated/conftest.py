"""Puts `tests/` on the path: the generator of elements and the recorded answers are there."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

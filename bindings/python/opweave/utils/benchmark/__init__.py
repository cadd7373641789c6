"""Times of short statements, taken so that they can be compared.

timer = Timer("x @ x", globals={"x": x}); print(timer.blocked_autorange())
"""

from opweave.utils.benchmark._compare import Compare
from opweave.utils.benchmark._measurement import Measurement, TaskSpec, select_unit, trim_sigfig
from opweave.utils.benchmark._timer import Timer, timer

__all__ = ["Compare", "Measurement", "TaskSpec", "Timer", "select_unit", "timer", "trim_sigfig"]

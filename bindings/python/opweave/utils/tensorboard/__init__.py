"""Event files that TensorBoard shows, written with the package tensorboard."""

from __future__ import annotations

try:
    import tensorboard as _tensorboard
except ModuleNotFoundError as _error:
    if _error.name != "tensorboard":
        raise
    raise ModuleNotFoundError(
        "opweave.utils.tensorboard: event files are written with the package tensorboard, which is not "
        "installed: pip install tensorboard",
        name="tensorboard",
    ) from None

if [int(n) for n in getattr(_tensorboard, "__version__", "0.0").split(".")[:2]] < [1, 15]:
    raise ImportError(
        "opweave.utils.tensorboard: the package tensorboard is needed in version 1.15 or later: "
        "pip install -U tensorboard"
    )

from tensorboard.summary.writer.record_writer import RecordWriter

from opweave.utils.tensorboard.writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]

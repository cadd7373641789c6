"""What writers of summaries begin with: their folder and the files in it."""

from __future__ import annotations

import datetime
import os
import socket
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event, SessionLog

from opweave.utils.tensorboard._file_writer import FileWriter


def _default_bins() -> list[float]:
    """Ranges for values of any size, each a tenth wider than the one before it."""
    ends, end = [], 1e-12
    while end < 1e20:
        ends.append(end)
        end *= 1.1
    return [*(-end for end in reversed(ends)), 0, *ends]


class Writing:
    """Writes summaries into event files of a folder.

    Args:
        log_dir: the folder; None: one below `runs` with the time, the name of the machine and `comment`.
        purge_step: TensorBoard hides what was written before, of this step and later ones.
        max_queue, flush_secs, filename_suffix: as for FileWriter.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            now = datetime.datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = log_dir
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self._get_file_writer()
        self.default_bins = _default_bins()

    def _get_file_writer(self) -> FileWriter:
        """The writer of the folder; a new one after close()."""
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = self._file_writer_in(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                start = SessionLog(status=SessionLog.START)
                for content in ({"file_version": "brain.Event:2"}, {"session_log": start}):
                    self.file_writer.add_event(Event(step=self.purge_step, **content))
                self.purge_step = None
        return self.file_writer

    def _file_writer_in(self, folder: Any) -> FileWriter:
        return FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)

    def _add(self, made: Any, global_step: Any = None, walltime: float | None = None) -> None:
        self._get_file_writer().add_summary(made, global_step, walltime)

    def get_logdir(self) -> Any:
        """The folder of the files."""
        return self.log_dir

    def flush(self) -> None:
        """Waits until all that was noted is on the disk."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Writes what waits and closes the files; what is noted later goes into new ones."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

"""FileWriter: messages into an event file, in a thread of its own."""

from __future__ import annotations

import time
from typing import Any

from tensorboard.compat.proto import event_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter


class FileWriter:
    """Writes events into a new file of a folder.

    Args:
        log_dir: the folder, which is made.
        max_queue: how many events may wait before the next one does.
        flush_secs: after how long what was written reaches the disk at the latest.
        filename_suffix: the end of the file's name.
    """

    def __init__(
        self,
        log_dir: Any,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        self._arguments = str(log_dir), max_queue, flush_secs, filename_suffix
        self._closed = False
        self.event_writer = EventFileWriter(*self._arguments)

    def get_logdir(self) -> str:
        """The folder."""
        folder: str = self.event_writer.get_logdir()
        return folder

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        """Writes an event: of a step, and of this time unless another is given."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)  # of a tensor or an array as well
        self.event_writer.add_event(event)

    def add_summary(
        self, summary: Any, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Writes what the functions of opweave.utils.tensorboard.summary make."""
        self.add_event(event_pb2.Event(summary=summary), global_step, walltime)

    def add_graph(self, graph_profile: Any, walltime: float | None = None) -> None:
        """Writes a graph that a program has as a message, with what its steps took: a pair of these."""
        graph, steps = graph_profile
        self.add_event(event_pb2.Event(graph_def=graph.SerializeToString()), None, walltime)
        run = event_pb2.TaggedRunMetadata(tag="step1", run_metadata=steps.SerializeToString())
        self.add_event(event_pb2.Event(tagged_run_metadata=run), None, walltime)

    def add_onnx_graph(self, graph: Any, walltime: float | None = None) -> None:
        """Writes a graph that a program has as a message."""
        self.add_event(event_pb2.Event(graph_def=graph.SerializeToString()), None, walltime)

    def flush(self) -> None:
        """Waits until what was added is on the disk."""
        self.event_writer.flush()

    def close(self) -> None:
        """Writes what waits; nothing can be added until reopen()."""
        self._closed = True
        self.event_writer.close()

    def reopen(self) -> None:
        """After close(): what is added now goes into a new file of the folder."""
        if self._closed:
            self._closed = False
            self.event_writer = EventFileWriter(*self._arguments)

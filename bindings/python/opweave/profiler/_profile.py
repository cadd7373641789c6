"""opweave.profiler.profile: when events are recorded, and what is done with them."""

import gzip
import json
import os
import socket
import time
import warnings

from opweave import _C, _targets
from opweave._atomic_files import replacing
from opweave.profiler import _ranges
from opweave.profiler._chrome import chrome_trace
from opweave.profiler._events import EventList, events_of
from opweave.profiler._schedule import ProfilerAction, ProfilerActivity, always

__all__ = ["profile", "supported_activities", "tensorboard_trace_handler"]

_NOT_RECORDED = ("profile_memory", "with_stack", "with_flops", "with_modules")


def supported_activities():
    """A set: the host, and the accelerator that there is, whose calls are seen as the host makes them."""
    found = {ProfilerActivity.CPU}
    if _targets.module("cuda").is_available():
        found.add(ProfilerActivity.CUDA)
    return found


def _checked(activities):
    activities = supported_activities() if activities is None else list(activities)
    for activity in activities:
        if not isinstance(activity, ProfilerActivity):
            raise TypeError(f"Expected ProfilerActivity or dict, got {type(activity)}")
    if not activities:
        raise AssertionError("No valid profiler activities found")
    return set(activities)


class profile:  # noqa: N801 - PyTorch's name
    """Records the operators that a program calls, in all of its threads, and the blocks that it names.

    Args:
        activities: what is looked at, ProfilerActivity.CPU being all there is.
        schedule: a function from the number of a step to a ProfilerAction, such as schedule() makes; each
            call of step() ends a step. Without it all is recorded.
        on_trace_ready: called with the profile when the last step of a cycle is over.
        record_shapes: whether events have the shapes of their arguments, which costs time.
        acc_events: whether events of all cycles are kept, and not those of the last one alone.
        profile_memory, with_stack, with_flops, with_modules: not recorded; a warning says so.

    Raises:
        RuntimeError: another profile is being recorded.
    """

    def __init__(self, *, activities=None, schedule=None, on_trace_ready=None, record_shapes=False,
                 profile_memory=False, with_stack=False, with_flops=False, with_modules=False,
                 experimental_config=None, execution_trace_observer=None, acc_events=False,
                 custom_trace_id_callback=None, post_processing_timeout_s=None):  # fmt: skip
        self.activities = _checked(activities)
        self.schedule = schedule or always
        self._has_steps = schedule is not None
        self.on_trace_ready, self.record_shapes = on_trace_ready, record_shapes
        self.acc_events = acc_events
        given = dict(
            zip(_NOT_RECORDED, (profile_memory, with_stack, with_flops, with_modules), strict=True)
        )
        for name in (name for name, value in given.items() if value):
            warnings.warn(f"profile(): {name}=True: not recorded", stacklevel=2)
        self.step_num, self.current_action = 0, self.schedule(0)
        self._step_range, self._is_recording = None, False
        self._events, self._metadata = EventList(), {}

    # --- when --------------------------------------------------------------------------------------
    def start(self):
        """Begins, with the first step of the schedule."""
        self._change(ProfilerAction.NONE, self.current_action)
        self._begin_step()

    def stop(self):
        """Ends; what a cycle has until now is handed out."""
        self._end_step()
        self._change(self.current_action, None)

    def step(self):
        """The next step begins."""
        self._end_step()
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        self._change(before, self.current_action)
        self._begin_step()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exception):
        self.stop()

    def _change(self, before, now):
        recording = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        is_over = before is ProfilerAction.RECORD_AND_SAVE or (now is None and before in recording)
        if is_over or (self._is_recording and now not in recording):
            self._end()
        if is_over and self.on_trace_ready is not None:
            self.on_trace_ready(self)
        if now in recording and not self._is_recording:
            self._begin()

    def _begin(self):
        _C._start_profile(self.record_shapes)
        _ranges.begin()
        self._began, self._is_recording = time.monotonic_ns(), True

    def _end(self):
        if not self._is_recording:
            return
        self._is_recording = False
        found = events_of(_C._stop_profile(), _ranges.take(), self._began)
        self._events = EventList([*self._events, *found]) if self.acc_events else found

    def _begin_step(self):
        if self._has_steps:
            self._step_range = _ranges.record_function(f"ProfilerStep#{self.step_num}")
            self._step_range.__enter__()

    def _end_step(self):
        if self._step_range is not None:
            self._step_range.__exit__(None, None, None)
            self._step_range = None

    # --- what --------------------------------------------------------------------------------------
    def events(self):
        """An EventList of FunctionEvent, in the order in which they began."""
        return self._events

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0):
        """EventList.key_averages() of the events."""
        return self._events.key_averages(group_by_input_shape, group_by_stack_n)

    def add_metadata(self, key, value):
        """A text that is written to the trace under a name of its own."""
        self._metadata[key] = value

    def add_metadata_json(self, key, value):
        """A value that is written to the trace, given as JSON."""
        self._metadata[key] = json.loads(value)

    def preset_metadata_json(self, key, value):
        """add_metadata_json(), before the profile begins."""
        self.add_metadata_json(key, value)

    def export_chrome_trace(self, path):
        """Writes the events as JSON for chrome://tracing and Perfetto; packed, if the path ends in ".gz"."""
        text = json.dumps(chrome_trace(self._events, self._metadata)).encode()
        with replacing(path) as file:
            file.write(gzip.compress(text) if str(path).endswith(".gz") else text)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Not there: stacks are not recorded.

        Raises:
            RuntimeError: always.
        """
        raise RuntimeError("export_stacks() needs stacks, which are not recorded")

    def toggle_collection_dynamic(self, enable, activities):
        """Not there: a schedule says what is recorded.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError("toggle_collection_dynamic() is not there; use a schedule")


def tensorboard_trace_handler(dir_name, worker_name=None, use_gzip=False, use_python_export=False):
    """For on_trace_ready: writes each trace to a file WORKER.TIME.pt.trace.json of a folder."""
    worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"

    def handle(prof):
        os.makedirs(dir_name, exist_ok=True)
        name = f"{worker}.{time.time_ns()}.pt.trace.json" + (".gz" if use_gzip else "")
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return handle

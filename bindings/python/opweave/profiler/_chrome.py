"""Events as a trace in Chrome's format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU"""

import os

__all__ = ["chrome_trace"]


def chrome_trace(events, metadata):
    """The trace as a dictionary, with times in microseconds."""
    pid = os.getpid()
    threads = dict.fromkeys(event.thread for event in events)
    names = [
        {
            "ph": "M",
            "name": "thread_name",
            "pid": pid,
            "tid": tid,
            "args": {"name": f"thread {tid}"},
        }
        for tid in threads
    ]
    return {
        "schemaVersion": 1,
        "displayTimeUnit": "ms",
        **metadata,
        "traceEvents": [*names, *(_complete(event, pid) for event in events)],
    }


def _complete(event, pid):
    shapes = {"Input Dims": event.input_shapes} if event.input_shapes else {}
    return {
        "ph": "X",
        "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
        "name": event.name,
        "pid": pid,
        "tid": event.thread,
        "ts": event.time_range.start,
        "dur": event.time_range.elapsed_us(),
        "args": {"External id": event.id, **shapes},
    }

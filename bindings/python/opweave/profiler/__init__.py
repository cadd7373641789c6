"""What a program spends its time on: the operators that it calls, and the blocks that it names.

    with opweave.profiler.profile(record_shapes=True) as p:
        train()
    print(p.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))

All threads are seen, those of the backward pass among them. What is not recorded (memory, Python's stacks,
flops, modules, times on devices) is said with a warning when it is asked for.
"""

from opweave.profiler import itt
from opweave.profiler._events import EventList, FunctionEvent, FunctionEventAvg
from opweave.profiler._profile import profile, supported_activities, tensorboard_trace_handler
from opweave.profiler._ranges import record_function
from opweave.profiler._schedule import ProfilerAction, ProfilerActivity, schedule

__all__ = [
    *("EventList", "FunctionEvent", "FunctionEventAvg", "ProfilerAction", "ProfilerActivity"),
    *(
        "profile",
        "record_function",
        "schedule",
        "supported_activities",
        "tensorboard_trace_handler",
    ),
]

"""PyTorch's older names of opweave.profiler."""

import warnings

from opweave import profiler
from opweave.profiler import (  # noqa: F401
    EventList,
    FunctionEvent,
    FunctionEventAvg,
    record_function,
)

__all__ = [
    *("EventList", "FunctionEvent", "FunctionEventAvg", "emit_itt", "emit_nvtx", "load_nvprof"),
    *("profile", "record_function"),
]


class profile:  # noqa: N801 - PyTorch's name
    """Records operators within `with`, as opweave.profiler.profile does, and is their EventList.

    Args:
        enabled: False records nothing.
        record_shapes: whether events have the shapes of their arguments.
        use_cpu: must be so.
        The others are not recorded, and a warning says so.
    """

    def __init__(self, enabled=True, *, use_cuda=False, use_device=None, record_shapes=False,
                 with_flops=False, profile_memory=False, with_stack=False, with_modules=False,
                 use_kineto=False, use_cpu=True, experimental_config=None, acc_events=False,
                 **others):  # fmt: skip
        self.enabled = enabled
        if not use_cpu:
            raise AssertionError("Device-only events are not recorded: use_cpu must be True")
        if use_cuda or use_device:
            warnings.warn("profile(): times on devices are not recorded", stacklevel=2)
        self._profile = profiler.profile(
            record_shapes=record_shapes, with_flops=with_flops, profile_memory=profile_memory,
            with_stack=with_stack, with_modules=with_modules, acc_events=acc_events,
        )  # fmt: skip

    def __enter__(self):
        if self.enabled:
            self._profile.start()
        return self

    def __exit__(self, *exception):
        if self.enabled:
            self._profile.stop()

    @property
    def function_events(self):
        """The EventList."""
        return self._profile.events()

    @property
    def self_cpu_time_total(self):
        """In microseconds, of all."""
        return self.function_events.self_cpu_time_total

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0):
        """EventList.key_averages() of the events."""
        return self._profile.key_averages(group_by_input_shape, group_by_stack_n)

    def total_average(self):
        """EventList.total_average() of the events."""
        return self.function_events.total_average()

    def table(self, *args, **kwargs):
        """EventList.table() of the events."""
        return self.function_events.table(*args, **kwargs)

    def export_chrome_trace(self, path):
        """profiler.profile.export_chrome_trace() of the events."""
        self._profile.export_chrome_trace(path)

    def __repr__(self):
        return repr(self.function_events)

    def __str__(self):
        return str(self.function_events)


class _Ranges:
    """Names of operators for a profiler of others, which Opweave does not tell: entering raises, unless
    disabled."""

    _library = ""

    def __init__(self, enabled=True, record_shapes=False):
        self.enabled, self.record_shapes = enabled, record_shapes

    def __enter__(self):
        if not self.enabled:
            return None
        raise RuntimeError(
            f"autograd.profiler.{type(self).__name__}: operators are not told to {self._library}; "
            "opweave.profiler.profile records them, and export_chrome_trace() writes a trace. "
            "With enabled=False nothing is recorded"
        )

    def __exit__(self, *exception):
        return False


class emit_nvtx(_Ranges):  # noqa: N801 - PyTorch's name
    """Ranges of NVIDIA's profilers around operators: entering raises RuntimeError, unless `enabled` is
    False."""

    _library = "NVTX"


class emit_itt(_Ranges):  # noqa: N801 - PyTorch's name
    """Ranges of Intel's profilers around operators: entering raises RuntimeError, unless `enabled` is
    False."""

    _library = "ITT"


def load_nvprof(path):
    """Refused: nvprof's files are of programs that emit_nvtx() ran.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(
        f"autograd.profiler.load_nvprof({path!r}): files of nvprof are not read; "
        "opweave.profiler.profile records operators"
    )

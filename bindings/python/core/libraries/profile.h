// The events of opweave.profiler: every operator call of the process, with its times.
#pragma once

#include <Python.h>

namespace opweave::python {

// _start_profile(record_shapes), _stop_profile() -> [(name, start, end, thread, shapes, failed)]:
// times in nanoseconds of the monotonic clock, threads by the system's number.
extern PyMethodDef profile_functions[];

}  // namespace opweave::python

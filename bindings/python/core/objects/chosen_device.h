// The device of what is made without naming one: that of the innermost `with device(…)` of the
// thread, or what the thread told set_default_device().
#pragma once

#include <Python.h>

#include <optional>

#include "runtime/core/devices/device.h"

namespace opweave::python {

std::optional<Device> chosen_device();
void enter_device(Device device);
// RuntimeError where none was entered.
void leave_device();

extern PyMethodDef chosen_device_functions[];

}  // namespace opweave::python

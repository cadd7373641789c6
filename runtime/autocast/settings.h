// Autocast: inside of a region operators compute in the dtype that suits them, whatever their
// arguments have. What a thread has set, by kind of device; it goes with the thread's state to the
// threads that work for it.
#pragma once

#include "runtime/core/devices/device.h"
#include "runtime/core/numbers/scalar_type.h"

namespace opweave::autocast {

bool is_enabled(DeviceType type);
void set_enabled(DeviceType type, bool enabled);
// The dtype of a region, for operators that compute in lower precision: bfloat16 on the CPU and
// float16 elsewhere until it is set.
ScalarType dtype_of(DeviceType type);
void set_dtype(DeviceType type, ScalarType dtype);
// Whether leaves that require grad are cast once in a region, and not by every operator.
bool is_cache_enabled();
void set_cache_enabled(bool enabled);
void clear_cache();
// How many regions the thread is in.
int increment_nesting();
int decrement_nesting();

}  // namespace opweave::autocast

// A target whose devices are heaps and whose streams are threads: what an accelerator does, without
// one. Nothing outside of the tests knows its name.
#pragma once

#include <functional>

#include "runtime/target/stream.h"

namespace opweave::heap {

inline constexpr int kDevices = 4;

// Not registered yet.
Target& target();

// What is_capturing() says from now on.
void set_capturing(bool captures);

// How many were made with a priority above the usual.
int urgent_streams();

// Runs later, in a thread of the stream, after what the stream has now. Must not throw.
void enqueue(const Stream& stream, std::function<void()> work);

}  // namespace opweave::heap

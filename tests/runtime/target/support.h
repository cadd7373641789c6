// What the tests of targets share: devices of the heap target, slow work, the text of errors.
#pragma once

#include <chrono>
#include <string>
#include <thread>

#include "runtime/core/base/error.h"
#include "tests/kernels/target/heap_device.h"

namespace opweave::test {

inline Device heap(int index) {
  register_target(heap::target());
  return {heap::target().type(), static_cast<int8_t>(index)};
}

// Holds a stream up for long enough that whatever does not wait for it comes first.
inline void delay(const Stream& stream, int milliseconds = 30) {
  heap::enqueue(stream, [milliseconds] {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
  });
}

template <class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}

}  // namespace opweave::test

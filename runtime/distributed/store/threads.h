// Threads of the distributed runtime, begun with an error that says which limit was reached.
#pragma once

#include <system_error>
#include <thread>
#include <utility>

#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {

[[noreturn]] void fail_without_thread(const std::system_error& error);

// DistBackendError: the system gives no thread.
template <class Body>
std::thread begin_thread(Body&& body) {
  try {
    return std::thread(std::forward<Body>(body));
  } catch (const std::system_error& error) {
    fail_without_thread(error);
  }
}

}  // namespace opweave::distributed

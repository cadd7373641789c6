// Work: a collective on its way.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/core/tensor/tensor.h"

namespace opweave::distributed {

class Work {
 public:
  using Milliseconds = std::chrono::milliseconds;
  using Clock = std::chrono::steady_clock;
  // When it was queued, began to run, and ended.
  struct Times {
    Clock::time_point queued = {}, started = {}, ended = {};
  };

  virtual ~Work() = default;

  // Returns when it is done; throws what it failed with, and DistBackendError after a timeout of
  // its own (none: the collective's alone).
  virtual void wait(std::optional<Milliseconds> timeout = {}) = 0;
  virtual bool is_completed() const = 0;
  // Calls it once when it is done or failed, at once where it is already; on the thread that
  // carries it out, which it must not keep.
  virtual void when_done(std::function<void()> callback) = 0;
  bool is_success() const { return is_completed() && exception() == nullptr; }
  // What it failed with; null while it runs.
  virtual std::exception_ptr exception() const = 0;
  // What it wrote.
  virtual std::vector<Tensor> result() const = 0;
  // From whom a recv came.
  virtual int source_rank() const = 0;
  virtual uint64_t sequence() const = 0;
  virtual Times times() const = 0;
};

using WorkPtr = std::shared_ptr<Work>;

}  // namespace opweave::distributed

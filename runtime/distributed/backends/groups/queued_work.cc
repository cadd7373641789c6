// What waits for a collective, and what follows it.
#include "runtime/distributed/backends/groups/queued_work.h"

#include <thread>

#include "runtime/core/base/str.h"
#include "runtime/distributed/store/error_text.h"
#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {

void QueuedWork::wait(std::optional<Milliseconds> timeout) {
  const Deadline deadline = timeout ? Deadline::after(*timeout) : Deadline::never();
  std::unique_lock lock(mutex_);
  while (!completed_) {
    // In slices: Python's signals end a wait.
    const auto slice = std::min(deadline.at(), Clock::now() + Clock::duration(kInterruptInterval));
    if (done_.wait_until(lock, slice) == std::cv_status::no_timeout || completed_) continue;
    if (deadline.passed()) {
      throw DistBackendError(str(describe(collective_), " (number ", collective_.sequence,
                                 " of its group) was not done after ", timeout->count(), "ms"));
    }
    lock.unlock();
    check_interrupts();
    lock.lock();
  }
  if (error_) std::rethrow_exception(error_);
}

bool QueuedWork::is_completed() const {
  const std::lock_guard lock(mutex_);
  return completed_;
}

void QueuedWork::when_done(std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!completed_) return callbacks_.push_back(std::move(callback));
  }
  callback();
}

std::exception_ptr QueuedWork::exception() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

int QueuedWork::source_rank() const {
  const std::lock_guard lock(mutex_);
  return source_;
}

Work::Times QueuedWork::times() const {
  const std::lock_guard lock(mutex_);
  return times_;
}

Deadline QueuedWork::deadline() const {
  const std::lock_guard lock(mutex_);
  if (taken_up_ == Clock::time_point() || !collective_.timeout) return Deadline::never();
  return Deadline::after(*collective_.timeout, taken_up_);
}

void QueuedWork::take_up() {
  const std::lock_guard lock(mutex_);
  taken_up_ = Clock::now();
}

void QueuedWork::begin() {
  {
    const std::lock_guard lock(mutex_);
    times_.started = Clock::now();
  }
  recorder_.start(record_);
}

void QueuedWork::succeed(int source) {
  for (const auto& callback : end(nullptr, source)) callback();
}

void QueuedWork::fail(std::exception_ptr error) {
  for (const auto& callback : end(std::move(error), -1)) callback();
}

void QueuedWork::fail_elsewhere(std::exception_ptr error) {
  Callbacks callbacks = end(std::move(error), -1);
  if (callbacks.empty()) return;
  const auto call_all = [callbacks = std::move(callbacks)] {
    for (const auto& callback : callbacks) callback();
  };
  try {
    std::thread(call_all).detach();
  } catch (const std::system_error&) {
    call_all();  // rather here than never
  }
}

QueuedWork::Callbacks QueuedWork::end(std::exception_ptr error, int source) {
  const std::string text = text_of(error);
  Callbacks callbacks;
  {
    const std::lock_guard lock(mutex_);
    if (completed_) return {};
    // Before anybody sees that it has ended; what a backend says that nobody waits for any more
    // is no news.
    recorder_.end(record_, text);
    completed_ = true;
    error_ = std::move(error);
    source_ = source;
    times_.ended = Clock::now();
    callbacks.swap(callbacks_);
  }
  done_.notify_all();
  return callbacks;
}

}  // namespace opweave::distributed

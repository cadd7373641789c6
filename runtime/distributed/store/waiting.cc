// Waits end at deadlines, by signals, and when a file descriptor is ready.
#include "runtime/distributed/store/waiting.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "runtime/distributed/store/errors.h"

namespace opweave::distributed {
namespace {

std::atomic<InterruptCheck> interrupt_check{nullptr};

}  // namespace

Deadline Deadline::after(Milliseconds timeout, Clock::time_point now) {
  // Also those that are so long that they would overflow.
  const bool none = timeout.count() == 0 || timeout >= std::chrono::hours(24 * 365 * 100);
  return none ? never() : Deadline(now + std::max(timeout, Milliseconds(-1)));
}

Milliseconds Deadline::remaining() const {
  if (is_never()) return Milliseconds::max();
  return std::max(std::chrono::ceil<Milliseconds>(at_ - Clock::now()), Milliseconds(0));
}

Deadline Deadline::later_by(Milliseconds time) const {
  return is_never() ? *this : Deadline(at_ + time);
}

void set_interrupt_check(InterruptCheck check) { interrupt_check.store(check); }

void check_interrupts() {
  if (InterruptCheck check = interrupt_check.load(std::memory_order_relaxed)) check();
}

bool wait_for(int descriptor, short events, const Deadline& deadline) {
  pollfd wanted{descriptor, events, 0};
  while (true) {
    const Milliseconds slice = std::min(deadline.remaining(), kInterruptInterval);
    const int ready = poll(&wanted, 1, static_cast<int>(slice.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) {
      throw DistError(str("poll failed: ", system_error_text(errno)));
    }
    if (deadline.passed()) return false;
    check_interrupts();
  }
}

void pause_for(Milliseconds time, const Deadline& deadline) {
  poll(nullptr, 0, static_cast<int>(std::min(time, deadline.remaining()).count()));
  check_interrupts();
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = other.release();
  }
  return *this;
}

int Descriptor::release() { return std::exchange(number_, -1); }

void Descriptor::reset() {
  if (number_ >= 0) close(std::exchange(number_, -1));
}

Event::Event() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!descriptor_.is_open()) {
    throw DistError(str("cannot make an event to wait for: ", system_error_text(errno)));
  }
}

void Event::set() noexcept {
  const uint64_t one = 1;
  // Fails only where it is set already.
  [[maybe_unused]] const ssize_t written = write(descriptor_.get(), &one, sizeof one);
}

void Event::clear() noexcept {
  uint64_t count = 0;
  // Fails only where it is not set.
  [[maybe_unused]] const ssize_t got = read(descriptor_.get(), &count, sizeof count);
}

}  // namespace opweave::distributed

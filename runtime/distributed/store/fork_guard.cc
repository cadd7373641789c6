// Sockets that a forked process does not keep.
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "runtime/core/base/no_fork.h"
#include "runtime/distributed/store/socket.h"

namespace opweave::distributed {
namespace {

// A bit for each file descriptor, as a forked process may look at nothing that a thread of its
// parent was about to change. Those with higher numbers are not closed.
constexpr int kGuarded = 1 << 16;
std::array<std::atomic<uint64_t>, kGuarded / 64> guarded{};

uint64_t bit_of(int number) { return uint64_t{1} << (number % 64); }

void close_in_forked_process() {
  for (int word = 0; word < kGuarded / 64; ++word) {
    for (uint64_t bits = guarded[word].exchange(0); bits != 0; bits &= bits - 1) {
      close(word * 64 + __builtin_ctzll(bits));
    }
  }
}

void guard(int number) {
  static const bool registered = [] {
    at_fork({[] {}, [] {}, close_in_forked_process});
    return true;
  }();
  if (registered && number < kGuarded) guarded[number / 64].fetch_or(bit_of(number));
}

void unguard(int number) {
  if (number < kGuarded) guarded[number / 64].fetch_and(~bit_of(number));
}

}  // namespace

Socket::Socket(Descriptor descriptor) : descriptor_(std::move(descriptor)), forks_(fork_count()) {
  if (is_open()) guard(get());
}

Socket::Socket(Socket&& other) noexcept
    : descriptor_(std::move(other.descriptor_)), forks_(other.forks_) {}

Socket& Socket::operator=(Socket&& other) noexcept {
  if (this != &other) {
    reset();
    descriptor_ = std::move(other.descriptor_);
    forks_ = other.forks_;
  }
  return *this;
}

void Socket::reset() {
  if (!is_open()) return;
  // In a forked process it was closed, and its number may be somebody else's by now.
  const bool is_own = forks_ == fork_count() || get() >= kGuarded;
  if (!is_own) {
    descriptor_.release();
    return;
  }
  unguard(get());
  descriptor_.reset();
}

}  // namespace opweave::distributed

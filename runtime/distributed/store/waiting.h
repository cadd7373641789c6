// Waiting without polling: until a file descriptor is ready, a deadline passes, or the program is
// interrupted.
#pragma once

#include <chrono>
#include <cstdint>

namespace opweave::distributed {

using Milliseconds = std::chrono::milliseconds;

// The end of a wait. A timeout of zero is none at all, as in PyTorch; a negative one has passed.
class Deadline {
 public:
  using Clock = std::chrono::steady_clock;

  static Deadline after(Milliseconds timeout, Clock::time_point now = Clock::now());
  static Deadline never() { return Deadline(Clock::time_point::max()); }
  bool is_never() const { return at_ == Clock::time_point::max(); }
  bool passed() const { return !is_never() && Clock::now() >= at_; }
  // Rounded up, so that whoever sleeps this long does not wake up before it.
  Milliseconds remaining() const;
  Clock::time_point at() const { return at_; }
  Deadline later_by(Milliseconds time) const;

 private:
  explicit Deadline(Clock::time_point at) : at_(at) {}
  Clock::time_point at_;
};

// Python's signals: called in waits after each signal, and once a second in case one arrived just
// before; it throws to end the wait.
using InterruptCheck = void (*)();
void set_interrupt_check(InterruptCheck check);
void check_interrupts();
inline constexpr Milliseconds kInterruptInterval{1000};

// Waits for poll()'s events; false when the deadline passed first.
bool wait_for(int descriptor, short events, const Deadline& deadline);

// Sleeps, at most until the deadline.
void pause_for(Milliseconds time, const Deadline& deadline);

// A file descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  int release();
  void reset();

 private:
  int number_;
};

// What one thread waits for and others set.
class Event {
 public:
  Event();
  void set() noexcept;
  void clear() noexcept;  // for the next wait
  bool wait(const Deadline& deadline) {
    return wait_for(descriptor_.get(), 1 /* POLLIN */, deadline);
  }
  int descriptor() const { return descriptor_.get(); }

 private:
  Descriptor descriptor_;
};

}  // namespace opweave::distributed

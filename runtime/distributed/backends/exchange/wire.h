// Wire: what carries bytes between the ranks of a group, whatever it is made of. All that stands in
// this folder stands on it: collectives, reductions and letters are the same on every wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

namespace opweave::distributed::exchange {

// One message on its way. Both ends name it by the same slot, in which its size has to be mixed.
struct Message {
  static constexpr int kAnyRank = -1;
  int rank = kAnyRank;  // the other end
  bool sends = false;
  // What its wire keeps of it, and lets go of where nobody waits for it any more; null where there
  // is nothing to wait for.
  std::shared_ptr<void> parcel = {};
};

class Wire {
 public:
  virtual ~Wire() = default;

  // Memory that has to stay until the message has been waited for, or is given up. Nothing goes for
  // no bytes. They go with the next wait() or start().
  virtual Message send(int to, uint64_t slot, const void* data, size_t nbytes) = 0;
  virtual Message receive(int from, uint64_t slot, void* data, size_t nbytes) = 0;
  virtual Message receive_from_any(uint64_t slot, void* data, size_t nbytes) = 0;
  virtual void start() = 0;
  // True when it is there or gone; false after a nudge. std::exception where its connection broke.
  virtual bool wait(Message& message) = 0;

  // Those who wait look around: all, or those who have waited since the last nudge but one. Whether
  // anybody waits.
  virtual bool nudge(bool all) noexcept = 0;
  // Breaks all connections: nobody waits any more.
  virtual void close() noexcept = 0;

  // What is called when somebody begins to wait.
  void on_wait(std::function<void()> begun) { begun_ = std::move(begun); }

 protected:
  std::function<void()> begun_;
};

}  // namespace opweave::distributed::exchange

// Wire: Debian's libgloo, which carries bytes between ranks on TCP connections of its own. What it
// does not do stands around it: it connects without asking who calls, waits for five times its
// timeout while it does, forgets those who wait when a connection is closed, cannot be interrupted,
// and ends the process where a message is larger than the room for it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/distributed/store/waiting.h"

namespace gloo::transport {
class Context;
class Device;
class UnboundBuffer;
}  // namespace gloo::transport

namespace opweave::distributed::gloo_wire {

// One message on its way. Both ends name it by the same slot, in which its size has to be mixed.
class Message {
 public:
  static constexpr int kAnyRank = -1;
  Message();
  ~Message();
  Message(Message&&) noexcept;
  Message& operator=(Message&&) noexcept;
  int rank() const { return rank_; }  // the other end

 private:
  friend class Wire;
  std::shared_ptr<gloo::transport::UnboundBuffer> buffer_;
  int rank_ = kAnyRank;
  bool sends_ = false;
};

class Wire {
 public:
  Wire(const std::string& address, int rank, int ranks);
  ~Wire();

  // What another rank has to know before it connects, and connecting to it; the other does the
  // same meanwhile. Ends early when the wire is closed.
  std::string address_for(int rank) const;
  void connect(int rank, const std::string& address);
  // After the last.
  void settle();

  // Memory that has to stay until the message has been waited for. Nothing goes for no bytes. They
  // go with the next wait() or start().
  Message send(int to, uint64_t slot, const void* data, size_t nbytes);
  Message receive(int from, uint64_t slot, void* data, size_t nbytes);
  Message receive_from_any(uint64_t slot, void* data, size_t nbytes);
  void start();
  // What is called when somebody begins to wait.
  void on_wait(std::function<void()> begun) { begun_ = std::move(begun); }
  // True when it is there or gone; false after a nudge. std::exception where its connection broke.
  bool wait(Message& message);

  // Those who wait look around: all, or those who have waited since the last nudge but one. Whether
  // anybody waits.
  bool nudge(bool all) noexcept;
  // Breaks all connections.
  void close() noexcept;

 private:
  struct Waiting {
    Message* message;
    int nudges;  // since it began
  };
  // A message that the thread of libgloo is to begin. It alone touches connections that are open:
  // while somebody else does it goes round and round, for whole slices of the processor's time.
  struct Beginning {
    std::shared_ptr<gloo::transport::UnboundBuffer> buffer;
    int rank;
    uint64_t slot;
    bool sends;
  };
  class Starter;
  void begin_all();
  Message post(int rank, uint64_t slot, void* data, size_t nbytes, bool sends);

  // While there is one the thread of libgloo looks around all the time: it notices only every 10 ms
  // that a connection is no longer to be looked after, and whoever closes one waits for that.
  class Haste;

  const int rank_, ranks_;
  std::unique_ptr<Haste> haste_;
  std::unique_ptr<Starter> starter_;
  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::transport::Context> context_;
  std::vector<std::string> devices_;  // that are connected
  std::atomic<bool> closed_ = false, has_failed_ = false;
  std::mutex touching_;  // the connections
  std::mutex mutex_;     // of all below
  std::vector<Waiting> waiting_;
  std::vector<Beginning> beginning_;
  std::string error_;  // of a beginning
  std::function<void()> begun_;
};

}  // namespace opweave::distributed::gloo_wire

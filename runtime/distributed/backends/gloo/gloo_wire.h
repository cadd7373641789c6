// GlooWire: Debian's libgloo, which carries bytes between ranks on TCP connections of its own. What
// it does not do stands around it: it connects without asking who calls, waits for five times its
// timeout while it does, forgets those who wait when a connection is closed, cannot be interrupted,
// and ends the process where a message is larger than the room for it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/distributed/backends/exchange/wire.h"
#include "runtime/distributed/store/waiting.h"

namespace gloo::transport {
class Context;
class Device;
class UnboundBuffer;
}  // namespace gloo::transport

namespace opweave::distributed {

class GlooWire final : public exchange::Wire {
 public:
  GlooWire(const std::string& address, int rank, int ranks);
  ~GlooWire() override;

  // What another rank has to know before it connects, and connecting to it; the other does the
  // same meanwhile. Ends early when the wire is closed.
  std::string address_for(int rank) const;
  void connect(int rank, const std::string& address);
  // After the last.
  void settle();

  exchange::Message send(int to, uint64_t slot, const void* data, size_t nbytes) override;
  exchange::Message receive(int from, uint64_t slot, void* data, size_t nbytes) override;
  exchange::Message receive_from_any(uint64_t slot, void* data, size_t nbytes) override;
  void start() override;
  bool wait(exchange::Message& message) override;
  bool nudge(bool all) noexcept override;
  void close() noexcept override;

 private:
  struct Waiting {
    exchange::Message* message;
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
  class Wakeup;
  void begin_all();
  exchange::Message post(int rank, uint64_t slot, void* data, size_t nbytes, bool sends);

  // While there is one the thread of libgloo looks around all the time: it notices only every 10 ms
  // that a connection is no longer to be looked after, and whoever closes one waits for that.
  class Haste;

  const int rank_, ranks_;
  std::unique_ptr<Haste> haste_;
  std::unique_ptr<Wakeup> wakeup_;
  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::transport::Context> context_;
  std::vector<std::string> devices_;  // that are connected
  std::atomic<bool> closed_ = false, has_failed_ = false;
  std::mutex touching_;  // the connections
  std::mutex mutex_;     // of all below
  std::vector<Waiting> waiting_;
  std::vector<Beginning> beginning_;
  std::string error_;  // of a beginning
};

}  // namespace opweave::distributed

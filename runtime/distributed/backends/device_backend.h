// DeviceBackend: a backend whose collectives a device carries out, on a stream, after the call that
// put them there has returned.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/distributed/backends/backend.h"
#include "runtime/target/event.h"

namespace opweave::distributed {

// A collective on a stream.
struct Launched {
  explicit Launched(const Stream& stream)
      : stream(stream), begun(stream.device()), ended(stream.device()) {}

  Stream stream;
  opweave::Event begun, ended;
  // It is part of a graph of calls that is captured, and runs when the program says so: nobody can
  // ask how far it is.
  bool is_captured = false;
  std::vector<Tensor> kept = {};  // memory that it uses beside the collective's
};

class DeviceBackend : public Backend {
 public:
  // Puts one collective, or several sends and receives that begin together, behind what the current
  // stream of their tensors' device has now. One after another, in the order of the group. The
  // first may wait for the other ranks, as long as the deadline allows. DistBackendError.
  using LaunchedList = std::vector<std::unique_ptr<Launched>>;
  virtual LaunchedList launch(std::span<const Collective* const> collectives,
                              const Deadline& deadline) = 0;
  // Calls `begun` when the device has come to it, and returns when it has run: of a recv the rank
  // that it came from. DistBackendError where it will not, as run() has it.
  virtual int finish(const Collective& collective, const Launched& launched,
                     const Deadline& deadline, const std::function<void()>& begun) = 0;
  // Where it can be given tensors: the device of the last that it was.
  virtual Device device() const = 0;
  // What otherwise the first collective of a device does; a call of every rank.
  virtual void connect(Device device, const Deadline& deadline) = 0;

  int run(const Collective& collective, const Deadline& deadline) final {
    const Collective* one = &collective;
    return finish(collective, *launch({&one, 1}, deadline)[0], deadline, [] {});
  }
};

}  // namespace opweave::distributed

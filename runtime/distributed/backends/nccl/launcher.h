// Launcher: the one way of collectives into NCCL. The stream of a lane waits for that of the
// caller, and the calls come between two events.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "runtime/distributed/backends/device_backend.h"
#include "runtime/distributed/backends/nccl/calls.h"
#include "runtime/distributed/backends/nccl/lanes.h"

namespace opweave::distributed::nccl {

class Launcher {
 public:
  // Of the rank of a group. `device` is of what has no tensors, until there was one that has.
  Launcher(const Library& library, Lanes& lanes, Device device, const BackendContext& context)
      : library_(library), lanes_(lanes), context_(context), device_(device) {}

  Device device() const { return device_.load(); }
  void set_device(Device device) { device_.store(device); }

  // RuntimeError that names the collective where NCCL cannot carry it out.
  void check(const Collective& collective) const;
  // One collective, or several letters that begin together. `look` as in NcclComm.
  DeviceBackend::LaunchedList launch(std::span<const Collective* const> collectives,
                                     const Look& look);

 private:
  Lane& lane_for(const Collective& collective, const Look& look);
  void connect_lanes(std::span<const Collective* const> collectives, const Look& look);
  std::unique_ptr<Launched> begin(const Lane& lane, const Collective& collective) const;
  // Which calls, and to whom they go.
  Result issue(const Collective& collective, CommHandle comm, const Launched& launched) const;
  void end(const Collective& collective, Launched& launched) const;

  const Library& library_;
  Lanes& lanes_;
  const BackendContext& context_;
  std::atomic<Device> device_;
};

}  // namespace opweave::distributed::nccl

// Lanes: the communicators of a group, each with a stream of its device. One for what all ranks do
// together on a device, and one for each pair that sends and receives: they are made when they are
// first needed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/distributed/backends/backend.h"
#include "runtime/distributed/backends/nccl/nccl_comm.h"
#include "runtime/target/stream.h"

namespace opweave::distributed::nccl {

struct Lane {
  Lane(const Stream& stream, std::unique_ptr<NcclComm> comm, int number)
      : stream(stream), comm(std::move(comm)), number(number) {}
  const Stream stream;
  const std::unique_ptr<NcclComm> comm;
  // Of those of all ranks the how manieth: ranks may work on devices of different numbers.
  const int number;
};

// Communicators of a part, each with its device.
using Parts = std::vector<std::pair<Device, std::unique_ptr<NcclComm>>>;

class Lanes {
 public:
  Lanes(const Library& library, const BackendContext& context)
      : library_(library), context_(context) {}

  // That of all ranks. `look` as in NcclComm.
  Lane& together(Device device, const Look& look);
  // That with another rank: in its communicator the lower one is rank 0. It is of one device.
  Lane& with(int peer, Device device, const Look& look);
  // RuntimeError where there is one with a rank, on another device.
  void check_pair(int peer, Device device);
  // Where there is none yet: a part of another group's.
  void adopt(Device device, std::unique_ptr<NcclComm> comm);
  // A part of each that all ranks have, with its device; see NcclComm::split().
  Parts split(int color, int key, const Look& look);

  // What the library says went wrong; empty where nothing did.
  std::string failure();
  // Whatever is called later fails, and who waits in a communicator ends; waits for nobody.
  void forbid(const std::string& reason) noexcept;
  // And what runs on devices ends.
  void abort(const std::string& reason) noexcept;
  void close(const Deadline& deadline) noexcept;

 private:
  struct Place {
    int rank, ranks;
    std::string key;  // of what ranks tell one another, in the store
    int number = 0;
  };
  struct Name {
    int device, peer;  // its number and kAll; or kAny and the other rank
    auto operator<=>(const Name&) const = default;
  };
  static constexpr int kAll = -1, kAny = -1;
  Lane* find(const Name& name);
  std::vector<Lane*> all();
  Lane& connect(const Name& name, Device device, const Place& place, const Look& look);
  Lane& keep(const Name& name, std::unique_ptr<Lane> made);
  // DistBackendError, also where the store does not answer.
  UniqueId exchange_id(const Place& place, const Look& look);
  UniqueId exchange_id_by_store(const Place& place, const Look& look);

  const Library& library_;
  const BackendContext& context_;
  std::mutex mutex_;  // of all below; who waits for a communicator does not hold it
  std::map<Name, std::unique_ptr<Lane>> lanes_;
  int connected_ = 0;  // of all ranks together
  std::string over_;   // why no more are made
};

}  // namespace opweave::distributed::nccl

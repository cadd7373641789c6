// How the ranks of a group connect to one another, each to each, in time or with the names of those
// that did not come.
#pragma once

#include <functional>
#include <vector>

#include "runtime/distributed/backends/backend.h"
#include "runtime/distributed/store/socket.h"

namespace opweave::distributed::net {

struct Met {
  Socket socket;
  std::string greeting;  // what the rank said
  std::string more;      // what it has said since
};

struct Meeting {
  std::string address;  // of the interface on which this rank listens
  std::string network;  // the same as reports say it
  // What this rank says to another; at most 64 KiB.
  std::function<std::string(int rank)> greeting;
};

// By rank; nothing for this one. A call of every rank: they find one another in the group's store,
// and whoever does not know what stands there is turned away. DistBackendError.
std::vector<Met> meet(const BackendContext& context, const Meeting& meeting,
                      const Deadline& deadline);

}  // namespace opweave::distributed::net

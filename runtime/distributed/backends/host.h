// Which host a rank is on, as ranks compare it.
#pragma once

#include <string>

#include "runtime/distributed/backends/backend.h"

namespace opweave::distributed {

// What is equal exactly where two processes can share memory: the boot of the host, the namespace
// of processes, and the user. Empty where it cannot be told.
std::string host_identity();
// The same of processes that reach one another over the loopback interface.
std::string network_identity();
// Whether all ranks gave the same for `what`, and something; a call of every rank.
bool all_alike(const BackendContext& context, const std::string& what, const std::string& mine);

}  // namespace opweave::distributed

// What mpirun knows of this process and of the others before there is a store.
#pragma once

#include "runtime/distributed/backends/registry/registry.h"

namespace opweave::distributed::mpi {

StartPlace start_place();
// What rank 0 says, on every rank; waits for it. DistBackendError where it does not come in time.
std::string spread(const std::string& text, const Deadline& deadline);

}  // namespace opweave::distributed::mpi

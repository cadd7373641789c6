// The backend 'shm': ranks on one host, through shared memory.
#pragma once

#include "runtime/distributed/backends/backend.h"

namespace opweave::distributed {

// A call of every rank. DistBackendError where not all are on one host, or there is no room.
std::shared_ptr<Backend> make_shm_backend(const BackendContext& context);

}  // namespace opweave::distributed

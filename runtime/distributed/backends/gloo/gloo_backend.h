// The backend 'gloo': ranks on one host or many, over TCP.
#pragma once

#include "runtime/distributed/backends/backend.h"

namespace opweave::distributed {

// A call of every rank. DistBackendError that names those that do not come in time.
std::shared_ptr<Backend> make_gloo_backend(const BackendContext& context);

}  // namespace opweave::distributed

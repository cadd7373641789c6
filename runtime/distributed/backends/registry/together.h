// Making a backend is a call of every rank of a group, all of which hear where one of them cannot.
#pragma once

#include <memory>

#include "runtime/distributed/backends/registry/registry.h"

namespace opweave::distributed {

// What `make` makes. Where it throws, the group's store tells the other ranks why, and those that
// wait there for one another raise DistBackendError with that, soon instead of in their time.
std::shared_ptr<Backend> make_together(const MakeBackend& make, const BackendContext& context);

}  // namespace opweave::distributed

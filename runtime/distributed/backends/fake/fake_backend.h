// The backend 'fake': a group of any size in one process, which computes as if every rank had
// called with the same tensors and leaves what others would send as it is. For planning and tests.
#pragma once

#include "runtime/distributed/backends/backend.h"

namespace opweave::distributed {

std::shared_ptr<Backend> make_fake_backend(const BackendContext& context);

}  // namespace opweave::distributed

// Libraries of NCCL's interface as backends.
#pragma once

#include "runtime/distributed/backends/nccl/nccl_backend.h"

namespace opweave::distributed {

// Makes a backend of a library of NCCL's interface: groups that are made from now on know it by its
// name. ValueError where the name is taken.
void register_nccl_library(const NcclLike& like);

}  // namespace opweave::distributed

// Whether all ranks have been called for the same: each says what it does before any data is used.
#pragma once

#include "runtime/distributed/backends/shm/layout.h"
#include "runtime/distributed/group/collective.h"

namespace opweave::distributed::shm {

// Of this rank, before the meeting of its first block.
void announce(const Layout& layout, int rank, int ranks, int turn, const Collective& collective);
// After it. DistBackendError, on every rank, that says what each rank was called for, where that
// does not go together.
void compare(const Layout& layout, int ranks, int turn, const Collective& collective);

}  // namespace opweave::distributed::shm

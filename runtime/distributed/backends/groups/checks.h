// What of a collective's arguments can be seen to be wrong before anything is sent.
#pragma once

#include "runtime/distributed/group/process_group.h"

namespace opweave::distributed {

// ValueError, TypeError or RuntimeError that names the collective, the argument, what was given and
// what was expected: ranks that the group has not, lists of a wrong length, tensors that are
// undefined, not contiguous, of unlike dtypes, devices or sizes, and reductions that a dtype has
// not.
void check_collective(const Collective& collective, const ProcessGroup& group);

}  // namespace opweave::distributed

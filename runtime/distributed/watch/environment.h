// What the environment says of groups: kept when one is made, so that a report shows what held.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace opweave::distributed {

using Environment = std::vector<std::pair<std::string, std::string>>;  // name, what it says

// The variables of NCCL, gloo, PyTorch and this runtime that are set, by name.
Environment environment_of_groups();

// "NCCL_DEBUG=INFO, TORCH_NCCL_BLOCKING_WAIT=1"; empty where none is set.
std::string describe(const Environment& environment);

}  // namespace opweave::distributed

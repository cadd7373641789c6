// Processes as others are told of them.
#pragma once

#include <string>

namespace opweave::distributed {

// This one: "process 4711 on node7".
std::string own_process();

}  // namespace opweave::distributed

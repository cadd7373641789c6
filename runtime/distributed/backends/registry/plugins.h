// Backends in libraries of their own, also of other repositories: libopweave_NAME.so has the
// backend NAME. It stands in a folder or is a file that OPWEAVE_BACKENDS names (several are
// separated by colons), or else beside libopweave_distributed.so, and defines
//
//   extern "C" void opweave_register_backend();
//
// which calls register_backend (registry.h).
#pragma once

#include <string>

namespace opweave::distributed {

// Loads the library of a backend and lets it register what it has, once; false where there is no
// such library. RuntimeError where it cannot be loaded, or is no library of a backend. The caller
// sees to it that one thread at a time does so.
bool load_backend_library(const std::string& name);

}  // namespace opweave::distributed

// Targets in shared libraries of their own. Such a library defines one function with C linkage:
//
//   opweave::Target* opweave_register_target();
//
// which makes its Target, registers it (register_target) and its kernels, and returns it.
#pragma once

#include <string>

#include "runtime/target/target.h"

namespace opweave {

// Loads a library and registers its target. Loading the same file again gives the same target.
// RuntimeError with the linker's words when it cannot be loaded, or when it lacks the function.
Target& load_target_library(const std::string& path);

}  // namespace opweave

// The CPU as a target: host memory, and work that is done when a call returns.
#pragma once

#include "runtime/target/target.h"

namespace opweave::cpu {

Target& target();

// The caching allocator. Blocks of 1 MiB and more are kept, because handing them back makes the
// system fault every page in again at the next use.
Allocator& memory();

}  // namespace opweave::cpu

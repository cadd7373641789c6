// initialize(): registers the built-in operators, the CPU and meta targets, and the autograd
// kernels.
#pragma once

namespace opweave {

// Cheap to call again; thread-safe. The Python extension calls it on import, the C++ front end from
// a variable of its header, so that no linker can drop it.
void initialize();

}  // namespace opweave

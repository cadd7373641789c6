// initialize(): registers the built-in operators, the CPU and meta targets, and the autograd
// kernels.
#pragma once

namespace opweave {

// Cheap to call again; thread-safe. The Python extension calls it on import, the C++ front end from
// a variable of its header, so that no linker can drop it.
void initialize();

// Of Highway's targets that kernels of the CPU are compiled for, the one that this processor runs:
// "AVX3" (AVX-512), "AVX2", "SSE4".
const char* instruction_set();

}  // namespace opweave

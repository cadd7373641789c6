// Shared libraries that a program names: opened, if they are whole.
#pragma once

namespace opweave::python {

// The handle of dlopen(), or OSError: there is no such file, it is no shared library, or it ends
// before what its headers speak of, where the system would end the process. It stays open until the
// process ends: kernels may be on their way.
void* open_shared_library(const char* path);

}  // namespace opweave::python

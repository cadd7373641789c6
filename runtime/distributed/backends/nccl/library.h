// Library: NCCL, or another library of the same interface, as it was loaded.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/distributed/backends/nccl/interface.h"

namespace opweave::distributed::nccl {

struct Library {
  std::string path;  // as it was found
  int version = 0;   // see version_code()

#define OW_NCCL(name, ...) std::add_pointer_t<__VA_ARGS__> name = nullptr;
#include "runtime/distributed/backends/nccl/functions.def"
#undef OW_NCCL

  // "nccl 2.28.9".
  std::string describe() const;
  // "unhandled system error (ncclSystemError)" with what the library says itself, if it does.
  std::string describe(Result result, CommHandle comm) const;
};

// The first of these files that can be loaded; the same one for the same names. DistBackendError
// with the linker's words where none can, or with what the one that can lacks.
const Library& load(const std::vector<std::string>& files);
// Where NCCL is looked for: by its name, and in the CUDA toolkit.
std::vector<std::string> nccl_files();

}  // namespace opweave::distributed::nccl

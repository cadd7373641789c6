// The backend 'nccl': collectives of a device's tensors, by NCCL or a library of its interface.
#pragma once

#include "runtime/distributed/backends/backend.h"

namespace opweave::distributed {

// A library of NCCL's interface, and the type of the devices whose tensors it takes.
struct NcclLike {
  std::string backend;             // the name of the backend: "nccl"
  std::vector<std::string> files;  // the first that can be loaded
  std::string device;              // "cuda"
};

// DistBackendError where the library is missing or too old, or there is no such device.
std::shared_ptr<Backend> make_nccl_backend(const NcclLike& like, const BackendContext& context);
// NCCL itself.
NcclLike nccl_like();
// Its version_code(): 22809 for 2.28.9. DistBackendError where it cannot be loaded.
int library_version(const NcclLike& like);
bool is_available(const NcclLike& like) noexcept;

}  // namespace opweave::distributed

#include "runtime/distributed/backends/registry/nccl_library.h"

#include "runtime/distributed/backends/registry/registry.h"

namespace opweave::distributed {

void register_nccl_library(const NcclLike& like) {
  register_backend(like.backend, [like](const BackendContext& context) {
    return make_nccl_backend(like, context);
  });
}

}  // namespace opweave::distributed

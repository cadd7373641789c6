// The dispatch key of batched tensors.
#include "runtime/batching/batched_tensor.h"

namespace opweave::detail {

// The logical call is what tracing above sees; below, autograd and autocast see the whole batch.
constinit FunctionalityKey batched_key{"Batched", {.above = "Autograd Forward Autocast"}};

}  // namespace opweave::detail

#include "opweave/kernels/cpu/good.h"
#include "opweave/ops/god.h"
#include "runtime/core/tensor.h"
#include "runtime/core/tensor_impl.h"

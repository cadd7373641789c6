#include "opweave/kernels/cpu/good.h"
#include "opweave/ops/god.h"
#include "runtime/core/tensor/tensor.h"
#include "runtime/core/tensor/tensor_impl.h"

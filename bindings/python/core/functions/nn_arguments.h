// What functions of nn.functional read that schemas have not: reductions by name.
#pragma once

#include "bindings/python/core/functions/arguments.h"

namespace opweave::python {

// Parameter i, 'none', 'mean' or 'sum', as the number of the reduction; `otherwise` where it is
// left out. The parameters size_average and reduce are PyTorch's older words, -1 where there are
// none: given they win, with a warning. Anything else is a ValueError.
int64_t reduction_argument(const Arguments& a, int i, int64_t otherwise, int size_average,
                           int reduce);

}  // namespace opweave::python

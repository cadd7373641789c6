// Rule functions about what slides over sizes: the windows of convolutions and of pooling.
#pragma once

#include <string>

#include "runtime/core/tensor/dim_vector.h"

namespace opweave::rule {

// RuntimeError for a stride of 0 and where a size does not fit; in lists as well.
int64_t window(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
               bool ceil_mode);
DimVector extents(IntList kernel, IntList dilation);
DimVector padded(IntList sizes, IntList padding);
DimVector convolved(IntList input, IntList weight, IntList stride, IntList padding,
                    IntList dilation);
DimVector transposed_convolved(IntList input, IntList weight, IntList stride, IntList padding,
                               IntList output_padding, IntList dilation, int64_t groups);

}  // namespace opweave::rule

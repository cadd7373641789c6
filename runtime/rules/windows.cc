// Windows over int64_t.
#include "runtime/rules/windows.h"

#include "runtime/rules/checked.h"
#include "runtime/rules/over/windows.h"

namespace opweave::rule {

using generic::Checked;

int64_t window(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
               bool ceil_mode) {
  return generic::window<Checked>(size, kernel, stride, padding, dilation, ceil_mode);
}

DimVector extents(IntList kernel, IntList dilation) {
  return over::extents<int64_t, Checked>(kernel, dilation);
}

DimVector padded(IntList sizes, IntList padding) {
  return over::padded<int64_t, Checked>(sizes, padding);
}

DimVector convolved(IntList input, IntList weight, IntList stride, IntList padding,
                    IntList dilation) {
  return over::convolved<int64_t, Checked>(input, weight, stride, padding, dilation);
}

DimVector transposed_convolved(IntList input, IntList weight, IntList stride, IntList padding,
                               IntList output_padding, IntList dilation, int64_t groups) {
  return over::transposed_convolved<int64_t, Checked>(input, weight, stride, padding,
                                                      output_padding, dilation, groups);
}

}  // namespace opweave::rule

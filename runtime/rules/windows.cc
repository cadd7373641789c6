// Windows over int64_t.
#include "runtime/rules/windows.h"

#include "runtime/rules/checked.h"

namespace opweave::rule {
namespace {

using generic::Checked;

// One option for all spatial dimensions, or one for each.
void check_options(IntList option, size_t spatial) {
  OW_CHECK(option.size() == 1 || option.size() >= spatial, "the list ", option,
           " is too short for ", spatial, " dimensions");
}

void check_spatial(IntList input, IntList weight) {
  OW_CHECK(input.size() >= 2 && input.size() == weight.size(),
           "a convolution needs an input and a weight of one rank, got ", input, " and ", weight);
}

}  // namespace

int64_t window(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
               bool ceil_mode) {
  return generic::window<Checked>(size, kernel, stride, padding, dilation, ceil_mode);
}

DimVector extents(IntList kernel, IntList dilation) {
  check_options(dilation, kernel.size());
  return generic::extents<Checked, DimVector>(kernel, dilation);
}

DimVector padded(IntList sizes, IntList padding) {
  check_options(padding, sizes.size());
  return generic::padded<Checked, DimVector>(sizes, padding);
}

DimVector convolved(IntList input, IntList weight, IntList stride, IntList padding,
                    IntList dilation) {
  check_spatial(input, weight);
  for (IntList option : {stride, padding, dilation}) check_options(option, input.size() - 2);
  return generic::convolved<Checked, DimVector>(input, weight, stride, padding, dilation);
}

DimVector transposed_convolved(IntList input, IntList weight, IntList stride, IntList padding,
                               IntList output_padding, IntList dilation, int64_t groups) {
  check_spatial(input, weight);
  for (IntList option : {stride, padding, output_padding, dilation}) {
    check_options(option, input.size() - 2);
  }
  return generic::transposed_convolved<Checked, DimVector>(
      input, weight, stride, padding, output_padding, dilation, Checked(groups));
}

}  // namespace opweave::rule

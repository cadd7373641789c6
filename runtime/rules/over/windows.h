// Rule functions about what slides over sizes, over any kind of number. `Number` computes: it
// refuses to overflow.
#pragma once

#include "runtime/rules/over/lists.h"

namespace opweave::rule::over {

// One option for all spatial dimensions, or one for each.
template <class Int>
void check_options(View<Int> option, size_t spatial) {
  OW_CHECK(option.size() == 1 || option.size() >= spatial, "the list ", option,
           " is too short for ", spatial, " dimensions");
}

template <class Int>
void check_spatial(View<Int> input, View<Int> weight) {
  OW_CHECK(input.size() >= 2 && input.size() == weight.size(),
           "a convolution needs an input and a weight of one rank, got ", input, " and ", weight);
}

template <class Int, class Number>
List<Int> extents(View<Int> kernel, View<Int> dilation) {
  check_options<Int>(dilation, kernel.size());
  return generic::extents<Number, List<Int>>(kernel, dilation);
}

template <class Int, class Number>
List<Int> padded(View<Int> sizes, View<Int> padding) {
  check_options<Int>(padding, sizes.size());
  return generic::padded<Number, List<Int>>(sizes, padding);
}

template <class Int, class Number>
List<Int> convolved(View<Int> input, View<Int> weight, View<Int> stride, View<Int> padding,
                    View<Int> dilation) {
  check_spatial<Int>(input, weight);
  for (View<Int> option : {stride, padding, dilation}) check_options<Int>(option, input.size() - 2);
  return generic::convolved<Number, List<Int>>(input, weight, stride, padding, dilation);
}

template <class Int, class Number>
List<Int> transposed_convolved(View<Int> input, View<Int> weight, View<Int> stride,
                               View<Int> padding, View<Int> output_padding, View<Int> dilation,
                               Int groups) {
  check_spatial<Int>(input, weight);
  for (View<Int> option : {stride, padding, output_padding, dilation})
    check_options<Int>(option, input.size() - 2);
  return generic::transposed_convolved<Number, List<Int>>(input, weight, stride, padding,
                                                          output_padding, dilation, Number(groups));
}

}  // namespace opweave::rule::over

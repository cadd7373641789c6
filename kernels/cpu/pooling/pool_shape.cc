// Checks and shapes of pooling, in PyTorch's words.
#include "kernels/cpu/pooling/pool_shape.h"

namespace opweave::cpu {
namespace {

int64_t option(std::string_view op, std::string_view name, IntList values, size_t i) {
  OW_CHECK(values.size() == 1 || values.size() == 2, op, ": ", name,
           " must either be a single int, or a tuple of two ints");
  return values[values.size() == 1 ? 0 : i];
}

int64_t output_size(const PoolAxis& a, bool ceil_mode) {
  OW_CHECK(a.stride != 0, "stride should not be zero");
  OW_CHECK(a.padding >= 0, "pad must be non-negative, but got pad: ", a.padding);
  const int64_t reach = (a.kernel - 1) * a.dilation + 1;
  OW_CHECK(a.padding <= reach / 2,
           "pad should be at most half of effective kernel size, but got pad=", a.padding,
           ", kernel_size=", a.kernel, " and dilation=", a.dilation);
  const int64_t room = a.in + 2 * a.padding - reach + (ceil_mode ? a.stride - 1 : 0);
  const int64_t steps = room >= 0 ? room / a.stride : -((-room + a.stride - 1) / a.stride);
  int64_t size = steps + 1;
  // The last window has to start inside the input or its left padding.
  if (ceil_mode && (size - 1) * a.stride >= a.in + a.padding) --size;
  return size;
}

PoolAxis axis(std::string_view op, const Tensor& input, const PoolOptions& o, size_t i) {
  PoolAxis a{};
  a.in = input.sizes()[static_cast<size_t>(input.dim()) - 2 + i];
  a.kernel = option(op, "kernel_size", o.kernel, i);
  a.stride = o.stride.empty() ? a.kernel : option(op, "stride", o.stride, i);
  a.padding = option(op, "padding", o.padding, i);
  a.dilation = option(op, "dilation", o.dilation, i);
  a.out = output_size(a, o.ceil_mode);
  return a;
}

void check_positive(const PoolAxis& rows, const PoolAxis& columns) {
  OW_CHECK(rows.kernel > 0 && columns.kernel > 0,
           "kernel size should be greater than zero, but got kH: ", rows.kernel,
           " kW: ", columns.kernel);
  OW_CHECK(rows.stride > 0 && columns.stride > 0,
           "stride should be greater than zero, but got dH: ", rows.stride,
           " dW: ", columns.stride);
  OW_CHECK(rows.dilation > 0 && columns.dilation > 0,
           "dilation should be greater than zero, but got dilationH: ", rows.dilation,
           " dilationW: ", columns.dilation);
}

}  // namespace

PoolShape pool_shape(std::string_view op, const Tensor& input, const PoolOptions& options) {
  const IntList sizes = input.sizes();
  OW_CHECK(sizes.size() == 3 || sizes.size() == 4,
           "non-empty 3D or 4D (batch mode) tensor expected for input");
  PoolShape shape{1, axis(op, input, options, 0), axis(op, input, options, 1), DimVector(sizes)};
  check_positive(shape.rows, shape.columns);
  for (size_t d = sizes.size() - 3; d < sizes.size(); ++d) {
    OW_CHECK(sizes[d] > 0,
             "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, "
             "but got:",
             sizes);
  }
  const int64_t channels = sizes[sizes.size() - 3];
  OW_CHECK(shape.rows.out >= 1 && shape.columns.out >= 1, "Given input size: (", channels, "x",
           shape.rows.in, "x", shape.columns.in, "). Calculated output size: (", channels, "x",
           shape.rows.out, "x", shape.columns.out, "). Output size is too small");
  for (size_t d = 0; d + 2 < sizes.size(); ++d) shape.planes *= sizes[d];
  shape.sizes[sizes.size() - 2] = shape.rows.out;
  shape.sizes[sizes.size() - 1] = shape.columns.out;
  return shape;
}

}  // namespace opweave::cpu

// Windows of pooling, shapes of convolutions, groups of channels, against counting one by one.
#include <doctest/doctest.h>

#include <vector>

#include "kernels/plans/convolution_shape.h"
#include "kernels/plans/group_shape.h"
#include "kernels/plans/pool_windows.h"

namespace opweave::plans {
namespace {

std::vector<int64_t> places(const Window& window) {
  std::vector<int64_t> found;
  for (int64_t i = 0; i < window.count; ++i) found.push_back(window.begin + i * window.step);
  return found;
}

std::vector<int64_t> counted(const PoolAxis& axis, int64_t o) {
  std::vector<int64_t> found;
  for (int64_t k = 0; k < axis.kernel; ++k) {
    const int64_t at = o * axis.stride - axis.padding + k * axis.dilation;
    if (at >= 0 && at < axis.in) found.push_back(at);
  }
  return found;
}

TEST_CASE("a window is what of it lies in the input") {
  for (int64_t in : {1, 4, 7}) {
    for (int64_t kernel : {1, 2, 3}) {
      for (int64_t stride : {1, 2, 5}) {
        for (int64_t dilation : {1, 2, 3}) {
          for (int64_t padding = 0; padding <= kernel / 2; ++padding) {
            const PoolAxis axis{in, 4, kernel, stride, padding, dilation};
            for (int64_t o = 0; o < axis.out; ++o) {
              CHECK(places(SlidingWindows(axis).window(o)) == counted(axis, o));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("adaptive windows cover the input, and each has an element") {
  for (int64_t in : {1, 5, 8, 13}) {
    for (int64_t out : {1, 2, 5, 13}) {
      const AdaptiveWindows windows(in, out);
      CHECK(windows.window(0).begin == 0);
      int64_t reached = 0;
      for (int64_t o = 0; o < out; ++o) {
        const Window w = windows.window(o);
        CHECK(w.count > 0);
        CHECK(w.begin <= reached);
        reached = w.begin + w.count;
      }
      CHECK(reached == in);
    }
  }
}

TEST_CASE("options of pooling stand for both dimensions, and no stride is the kernel") {
  const Tensor input = make_tensor({2, 9, 11}, kFloat, host_device());
  const Tensor pooled = make_tensor({2, 3, 4}, kFloat, host_device());
  const int64_t three = 3, one = 1, both[] = {2, 4};
  const PoolOptions options{IntList(&three, 1), {}, IntList(both, 2), IntList(&one, 1)};
  const PoolAxis rows = pool_axis(input, pooled, options, 0);
  const PoolAxis columns = pool_axis(input, pooled, options, 1);
  CHECK(rows.in == 9);
  CHECK(rows.stride == 3);
  CHECK(rows.padding == 2);
  CHECK(columns.in == 11);
  CHECK(columns.out == 4);
  CHECK(columns.padding == 4);
  CHECK(rows.begin(0) == 0);
}

TEST_CASE("a transposed convolution is the gradient of the one that its shape describes") {
  const Tensor small = make_tensor({1, 4, 3}, kFloat, host_device());
  const Tensor large = make_tensor({1, 2, 7}, kFloat, host_device());
  const Tensor weight = make_tensor({4, 2, 3}, kFloat, host_device());
  const int64_t two = 2, zero = 0, one = 1;
  ConvolutionOptions options{IntList(&two, 1), IntList(&zero, 1), IntList(&one, 1), false, 1};
  const ConvolutionShape plain = convolution_shape(large, weight, small, options);
  options.transposed = true;
  const ConvolutionShape transposed = convolution_shape(small, weight, large, options);
  CHECK(plain.input == transposed.input);
  CHECK(plain.output == transposed.output);
  CHECK(plain.input == DimVector{1, 2, 7});
  CHECK(transposed.spatial() == 1);
}

TEST_CASE("channels of groups") {
  const GroupShape shape{2, 3, 4, 5};
  CHECK(shape.group_size() == 20);
  CHECK(shape.group_count() == 6);
  CHECK(shape.channel(4, 2) == 6);  // the second sample's second group
  CHECK(shape.offset(4, 2) == 90);
}

}  // namespace
}  // namespace opweave::plans

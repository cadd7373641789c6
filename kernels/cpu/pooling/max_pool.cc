// Pooling by the largest value over two dimensions.
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/common/wide_result.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/plans/pool_shape.h"
#include "kernels/plans/pool_windows.h"
#include "opweave/kernels/cpu/adaptive_max_pool2d.h"
#include "opweave/kernels/cpu/max_pool2d_with_indices.h"
#include "opweave/kernels/cpu/max_pool2d_with_indices_backward.h"
#include "runtime/core/parallel.h"

namespace opweave::cpu {
namespace {

template <class C>
constexpr C lowest() {
  if constexpr (std::is_integral_v<C>) return std::numeric_limits<C>::lowest();
  return -std::numeric_limits<C>::infinity();
}

// The first of the largest values of a window; NaN counts as the largest.
template <class T>
struct Largest {
  using C = compute_type<T>;
  C value = lowest<C>();
  int64_t index;

  explicit Largest(int64_t first) : index(first) {}
  void take(T element, int64_t at) {
    const C x = element;
    const bool better = x > value || x != x;
    value = better ? x : value;
    index = better ? at : index;
  }
};

template <class T>
void pool_plane(const T* in, int64_t width, T* out, int64_t* indices,
                const std::vector<plans::Window>& rows, const std::vector<plans::Window>& columns) {
  for (const plans::Window& r : rows) {
    for (const plans::Window& c : columns) {
      Largest<T> best(r.begin * width + c.begin);
      for (int64_t i = 0; i < r.count; ++i) {
        const int64_t line = (r.begin + i * r.step) * width + c.begin;
        for (int64_t j = 0; j < c.count; ++j) best.take(in[line + j * c.step], line + j * c.step);
      }
      *out++ = static_cast<T>(best.value);
      *indices++ = best.index;
    }
  }
}

template <class Windows>
std::vector<plans::Window> windows_of(const Windows& axis) {
  std::vector<plans::Window> windows;
  for (int64_t o = 0; o < axis.out(); ++o) windows.push_back(axis.window(o));
  return windows;
}

template <class Rows, class Columns>
void max_pool(const Tensor& self, const Rows& rows, const Columns& columns, Tensor& pooled,
              Tensor& places) {
  if (pooled.numel() == 0) return;
  WideResult values(pooled), at(places);
  Tensor &out = values.tensor(), &indices = at.tensor();
  const Dense input(self);
  const Tensor& in = input;
  const int64_t in_plane = rows.in() * columns.in(), out_plane = rows.out() * columns.out();
  const std::vector<plans::Window> down = windows_of(rows), across = windows_of(columns);
  visit_dtype("max_pool2d", in.dtype(), [&]<class T>(TypeTag<T>) {
    parallel_for(0, out.numel() / out_plane, kGrainSize / in_plane + 1,
                 [&](int64_t from, int64_t to) {
                   for (int64_t p = from; p < to; ++p) {
                     pool_plane(static_cast<const T*>(in.raw_data()) + p * in_plane, columns.in(),
                                static_cast<T*>(out.raw_data()) + p * out_plane,
                                indices.data<int64_t>() + p * out_plane, down, across);
                   }
                 });
  });
  values.finish();
  at.finish();
}

// Adds the gradients of one plane up where they came from. A window that lies in the padding has an
// index of no element.
template <class T>
void spread_plane(const T* from, const int64_t* indices, int64_t n, T* to, int64_t plane) {
  for (int64_t i = 0; i < n; ++i) {
    OW_CHECK(indices[i] >= 0 && indices[i] < plane, "max_pool2d_backward: index ", indices[i],
             " is out of range for planes of ", plane, " elements");
    to[indices[i]] += from[i];
  }
}

}  // namespace

void max_pool2d_with_indices(const Tensor& self, IntList kernel_size, IntList stride,
                             IntList padding, IntList dilation, bool /*ceil_mode*/, Tensor& out,
                             Tensor& indices) {
  const plans::PoolOptions options{kernel_size, stride, padding, dilation};
  max_pool(self, plans::SlidingWindows(plans::pool_axis(self, out, options, 0)),
           plans::SlidingWindows(plans::pool_axis(self, out, options, 1)), out, indices);
}

void max_pool2d_with_indices_backward(const Tensor& grad_output, const Tensor& self,
                                      IntList /*kernel_size*/, IntList /*stride*/,
                                      IntList /*padding*/, IntList /*dilation*/, bool /*ceil_mode*/,
                                      const Tensor& indices, Tensor& out) {
  // Windows may overlap in one element: sums of 16 bits are rounded once.
  const ScalarType dtype = compute_dtype(grad_output.dtype());
  const Dense gradient(grad_output, dtype), places(indices);
  const Tensor &g = gradient, &at = places;
  WideResult result(out, dtype);
  Tensor& sums = result.tensor();
  std::memset(sums.raw_data(), 0, sums.nbytes());
  if (g.numel() == 0) return result.finish();
  const int64_t in_plane = self.size(-1) * self.size(-2), out_plane = g.size(-1) * g.size(-2);
  visit_float_double("max_pool2d_backward", g.dtype(), [&]<class T>(TypeTag<T>) {
    parallel_for(0, g.numel() / out_plane, kGrainSize / (in_plane + 1) + 1,
                 [&](int64_t from, int64_t to) {
                   for (int64_t p = from; p < to; ++p) {
                     spread_plane(static_cast<const T*>(g.raw_data()) + p * out_plane,
                                  at.data<int64_t>() + p * out_plane, out_plane,
                                  static_cast<T*>(sums.raw_data()) + p * in_plane, in_plane);
                   }
                 });
  });
  result.finish();
}

void adaptive_max_pool2d(const Tensor& self, IntList /*output_size*/, Tensor& out,
                         Tensor& indices) {
  max_pool(self, plans::AdaptiveWindows(self.size(-2), out.size(-2)),
           plans::AdaptiveWindows(self.size(-1), out.size(-1)), out, indices);
}

}  // namespace opweave::cpu

// Pooling by the largest value over two dimensions.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/copying/wide_result.h"
#include "kernels/plans/pool_shape.h"
#include "kernels/plans/pool_windows.h"
#include "opweave/kernels/cpu/adaptive_max_pool2d.h"
#include "opweave/kernels/cpu/max_pool2d_with_indices.h"
#include "opweave/kernels/cpu/max_pool2d_with_indices_backward.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

template <class C>
constexpr C lowest() {
  if constexpr (std::is_integral_v<C>) return std::numeric_limits<C>::lowest();
  return -std::numeric_limits<C>::infinity();
}

// The windows of a run side by side, in vectors where their elements lie so. The first of the
// largest values of each; NaN counts as the largest, and of several the last.
template <class T>
struct Largest {
  using C = compute_type<T>;
  // As wide as a value of 32 or 64 bits, so that both have vectors of as many.
  using Distance = std::conditional_t<sizeof(C) == 8, int64_t, int32_t>;
  static constexpr int64_t kTile = 256;
  C value[kTile];
  Distance at[kTile];  // from the first element of its window

  static bool fits(int64_t extent) { return extent <= std::numeric_limits<Distance>::max(); }
  void start(int64_t n) {
    std::fill_n(value, n, lowest<C>());
    std::fill_n(at, n, Distance(0));
  }
  template <class Stride>
  void take(const T* from, Stride stride, int64_t n, Distance distance) {
    for (int64_t i = 0; i < n; ++i) {
      const C x = from[i * stride];
      const bool better = (x > value[i]) | (x != x);
      value[i] = better ? x : value[i];
      at[i] = better ? distance : at[i];
    }
  }
};

// Calls f with the stride as a constant where it is 1, for vectors of elements side by side.
template <class F>
void with_stride(int64_t stride, F f) {
  if (stride == 1) return f(std::integral_constant<int64_t, 1>());
  f(stride);
}

template <class T>
void pool_run(const T* in, int64_t width, T* out, int64_t* indices, const plans::Window& r,
              const plans::WindowRun& run) {
  Largest<T> best;
  const plans::Window& c = run.window;
  for (int64_t done = 0; done < run.windows; done += Largest<T>::kTile) {
    const int64_t n = std::min(Largest<T>::kTile, run.windows - done);
    const int64_t first = r.begin * width + c.begin + done * run.stride;
    best.start(n);
    with_stride(run.stride, [&](auto stride) {
      for (int64_t i = 0; i < r.count; ++i) {
        for (int64_t j = 0; j < c.count; ++j) {
          const int64_t distance = i * r.step * width + j * c.step;
          best.take(in + first + distance, stride, n,
                    static_cast<typename Largest<T>::Distance>(distance));
        }
      }
    });
    for (int64_t i = 0; i < n; ++i) {
      out[run.first + done + i] = static_cast<T>(best.value[i]);
      indices[run.first + done + i] = first + i * run.stride + best.at[i];
    }
  }
}

template <class T>
void pool_plane(const T* in, int64_t width, T* out, int64_t* indices,
                const std::vector<plans::Window>& rows, const std::vector<plans::WindowRun>& runs,
                int64_t columns) {
  for (const plans::Window& r : rows) {
    for (const plans::WindowRun& run : runs) pool_run(in, width, out, indices, r, run);
    out += columns;
    indices += columns;
  }
}

template <class Windows>
std::vector<plans::Window> windows_of(const Windows& axis) {
  std::vector<plans::Window> windows;
  for (int64_t o = 0; o < axis.out(); ++o) windows.push_back(axis.window(o));
  return windows;
}

// How far the elements of a window lie apart in a plane, at most.
int64_t extent_of(const std::vector<plans::Window>& rows,
                  const std::vector<plans::WindowRun>& columns, int64_t width) {
  int64_t down = 0, across = 0;
  for (const plans::Window& r : rows) down = std::max(down, (r.count - 1) * r.step);
  for (const plans::WindowRun& run : columns)
    across = std::max(across, (run.window.count - 1) * run.window.step);
  return down * width + across;
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
  const std::vector<plans::Window> down = windows_of(rows);
  const std::vector<plans::WindowRun> across = plans::runs_of(windows_of(columns));
  visit_dtype("max_pool2d", in.dtype(), [&]<class T>(TypeTag<T>) {
    OW_CHECK(Largest<T>::fits(extent_of(down, across, columns.in())),
             "max_pool2d: windows over more than 2^31 elements of a plane");
    parallel_for(
        0, out.numel() / out_plane, kGrainSize / in_plane + 1, [&](int64_t from, int64_t to) {
          for (int64_t p = from; p < to; ++p) {
            pool_plane(static_cast<const T*>(in.raw_data()) + p * in_plane, columns.in(),
                       static_cast<T*>(out.raw_data()) + p * out_plane,
                       indices.data<int64_t>() + p * out_plane, down, across, columns.out());
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

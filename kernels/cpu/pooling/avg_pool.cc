// Pooling by means over two dimensions.
#include <cstring>
#include <vector>

#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/copying/wide_result.h"
#include "kernels/plans/pool_windows.h"
#include "opweave/kernels/cpu/_adaptive_avg_pool2d_backward.h"
#include "opweave/kernels/cpu/adaptive_avg_pool2d.h"
#include "opweave/kernels/cpu/avg_pool2d.h"
#include "opweave/kernels/cpu/avg_pool2d_backward.h"
#include "runtime/core/threads/parallel.h"
#include "runtime/rules/widened.h"

namespace opweave::cpu {
namespace {

// Windows and divisors of all outputs of a plane.
class Means {
 public:
  Means(const plans::PoolAxis& rows, const plans::PoolAxis& columns, bool count_include_pad,
        std::optional<int64_t> divisor_override)
      : in_rows_(rows.in), in_columns_(columns.in) {
    add(plans::SlidingWindows(rows), plans::SlidingWindows(columns));
    for (size_t y = 0; y < rows_.size(); ++y) {
      for (size_t x = 0; x < columns_.size(); ++x) {
        const int64_t inside = rows_[y].count * columns_[x].count;
        const int64_t all =
            padded(rows, static_cast<int64_t>(y)) * padded(columns, static_cast<int64_t>(x));
        divisors_.push_back(divisor_override.value_or(count_include_pad ? all : inside));
      }
    }
  }
  Means(const plans::AdaptiveWindows& rows, const plans::AdaptiveWindows& columns)
      : in_rows_(rows.in()), in_columns_(columns.in()) {
    add(rows, columns);
    for (const plans::Window& r : rows_) {
      for (const plans::Window& c : columns_) divisors_.push_back(r.count * c.count);
    }
  }

  int64_t in_plane() const { return in_rows_ * in_columns_; }
  int64_t out_plane() const { return static_cast<int64_t>(divisors_.size()); }
  int64_t out_rows() const { return static_cast<int64_t>(rows_.size()); }
  int64_t out_columns() const { return static_cast<int64_t>(columns_.size()); }

  // Calls body(output, divisor, first element of a line of its window, length) per line.
  template <class Body>
  void for_lines(Body&& body) const {
    int64_t o = 0;
    for (const plans::Window& r : rows_) {
      for (const plans::Window& c : columns_) {
        for (int64_t i = 0; i < r.count; ++i) {
          body(o, (r.begin + i) * in_columns_ + c.begin, c.count);
        }
        ++o;
      }
    }
  }
  int64_t divisor(int64_t o) const { return divisors_[static_cast<size_t>(o)]; }

 private:
  template <class Rows, class Columns>
  void add(const Rows& rows, const Columns& columns) {
    for (int64_t y = 0; y < rows.out(); ++y) rows_.push_back(rows.window(y));
    for (int64_t x = 0; x < columns.out(); ++x) columns_.push_back(columns.window(x));
  }
  // The window with its padding, which ends where the padding does.
  static int64_t padded(const plans::PoolAxis& a, int64_t o) {
    const int64_t begin = o * a.stride - a.padding;
    return std::min(begin + a.kernel, a.in + a.padding) - begin;
  }

  int64_t in_rows_, in_columns_;
  std::vector<plans::Window> rows_, columns_;
  std::vector<int64_t> divisors_;
};

template <class T>
using Sum = std::conditional_t<std::is_integral_v<T>, int64_t, compute_type<T>>;

template <class T>
void pool_plane(const Means& means, const T* in, T* out, Sum<T>* sums) {
  std::fill(sums, sums + means.out_plane(), Sum<T>(0));
  means.for_lines([&](int64_t o, int64_t first, int64_t n) {
    Sum<T> sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += in[first + i];
    sums[o] += sum;
  });
  for (int64_t o = 0; o < means.out_plane(); ++o) {
    out[o] = static_cast<T>(sums[o] / static_cast<Sum<T>>(means.divisor(o)));
  }
}

template <class T>
void spread_plane(const Means& means, const T* grad, T* out) {
  means.for_lines([&](int64_t o, int64_t first, int64_t n) {
    const T share = grad[o] / static_cast<T>(means.divisor(o));
    for (int64_t i = 0; i < n; ++i) out[first + i] += share;
  });
}

void pool(const Means& means, const Tensor& self, Tensor& pooled) {
  const Dense input(self);
  const Tensor& in = input;
  WideResult result(pooled);
  Tensor& out = result.tensor();
  const int64_t from_plane = means.in_plane(), to_plane = means.out_plane();
  visit_dtype("avg_pool2d", in.dtype(), [&]<class T>(TypeTag<T>) {
    parallel_for(0, out.numel() / to_plane, kGrainSize / from_plane + 1,
                 [&](int64_t begin, int64_t end) {
                   std::vector<Sum<T>> sums(static_cast<size_t>(to_plane));
                   for (int64_t p = begin; p < end; ++p) {
                     pool_plane(means, static_cast<const T*>(in.raw_data()) + p * from_plane,
                                static_cast<T*>(out.raw_data()) + p * to_plane, sums.data());
                   }
                 });
  });
  result.finish();
}

// 16-bit floats are added up in float32.
void spread(const Means& means, const Tensor& grad, Tensor& result) {
  const ScalarType dtype = rule::widened(grad.dtype());
  const Dense gradient(grad, dtype);
  const Tensor& g = gradient;
  WideResult wide(result, dtype);
  Tensor& out = wide.tensor();
  std::memset(out.raw_data(), 0, out.nbytes());
  visit_float_double("avg_pool2d_backward", g.dtype(), [&]<class T>(TypeTag<T>) {
    parallel_for(0, g.numel() / means.out_plane(), kGrainSize / means.in_plane() + 1,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t p = begin; p < end; ++p) {
                     spread_plane(means, g.data<T>() + p * means.out_plane(),
                                  out.data<T>() + p * means.in_plane());
                   }
                 });
  });
  wide.finish();
}

// Windows that slide by a stride over `self`; `pooled` has as many elements as there are windows.
Means sliding_means(const Tensor& self, const Tensor& pooled, IntList kernel_size, IntList stride,
                    IntList padding, bool count_include_pad,
                    std::optional<int64_t> divisor_override) {
  const int64_t dilation = 1;
  const plans::PoolOptions options{kernel_size, stride, padding, IntList(&dilation, 1)};
  return Means(plans::pool_axis(self, pooled, options, 0),
               plans::pool_axis(self, pooled, options, 1), count_include_pad, divisor_override);
}

Means adaptive_means(const Tensor& self, const Tensor& pooled) {
  return Means(plans::AdaptiveWindows(self.size(-2), pooled.size(-2)),
               plans::AdaptiveWindows(self.size(-1), pooled.size(-1)));
}

void clear(Tensor& out) { std::memset(out.raw_data(), 0, out.nbytes()); }

}  // namespace

void avg_pool2d(const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                bool /*ceil_mode*/, bool count_include_pad, std::optional<int64_t> divisor_override,
                Tensor& out) {
  if (out.numel() == 0) return;
  pool(sliding_means(self, out, kernel_size, stride, padding, count_include_pad, divisor_override),
       self, out);
}
void avg_pool2d_backward(const Tensor& grad_output, const Tensor& self, IntList kernel_size,
                         IntList stride, IntList padding, bool /*ceil_mode*/,
                         bool count_include_pad, std::optional<int64_t> divisor_override,
                         Tensor& out) {
  if (grad_output.numel() == 0) return clear(out);
  spread(sliding_means(self, grad_output, kernel_size, stride, padding, count_include_pad,
                       divisor_override),
         grad_output, out);
}

void adaptive_avg_pool2d(const Tensor& self, IntList /*output_size*/, Tensor& out) {
  if (out.numel() > 0) pool(adaptive_means(self, out), self, out);
}
void _adaptive_avg_pool2d_backward(const Tensor& grad_output, const Tensor& self, Tensor& out) {
  if (grad_output.numel() == 0) return clear(out);
  spread(adaptive_means(self, grad_output), grad_output, out);
}

}  // namespace opweave::cpu

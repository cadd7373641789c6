// Pooling by means over two dimensions.
#include <cstring>
#include <vector>

#include "kernels/cpu/common/cast.h"
#include "kernels/cpu/common/visit_dtype.h"
#include "kernels/cpu/pooling/pool_windows.h"
#include "opweave/kernels/cpu/_adaptive_avg_pool2d_backward.h"
#include "opweave/kernels/cpu/adaptive_avg_pool2d.h"
#include "opweave/kernels/cpu/avg_pool2d.h"
#include "opweave/kernels/cpu/avg_pool2d_backward.h"
#include "opweave/ops/contiguous.h"
#include "runtime/core/parallel.h"

namespace opweave::cpu {
namespace {

// Windows and divisors of all outputs of a plane.
class Means {
 public:
  Means(const PoolShape& shape, bool count_include_pad, std::optional<int64_t> divisor_override)
      : in_rows_(shape.rows.in), in_columns_(shape.columns.in) {
    OW_CHECK(!divisor_override || *divisor_override != 0, "divisor must be not zero");
    add(SlidingWindows(shape.rows), SlidingWindows(shape.columns));
    for (size_t y = 0; y < rows_.size(); ++y) {
      for (size_t x = 0; x < columns_.size(); ++x) {
        const int64_t inside = rows_[y].count * columns_[x].count;
        const int64_t all = padded(shape.rows, static_cast<int64_t>(y)) *
                            padded(shape.columns, static_cast<int64_t>(x));
        divisors_.push_back(divisor_override.value_or(count_include_pad ? all : inside));
      }
    }
  }
  Means(const AdaptiveWindows& rows, const AdaptiveWindows& columns)
      : in_rows_(rows.in()), in_columns_(columns.in()) {
    add(rows, columns);
    for (const Window& r : rows_) {
      for (const Window& c : columns_) divisors_.push_back(r.count * c.count);
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
    for (const Window& r : rows_) {
      for (const Window& c : columns_) {
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
  static int64_t padded(const PoolAxis& a, int64_t o) {
    const int64_t begin = o * a.stride - a.padding;
    return std::min(begin + a.kernel, a.in + a.padding) - begin;
  }

  int64_t in_rows_, in_columns_;
  std::vector<Window> rows_, columns_;
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

Tensor pool(const Means& means, const Tensor& self) {
  const Tensor in = opweave::contiguous(self);
  DimVector sizes(in.sizes());
  sizes[sizes.size() - 2] = means.out_rows();
  sizes[sizes.size() - 1] = means.out_columns();
  Tensor out = make_tensor(sizes, in.dtype(), in.device());
  if (out.numel() == 0) return out;
  const int64_t from_plane = means.in_plane(), to_plane = means.out_plane();
  visit_dtype("avg_pool2d", in.dtype(), [&]<class T>(TypeTag<T>) {
    if (std::is_same_v<T, bool>) fail_dtype("avg_pool2d", kBool);
    parallel_for(0, out.numel() / to_plane, kGrainSize / from_plane + 1,
                 [&](int64_t begin, int64_t end) {
                   std::vector<Sum<T>> sums(static_cast<size_t>(to_plane));
                   for (int64_t p = begin; p < end; ++p) {
                     pool_plane(means, static_cast<const T*>(in.raw_data()) + p * from_plane,
                                static_cast<T*>(out.raw_data()) + p * to_plane, sums.data());
                   }
                 });
  });
  return out;
}

// 16-bit floats are added up in float32.
Tensor spread(const Means& means, const Tensor& grad, const Tensor& self) {
  const ScalarType dtype = is_reduced_float(grad.dtype()) ? kFloat : grad.dtype();
  const Tensor g = opweave::contiguous(cast(grad, dtype));
  Tensor out = make_tensor(self.sizes(), dtype, self.device());
  std::memset(out.raw_data(), 0, out.nbytes());
  if (g.numel() == 0) return cast(out, grad.dtype());
  visit_float_double("avg_pool2d_backward", dtype, [&]<class T>(TypeTag<T>) {
    parallel_for(0, g.numel() / means.out_plane(), kGrainSize / means.in_plane() + 1,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t p = begin; p < end; ++p) {
                     spread_plane(means, g.data<T>() + p * means.out_plane(),
                                  out.data<T>() + p * means.in_plane());
                   }
                 });
  });
  return cast(out, grad.dtype());
}

Means sliding_means(const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                    bool ceil_mode, bool count_include_pad,
                    std::optional<int64_t> divisor_override) {
  const int64_t dilation = 1;
  const PoolOptions options{kernel_size, stride, padding, IntList(&dilation, 1), ceil_mode};
  return Means(pool_shape("avg_pool2d", self, options), count_include_pad, divisor_override);
}

}  // namespace

Tensor avg_pool2d(const Tensor& self, IntList kernel_size, IntList stride, IntList padding,
                  bool ceil_mode, bool count_include_pad, std::optional<int64_t> divisor_override) {
  return pool(sliding_means(self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                            divisor_override),
              self);
}
Tensor avg_pool2d_backward(const Tensor& grad_output, const Tensor& self, IntList kernel_size,
                           IntList stride, IntList padding, bool ceil_mode, bool count_include_pad,
                           std::optional<int64_t> divisor_override) {
  return spread(sliding_means(self, kernel_size, stride, padding, ceil_mode, count_include_pad,
                              divisor_override),
                grad_output, self);
}

Tensor adaptive_avg_pool2d(const Tensor& self, IntList output_size) {
  check_adaptive("adaptive_avg_pool2d", self, output_size);
  if (!is_floating(self.dtype())) fail_dtype("adaptive_avg_pool2d", self.dtype());
  return pool(Means(AdaptiveWindows(self.size(-2), output_size[0]),
                    AdaptiveWindows(self.size(-1), output_size[1])),
              self);
}
Tensor _adaptive_avg_pool2d_backward(const Tensor& grad_output, const Tensor& self) {
  return spread(Means(AdaptiveWindows(self.size(-2), grad_output.size(-2)),
                      AdaptiveWindows(self.size(-1), grad_output.size(-1))),
                grad_output, self);
}

}  // namespace opweave::cpu

// Kernels that are as short as can be: the tests are of what is generated around them.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/kernels/cpu/center.h"
#include "opweave/kernels/cpu/halves.h"
#include "opweave/kernels/cpu/line_sums.h"
#include "opweave/kernels/cpu/peak.h"
#include "opweave/kernels/cpu/running_sum.h"
#include "opweave/kernels/cpu/running_sum_of.h"
#include "opweave/kernels/cpu/standardized.h"
#include "opweave/kernels/cpu/total.h"
#include "opweave/kernels/cpu/twice_and_half.h"
#include "opweave/ops/contiguous.h"

namespace opweave::cpu {
namespace {

// f(in, i) for each element, where `in` is contiguous.
template <class F>
void each(const char* op, const Tensor& self, const F& f) {
  const Tensor in = contiguous(self);
  visit_floating(op, in.dtype(), [&]<class T>(TypeTag<T>) {
    for (int64_t i = 0; i < in.numel(); ++i) f(static_cast<const T*>(in.raw_data()), i);
  });
}

// An element to compute with, whatever arithmetic its type has.
template <class T>
double number(T element) {
  return static_cast<double>(element);
}

// A tensor as `outer` blocks of `length` lines of `inner` elements.
struct Lines {
  int64_t outer = 1, length = 1, inner = 1;
  Lines(const Tensor& self, int64_t dim) {
    if (self.dim() == 0) return;
    if (dim < 0) dim += self.dim();
    for (int64_t d = 0; d < self.dim(); ++d)
      (d < dim ? outer : d > dim ? inner : length) *= self.size(d);
  }
};

void sum_lines(const char* op, const Tensor& self, Lines lines, Tensor& out, bool last_only) {
  const Tensor in = contiguous(self);
  visit_floating(op, in.dtype(), [&]<class T>(TypeTag<T>) {
    const T* from = static_cast<const T*>(in.raw_data());
    T* to = static_cast<T*>(out.raw_data());
    for (int64_t line = 0; line < lines.outer * lines.inner; ++line) {
      const int64_t start = line / lines.inner * lines.length * lines.inner + line % lines.inner;
      double sum = 0;
      for (int64_t i = 0; i < lines.length; ++i) {
        sum += static_cast<double>(from[start + i * lines.inner]);
        if (!last_only) to[start + i * lines.inner] = static_cast<T>(sum);
      }
      if (last_only) to[line] = static_cast<T>(sum);
    }
  });
}

}  // namespace

void standardized(const Tensor& self, double eps, Tensor& out, Tensor& mean, Tensor& rstd) {
  const Tensor in = contiguous(self);
  const int64_t n = in.size(-1);
  visit_floating("standardized", in.dtype(), [&]<class T>(TypeTag<T>) {
    for (int64_t row = 0; row < mean.numel(); ++row) {
      const T* x = static_cast<const T*>(in.raw_data()) + row * n;
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
      for (int64_t i = 0; i < n; ++i) {
        const double distance = static_cast<double>(x[i]) - sum / static_cast<double>(n);
        squares += distance * distance;
      }
      const double center = sum / static_cast<double>(n);
      const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + eps);
      for (int64_t i = 0; i < n; ++i)
        static_cast<T*>(out.raw_data())[row * n + i] =
            static_cast<T>((static_cast<double>(x[i]) - center) * scale);
      static_cast<T*>(mean.raw_data())[row] = static_cast<T>(center);
      static_cast<T*>(rstd.raw_data())[row] = static_cast<T>(scale);
    }
  });
}

void peak(const Tensor& self, Tensor& value, Tensor& index) {
  int64_t best = 0;
  each("peak", self, [&](const auto* x, int64_t i) {
    if (number(x[i]) > number(x[best])) best = i;
    *static_cast<std::decay_t<decltype(*x)>*>(value.raw_data()) = x[best];
  });
  *static_cast<int64_t*>(index.raw_data()) = best;
}

void halves(const Tensor& self, Tensor& positive, Tensor& negative) {
  each("halves", self, [&](const auto* x, int64_t i) {
    using T = std::decay_t<decltype(*x)>;
    static_cast<T*>(positive.raw_data())[i] = static_cast<T>(std::max(number(x[i]), 0.0));
    static_cast<T*>(negative.raw_data())[i] = static_cast<T>(std::max(-number(x[i]), 0.0));
  });
}

void twice_and_half(const Tensor& self, Tensor& twice, Tensor& half) {
  each("twice_and_half", self, [&](const auto* x, int64_t i) {
    using T = std::decay_t<decltype(*x)>;
    static_cast<T*>(twice.raw_data())[i] = static_cast<T>(number(x[i]) * 2);
    static_cast<T*>(half.raw_data())[i] = static_cast<T>(number(x[i]) * 0.5);
  });
}

void center(const Tensor& self, Tensor& out) {
  double sum = 0;
  each("center", self, [&](const auto* x, int64_t i) { sum += static_cast<double>(x[i]); });
  each("center", self, [&](const auto* x, int64_t i) {
    using T = std::decay_t<decltype(*x)>;
    static_cast<T*>(out.raw_data())[i] =
        static_cast<T>(static_cast<double>(x[i]) - sum / static_cast<double>(self.numel()));
  });
}

void running_sum(const Tensor& self, int64_t dim, Tensor& out) {
  sum_lines("running_sum", self, Lines(self, dim), out, /*last_only=*/false);
}

void running_sum_of(const Tensor& self, std::optional<int64_t> dim, Tensor& out) {
  Lines lines(self, dim.value_or(0));
  if (!dim) lines.outer = lines.inner = 1, lines.length = self.numel();
  sum_lines("running_sum_of", self, lines, out, /*last_only=*/false);
}

void line_sums(const Tensor& self, int64_t dim, Tensor& out) {
  sum_lines("line_sums", self, Lines(self, dim), out, /*last_only=*/true);
}

void total(const Tensor& self, Tensor& out) {
  double sum = 0;
  each("total", self, [&](const auto* x, int64_t i) {
    sum += static_cast<double>(x[i]);
    *static_cast<std::decay_t<decltype(*x)>*>(out.raw_data()) =
        static_cast<std::decay_t<decltype(*x)>>(sum);
  });
}

}  // namespace opweave::cpu

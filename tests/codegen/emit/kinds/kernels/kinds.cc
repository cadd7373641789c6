// Kernels that are as short as can be: the tests are of what is generated around them.
#include "kinds.h"

#include <algorithm>
#include <cmath>

#include "opweave/kernels/cpu/center.h"
#include "opweave/kernels/cpu/halves.h"
#include "opweave/kernels/cpu/peak.h"
#include "opweave/kernels/cpu/running_sum.h"
#include "opweave/kernels/cpu/running_sum_of.h"
#include "opweave/kernels/cpu/standardized.h"
#include "opweave/kernels/cpu/total.h"
#include "opweave/kernels/cpu/twice_and_half.h"

namespace opweave::cpu {
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

void total(const Tensor& self, Tensor& out) {
  double sum = 0;
  each("total", self, [&](const auto* x, int64_t i) {
    sum += static_cast<double>(x[i]);
    *static_cast<std::decay_t<decltype(*x)>*>(out.raw_data()) =
        static_cast<std::decay_t<decltype(*x)>>(sum);
  });
}

}  // namespace opweave::cpu

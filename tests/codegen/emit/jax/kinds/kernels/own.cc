// Kernels of constants and overloads, as short as can be.
#include <algorithm>
#include <cmath>

#include "../../../kinds/kernels/kinds.h"
#include "opweave/kernels/cpu/grown.h"
#include "opweave/kernels/cpu/shifted_by.h"
#include "opweave/kernels/cpu/steered.h"
#include "opweave/kernels/cpu/tripled.h"
#include "opweave/kernels/cpu/written_as_float.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {

void steered(const Tensor& self, const Scalar& scale, double offset, bool negative, IntList powers,
             std::optional<int64_t> again, std::optional<double> at_most, std::string_view mode,
             std::array<bool, 2> halves, DoubleList more, const std::optional<Scalar>& less,
             std::optional<ScalarType> dtype, Tensor& out) {
  double factor = scale.to_double() * (scale.is_floating() ? 1 : 10) * (negative ? -1 : 1);
  for (const int64_t power : powers) factor *= std::pow(2.0, static_cast<double>(power));
  if (again) factor *= static_cast<double>(*again);
  if (mode == "wide") offset += 100;
  if (halves[0]) offset += 1000;
  if (halves[1]) offset += 2000;
  for (const double number : more) offset += number;
  if (less) offset -= less->to_double();
  if (dtype && *dtype != out.dtype()) offset = -1e9;
  visit_floating("steered", self.dtype(), [&]<class T>(TypeTag<T>) {
    visit_dtype("steered", out.dtype(), [&]<class To>(TypeTag<To>) {
      for (int64_t i = 0; i < self.numel(); ++i) {
        const double value = static_cast<double>(self.data<T>()[i]) * factor + offset;
        out.data<To>()[i] = static_cast<To>(at_most ? std::min(value, *at_most) : value);
      }
    });
  });
}

void shifted_by_number(const Tensor& self, double offset, Tensor& out) {
  each("shifted_by", self, [&]<class T>(const T* x, int64_t i) {
    out.data<T>()[i] = static_cast<T>(number(x[i]) + offset);
  });
}

void shifted_by_Tensor(const Tensor& self, const Tensor& offset, Tensor& out) {
  // As long as one example needs them: the sizes of `offset` from the last one on, each 1 or as in
  // self.
  each("shifted_by", self, [&]<class T>(const T* x, int64_t i) {
    int64_t at = 0, step = 1, left = i;
    for (int64_t d = self.dim() - 1, k = offset.dim() - 1; k >= 0; --d, --k) {
      if (offset.size(k) != 1) at += left % self.size(d) * step;
      step *= offset.size(k);
      left /= self.size(d);
    }
    out.data<T>()[i] = static_cast<T>(number(x[i]) + number(offset.data<T>()[at]));
  });
}

void grown(const Tensor& self, const Tensor& mask, Tensor& out) {
  visit_floating("grown", self.dtype(), [&]<class T>(TypeTag<T>) {
    parallel_for(0, self.numel(), 16, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        out.data<T>()[i] =
            static_cast<T>(mask.data<bool>()[i] ? std::exp(number(self.data<T>()[i])) : 0.0);
    });
  });
}

void tripled(const Tensor& self, Tensor& out) {
  each("tripled", self, [&]<class T>(const T* x, int64_t i) {
    out.data<T>()[i] = static_cast<T>(number(x[i]) * 3);
  });
}

void written_as_float(const Tensor&, int64_t, int64_t, ScalarType, Tensor& out) {
  std::fill_n(out.data<float>(), out.numel(), 1.5f);
}

}  // namespace opweave::cpu

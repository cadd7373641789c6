#include "opweave/kernels/cpu/stretched.h"

#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/ops/contiguous.h"
#include "words.h"

namespace opweave::cpu {

void stretched(const Tensor& self, const Scalar& number, const std::optional<Scalar>& other,
               DoubleList weights, std::optional<DoubleList> parts, IntList places,
               std::optional<IntList> maybe, std::array<bool, 2> flags, std::string_view mode,
               std::optional<std::string_view> name, std::optional<ScalarType> dtype,
               std::optional<int64_t> count, std::optional<double> scale, std::optional<bool> flag,
               Tensor& out) {
  double all = number_of(number) + (other ? number_of(*other) : 0) + sum_of(weights) +
               (parts ? sum_of(*parts) : 0) + sum_of(places) + (maybe ? sum_of(*maybe) : 0);
  all += (flags[0] ? 100 : 0) + (mode == "mean" ? 1000 : 0) + (name && *name == "x" ? 2000 : 0);
  all += (dtype && *dtype == kFloat ? 4000 : 0) + static_cast<double>(count.value_or(0)) +
         scale.value_or(0) + (flag && *flag ? 8000 : 0);
  const Tensor in = opweave::contiguous(self);
  visit_float_double("stretched", in.dtype(), [&]<class T>(TypeTag<T>) {
    for (int64_t i = 0; i < in.numel(); ++i)
      out.data<T>()[i] = static_cast<T>(all * static_cast<double>(in.data<T>()[i]));
  });
}

}  // namespace opweave::cpu

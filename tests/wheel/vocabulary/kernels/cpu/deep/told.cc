#include "opweave/kernels/cpu/told.h"

#include <string>
#include <vector>

#include "../../words.h"
#include "kernels/cpu/common/visit_dtype.h"
#include "opweave/ops/contiguous.h"
#include "runtime/core/base/error.h"
#include "runtime/core/numbers/half.h"
#include "runtime/core/tensor/dim_vector.h"
#include "runtime/core/threads/parallel.h"

namespace opweave::cpu {
namespace {

// Each refusal, by the name of its kind.
void refuse(std::string_view kind, const Tensor& self) {
  OW_CHECK(kind != "runtime", "told(): ", self.sizes(), " of ", 0.5);
  OW_CHECK_TYPE(kind != "type", "told(): a type");
  OW_CHECK_VALUE(kind != "value", "told(): a value");
  OW_CHECK_INDEX(kind != "index", "told(): an index ", 3);
  OW_CHECK_NOT_IMPLEMENTED(kind != "lacking", "told(): lacking");
  if (kind == "thrown") OW_THROW(ErrorKind::kValue, "told(): thrown ", 7);
  if (kind == "data") self.data<int64_t>();
  if (kind == "dim") wrap_dim(2, self.dim());
}

// Memory of its own, sizes of its own, and elements that are stored in 16 bits.
double through_half(const Tensor& self) {
  DimVector sizes;
  for (const int64_t size : self.sizes()) sizes.push_back(size);
  const Tensor halves = make_tensor(sizes, kHalf, self.device());
  Half* to = halves.data<Half>();
  double sum = 0;
  visit_float_double("told", self.dtype(), [&]<class T>(TypeTag<T>) {
    for (int64_t i = 0; i < self.numel(); ++i) {
      to[i] = static_cast<Half>(static_cast<compute_type<Half>>(self.data<T>()[i]));
      sum += static_cast<double>(static_cast<compute_type<Half>>(to[i]));
    }
  });
  return sum + static_cast<double>(element_size(halves.dtype()));
}

}  // namespace

void told(const Tensor& self, const Scalar& number, const Tensor& bias,
          const std::optional<Scalar>& other, DoubleList weights, IntList places,
          std::optional<IntList> maybe, std::array<bool, 2> flags, std::string_view mode,
          std::optional<std::string_view> name, std::optional<ScalarType> dtype,
          std::optional<int64_t> count, std::optional<double> scale, std::optional<bool> flag,
          Tensor& out) {
  if (name) refuse(*name, self);
  const Tensor in = opweave::contiguous(self);
  double all = number_of(number) + (other ? number_of(*other) : 0) + sum_of(weights) +
               sum_of(places) + (maybe ? sum_of(*maybe) : 0) + (flags[0] ? 100 : 0);
  all += (mode == "mean" ? 1000 : 0) + static_cast<double>(count.value_or(0)) + scale.value_or(0) +
         (flag && *flag ? 10000 : 0);
  all += dtype && *dtype == kFloat && is_floating(*dtype) ? 100000 : 0;
  if (mode == "half") all += through_half(in);
  const Tensor offset = bias.defined() ? opweave::contiguous(bias) : bias;
  visit_dtype<dtypes::kCommonFloating & ~dtypes::kReducedFloat>(
      "told", in.dtype(), [&]<class T>(TypeTag<T>) {
        parallel_for(0, in.numel(), kGrainSize, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            out.data<double>()[i] = all + static_cast<double>(in.data<T>()[i]) +
                                    (offset.defined() ? offset.data<double>()[i] : 0);
        });
      });
}

}  // namespace opweave::cpu

// Sums, means, products and logical reductions.
#include "kernels/cpu/common/cast.h"
#include "kernels/cpu/reduction/reduce_product.h"
#include "kernels/cpu/reduction/reduce_results.h"
#include "kernels/cpu/reduction/reduce_sum.h"
#include "opweave/kernels/cpu/all.h"
#include "opweave/kernels/cpu/any.h"
#include "opweave/kernels/cpu/count_nonzero.h"
#include "opweave/kernels/cpu/mean.h"
#include "opweave/kernels/cpu/nansum.h"
#include "opweave/kernels/cpu/prod.h"
#include "opweave/kernels/cpu/sum.h"

namespace opweave::cpu {
namespace {

// The input in a dtype whose states hold the result: elements are converted before they are added
// where adding first would give something else, or where nothing adds them as they are.
Tensor prepared(std::string_view op, const Tensor& self, ScalarType dtype) {
  if (!contains(dtypes::kCommon, dtype)) fail_dtype(op, dtype);
  if (!contains(dtypes::kCommon, self.dtype())) return cast(self, dtype);
  const bool widened = dtype == kDouble && is_floating(self.dtype()) && self.dtype() != kDouble;
  const bool truncated = is_floating(self.dtype()) && !is_floating(dtype);
  return widened || truncated ? cast(self, dtype) : self;
}

Tensor sum_over(const Tensor& self, DimMask mask, bool keepdim, std::optional<ScalarType> dtype,
                SumOf what) {
  Tensor out = make_result(self, mask, keepdim, accumulated_dtype(self, dtype));
  const Tensor in = prepared("sum", self, out.dtype());
  // Whether a sum is nonzero is not whether anything is: a bool result counts.
  if (out.dtype() == kBool) what = SumOf::kNonzeros;
  reduce_numbers(out, in, mask, sum_kernel(in.dtype(), what), [](auto total) { return total; });
  return out;
}

ScalarType mean_dtype(const Tensor& self, std::optional<ScalarType> dtype) {
  const ScalarType result = dtype.value_or(self.dtype());
  OW_CHECK_NOT_IMPLEMENTED(
      is_floating(result), "mean(): could not infer output dtype. ", dtype ? "Optional" : "Input",
      " dtype must be either a floating point or complex dtype. Got: ", scalar_type_name(result));
  return result;
}

Tensor mean_over(const Tensor& self, DimMask mask, bool keepdim, std::optional<ScalarType> dtype) {
  Tensor out = make_result(self, mask, keepdim, mean_dtype(self, dtype));
  const Tensor in = prepared("mean", self, out.dtype());
  const double count = static_cast<double>(reduced_numel(self.sizes(), mask));
  reduce_numbers(out, in, mask, sum_kernel(in.dtype(), SumOf::kElements),
                 [&](auto total) { return static_cast<double>(total) / count; });
  return out;
}

Tensor prod_over(const Tensor& self, DimMask mask, bool keepdim, std::optional<ScalarType> dtype) {
  Tensor out = make_result(self, mask, keepdim, accumulated_dtype(self, dtype));
  const Tensor in = prepared("prod", self, out.dtype());
  reduce_numbers(out, in, mask, product_kernel(in.dtype()), [](auto product) { return product; });
  return out;
}

Tensor count_over(const Tensor& given, DimMask mask) {
  Tensor out = make_result(given, mask, /*keepdim=*/false, kLong);
  const Tensor self = contains(dtypes::kCommon, given.dtype()) ? given : cast(given, kBool);
  reduce_numbers(out, self, mask, sum_kernel(self.dtype(), SumOf::kNonzeros),
                 [](auto count) { return count; });
  return out;
}

enum class Logic { kAny, kAll };

Tensor logic_over(const Tensor& given, DimMask mask, bool keepdim, Logic logic) {
  Tensor out = make_result(given, mask, keepdim, logical_dtype(given));
  const bool common = contains(dtypes::kCommon, given.dtype());
  const Tensor self = common ? given : cast(given, out.dtype());
  const int64_t all = logic == Logic::kAll ? reduced_numel(self.sizes(), mask) : 0;
  reduce_numbers(out, self, mask, sum_kernel(self.dtype(), SumOf::kNonzeros), [&](auto count) {
    const bool holds =
        logic == Logic::kAll ? count == static_cast<decltype(count)>(all) : count != 0;
    return int64_t{holds};
  });
  return out;
}

DimMask one_dim(int64_t dim, const Tensor& self) {
  return reduced_dims(IntList(&dim, 1), self.dim());
}

// An empty list folds nothing here: the result says of each element whether it is nonzero.
DimMask logic_dims(std::optional<IntList> dim, const Tensor& self) {
  return dim && dim->empty() ? DimMask() : reduced_dims(dim, self.dim());
}

}  // namespace

Tensor sum(const Tensor& self, std::optional<ScalarType> dtype) {
  return sum_over(self, every_dim(self.dim()), false, dtype, SumOf::kElements);
}
Tensor sum_dim_IntList(const Tensor& self, std::optional<IntList> dim, bool keepdim,
                       std::optional<ScalarType> dtype) {
  return sum_over(self, reduced_dims(dim, self.dim()), keepdim, dtype, SumOf::kElements);
}
Tensor nansum(const Tensor& self, std::optional<IntList> dim, bool keepdim,
              std::optional<ScalarType> dtype) {
  return sum_over(self, reduced_dims(dim, self.dim()), keepdim, dtype, SumOf::kNonNans);
}

Tensor mean(const Tensor& self, std::optional<ScalarType> dtype) {
  return mean_over(self, every_dim(self.dim()), false, dtype);
}
Tensor mean_dim(const Tensor& self, std::optional<IntList> dim, bool keepdim,
                std::optional<ScalarType> dtype) {
  return mean_over(self, reduced_dims(dim, self.dim()), keepdim, dtype);
}

Tensor prod(const Tensor& self, std::optional<ScalarType> dtype) {
  return prod_over(self, every_dim(self.dim()), false, dtype);
}
Tensor prod_dim_int(const Tensor& self, int64_t dim, bool keepdim,
                    std::optional<ScalarType> dtype) {
  return prod_over(self, one_dim(dim, self), keepdim, dtype);
}

Tensor count_nonzero(const Tensor& self, std::optional<int64_t> dim) {
  return count_over(self, dim ? one_dim(*dim, self) : every_dim(self.dim()));
}
Tensor count_nonzero_dim_IntList(const Tensor& self, IntList dim) {
  return count_over(self, reduced_dims(dim, self.dim()));
}

Tensor any(const Tensor& self) {
  return logic_over(self, every_dim(self.dim()), false, Logic::kAny);
}
Tensor any_dim(const Tensor& self, int64_t dim, bool keepdim) {
  return logic_over(self, one_dim(dim, self), keepdim, Logic::kAny);
}
Tensor any_dims(const Tensor& self, std::optional<IntList> dim, bool keepdim) {
  return logic_over(self, logic_dims(dim, self), keepdim, Logic::kAny);
}
Tensor all(const Tensor& self) {
  return logic_over(self, every_dim(self.dim()), false, Logic::kAll);
}
Tensor all_dim(const Tensor& self, int64_t dim, bool keepdim) {
  return logic_over(self, one_dim(dim, self), keepdim, Logic::kAll);
}
Tensor all_dims(const Tensor& self, std::optional<IntList> dim, bool keepdim) {
  return logic_over(self, logic_dims(dim, self), keepdim, Logic::kAll);
}

}  // namespace opweave::cpu

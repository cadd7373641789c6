// Sums, means, products and logical reductions.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/copying/copy.h"
#include "kernels/cpu/reduction/reduce_product.h"
#include "kernels/cpu/reduction/reduce_results.h"
#include "kernels/cpu/reduction/reduce_sum.h"
#include "kernels/plans/dims.h"
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
// where adding first would give something else, or where nothing adds them as they are. They live
// in `converted` then.
const Tensor& prepared(const Tensor& self, ScalarType dtype, Tensor& converted) {
  const bool common = contains(dtypes::kCommon, self.dtype());
  const bool widened = dtype == kDouble && is_floating(self.dtype()) && self.dtype() != kDouble;
  const bool truncated = is_floating(self.dtype()) && !is_floating(dtype);
  if (common && !widened && !truncated) return self;
  converted = cpu::converted(self, dtype);
  return converted;
}

void sum_over(const Tensor& self, DimMask mask, SumOf what, Tensor& out) {
  Tensor converted;
  const Tensor& in = prepared(self, out.dtype(), converted);
  // Whether a sum is nonzero is not whether anything is: a bool result counts.
  if (out.dtype() == kBool) what = SumOf::kNonzeros;
  reduce_numbers(out, in, mask, sum_kernel(in.dtype(), what), [](auto total) { return total; });
}

// In float64, which holds all floats, with zeros in the place of NaN.
Tensor without_nans(const Tensor& self) {
  Tensor copy = make_tensor(self.sizes(), kDouble, kCPU);
  copy_elements(copy, self);
  auto* elements = static_cast<double*>(copy.raw_data());
  std::replace_if(
      elements, elements + copy.numel(), [](double x) { return std::isnan(x); }, 0);
  return copy;
}

void mean_over(const Tensor& self, DimMask mask, Tensor& out) {
  Tensor converted;
  const Tensor& in = prepared(self, out.dtype(), converted);
  const double count = static_cast<double>(reduced_numel(self.sizes(), mask));
  reduce_numbers(out, in, mask, sum_kernel(in.dtype(), SumOf::kElements),
                 [&](auto total) { return static_cast<double>(total) / count; });
}

void prod_over(const Tensor& self, DimMask mask, Tensor& out) {
  Tensor converted;
  const Tensor& in = prepared(self, out.dtype(), converted);
  reduce_numbers(out, in, mask, product_kernel(in.dtype()), [](auto product) { return product; });
}

// The elements, or whether each is nonzero where nothing counts them as they are.
const Tensor& counted(const Tensor& self, Tensor& converted) {
  if (contains(dtypes::kCommon, self.dtype())) return self;
  converted = cpu::converted(self, kBool);
  return converted;
}

void count_over(const Tensor& self, DimMask mask, Tensor& out) {
  Tensor converted;
  const Tensor& in = counted(self, converted);
  reduce_numbers(out, in, mask, sum_kernel(in.dtype(), SumOf::kNonzeros),
                 [](auto count) { return count; });
}

enum class Logic { kAny, kAll };

void logic_over(const Tensor& self, DimMask mask, Logic logic, Tensor& out) {
  Tensor converted;
  const Tensor& in = counted(self, converted);
  const int64_t all = logic == Logic::kAll ? reduced_numel(in.sizes(), mask) : 0;
  reduce_numbers(out, in, mask, sum_kernel(in.dtype(), SumOf::kNonzeros), [&](auto count) {
    const bool holds =
        logic == Logic::kAll ? count == static_cast<decltype(count)>(all) : count != 0;
    return int64_t{holds};
  });
}

// An empty list folds nothing here: the result says of each element whether it is nonzero.
DimMask logic_dims(std::optional<IntList> dim, const Tensor& self) {
  return dim && dim->empty() ? DimMask() : plans::mask_of(dim, self.dim());
}

}  // namespace

void sum(const Tensor& self, std::optional<ScalarType> /*dtype*/, Tensor& out) {
  sum_over(self, every_dim(self.dim()), SumOf::kElements, out);
}
void sum_dim_IntList(const Tensor& self, std::optional<IntList> dim, bool /*keepdim*/,
                     std::optional<ScalarType> /*dtype*/, Tensor& out) {
  sum_over(self, plans::mask_of(dim, self.dim()), SumOf::kElements, out);
}
void nansum(const Tensor& self, std::optional<IntList> dim, bool /*keepdim*/,
            std::optional<ScalarType> /*dtype*/, Tensor& out) {
  const DimMask mask = plans::mask_of(dim, self.dim());
  if (is_floating(out.dtype()) || !is_floating(self.dtype()))
    return sum_over(self, mask, SumOf::kNonNans, out);
  // A NaN that becomes an integer is one of any size.
  sum_over(without_nans(self), mask, SumOf::kElements, out);
}

void mean(const Tensor& self, std::optional<ScalarType> /*dtype*/, Tensor& out) {
  mean_over(self, every_dim(self.dim()), out);
}

void prod(const Tensor& self, std::optional<ScalarType> /*dtype*/, Tensor& out) {
  prod_over(self, every_dim(self.dim()), out);
}
void prod_dim_int(const Tensor& self, int64_t dim, bool /*keepdim*/,
                  std::optional<ScalarType> /*dtype*/, Tensor& out) {
  prod_over(self, plans::mask_of(dim, self.dim()), out);
}

void count_nonzero(const Tensor& self, std::optional<int64_t> dim, Tensor& out) {
  count_over(self, dim ? plans::mask_of(*dim, self.dim()) : every_dim(self.dim()), out);
}
void count_nonzero_dim_IntList(const Tensor& self, IntList dim, Tensor& out) {
  count_over(self, plans::mask_of(dim, self.dim()), out);
}

void any(const Tensor& self, Tensor& out) {
  logic_over(self, every_dim(self.dim()), Logic::kAny, out);
}
void any_dim(const Tensor& self, int64_t dim, bool /*keepdim*/, Tensor& out) {
  logic_over(self, plans::mask_of(dim, self.dim()), Logic::kAny, out);
}
void any_dims(const Tensor& self, std::optional<IntList> dim, bool /*keepdim*/, Tensor& out) {
  logic_over(self, logic_dims(dim, self), Logic::kAny, out);
}
void all(const Tensor& self, Tensor& out) {
  logic_over(self, every_dim(self.dim()), Logic::kAll, out);
}
void all_dim(const Tensor& self, int64_t dim, bool /*keepdim*/, Tensor& out) {
  logic_over(self, plans::mask_of(dim, self.dim()), Logic::kAll, out);
}
void all_dims(const Tensor& self, std::optional<IntList> dim, bool /*keepdim*/, Tensor& out) {
  logic_over(self, logic_dims(dim, self), Logic::kAll, out);
}

}  // namespace opweave::cpu

// linalg_vector_norm: norms of every order.
#include <cmath>

#include "kernels/cpu/common/cast.h"
#include "kernels/cpu/reduction/reduce_extreme.h"
#include "kernels/cpu/reduction/reduce_results.h"
#include "kernels/cpu/reduction/reduce_sum.h"
#include "opweave/kernels/cpu/linalg_vector_norm.h"
#include "opweave/ops/abs.h"
#include "opweave/ops/pow.h"
#include "runtime/core/type_promotion.h"

namespace opweave::cpu {
namespace {

constexpr std::string_view kName = "linalg.vector_norm";

ScalarType norm_dtype(const Tensor& self, std::optional<ScalarType> dtype) {
  OW_CHECK_NOT_IMPLEMENTED(contains(dtypes::kCommonFloating, self.dtype()), kName,
                           ": Expected a floating point or complex tensor as input. Got ",
                           scalar_type_name(self.dtype()));
  if (!dtype) return self.dtype();
  OW_CHECK(contains(dtypes::kCommonFloating, *dtype), kName,
           ": dtype should be floating point, but got ", scalar_type_name(*dtype));
  OW_CHECK(promote_types(self.dtype(), *dtype) == *dtype, kName, ": the dtype of the input (",
           scalar_type_name(self.dtype()),
           ") should be convertible without narrowing to the specified dtype (",
           scalar_type_name(*dtype), ")");
  return *dtype;
}

std::string order_text(const Scalar& ord) {
  const double p = ord.to_double();
  if (std::isinf(p)) return p > 0 ? "inf" : "-inf";
  return str(ord);
}

// Orders below zero and infinity have no value for nothing.
void check_has_identity(const Tensor& self, const Scalar& ord, std::optional<IntList> dim) {
  const double p = ord.to_double();
  if (self.numel() != 0 || (p >= 0 && !std::isinf(p))) return;
  OW_CHECK(dim && !dim->empty(), kName, " cannot compute the ", order_text(ord),
           " norm on an empty tensor because the operation does not have an identity");
  for (int64_t d : *dim) {
    OW_CHECK(self.size(d) != 0, kName, " cannot compute the ", order_text(ord),
             " norm on the dimension ", d,
             " because this dimension is empty and the operation does not have an identity");
  }
}

void largest(Tensor& out, const Tensor& in, DimMask mask, Extreme which) {
  visit_floating(kName, in.dtype(), [&]<class T>(TypeTag<T>) {
    using C = compute_type<T>;
    reduce(in, mask, extreme_kernel(in.dtype(), which),
           [&](const void* states, int64_t n, int64_t begin, int64_t stride) {
             write_results<C>(out, states, n, begin, stride, [](C value) { return value; });
           });
  });
}

}  // namespace

Tensor linalg_vector_norm(const Tensor& self, const Scalar& ord, std::optional<IntList> dim,
                          bool keepdim, std::optional<ScalarType> dtype) {
  const ScalarType result = norm_dtype(self, dtype);
  const DimMask mask = reduced_dims(dim, self.dim());
  check_has_identity(self, ord, dim);
  Tensor out = make_result(self, mask, keepdim, result);
  const Tensor in = result == kDouble ? cast(self, result) : self;
  const double p = ord.to_double();
  auto sum = [&](const Tensor& x, SumOf what, auto&& value) {
    reduce_numbers(out, x, mask, sum_kernel(x.dtype(), what), value);
  };
  if (p == 2) {
    sum(in, SumOf::kSquares, [](double total) { return std::sqrt(total); });
  } else if (p == 1) {
    sum(in, SumOf::kMagnitudes, [](double total) { return total; });
  } else if (p == 0) {
    sum(in, SumOf::kNonzeros, [](double total) { return total; });
  } else if (std::isinf(p)) {
    largest(out, in, mask, p > 0 ? Extreme::kMaxMagnitude : Extreme::kMinMagnitude);
  } else {
    const Tensor wide = is_reduced_float(in.dtype()) ? cast(in, kFloat) : in;
    sum(opweave::pow(opweave::abs(wide), ord), SumOf::kElements,
        [&](double total) { return std::pow(total, 1 / p); });
  }
  return out;
}

}  // namespace opweave::cpu

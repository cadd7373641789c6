// Promotion of tensors and numbers, by dtypes/promotion.h.
#include "runtime/core/tensor/type_promotion.h"

#include "dtypes/promotion.h"

namespace opweave {
namespace {

ScalarType checked(Promoted both, ScalarType a, ScalarType b) {
  if (!both.unsupported.empty()) [[unlikely]]
    OW_THROW(ErrorKind::kRuntime, "Promotion for ", both.unsupported,
             " is not supported, attempted to promote ", scalar_type_name(a), " and ",
             scalar_type_name(b));
  return both.type;
}

ScalarType promote_defined(ScalarType a, ScalarType b) {
  if (a == ScalarType::kUndefined) return b;
  if (b == ScalarType::kUndefined) return a;
  return promote_types(a, b);
}

// Of a number of Python: floats and complex numbers count as the default dtype says.
ScalarType number_dtype(ScalarType type) {
  if (is_complex(type)) return promote_types(type, default_dtype());
  return is_floating(type) ? default_dtype() : type;
}

ScalarType combine(ScalarType higher, ScalarType lower) {
  return checked(promoted_by_priority(higher, lower), higher, lower);
}

}  // namespace

ScalarType promote_types(ScalarType a, ScalarType b) { return checked(promoted(a, b), a, b); }

bool can_cast(ScalarType from, ScalarType to) {
  if (from != kBool && to == kBool) return false;
  return !is_differentiable(from) || promotion_category(from) <= promotion_category(to);
}

void ResultType::add(const Tensor& tensor) {
  ScalarType dtype = tensor.dtype();
  if (tensor.impl()->is_wrapped_number()) {
    number_ = promote_defined(number_, number_dtype(dtype));
  } else if (tensor.dim() == 0) {
    zero_dim_ = promote_defined(zero_dim_, dtype);
  } else {
    dims_ = promote_defined(dims_, dtype);
  }
}

void ResultType::add(const Scalar& number) {
  number_ = promote_defined(number_, number_dtype(number.type()));
}

ScalarType ResultType::result() const { return combine(combine(dims_, zero_dim_), number_); }

}  // namespace opweave

// Type promotion after PyTorch's rules (torch.result_type, "Tensor Attributes" in its
// documentation).
#include "runtime/core/type_promotion.h"

namespace opweave {
namespace {

int category(ScalarType t) { return is_floating(t) ? 2 : is_integral(t, false) ? 1 : 0; }

ScalarType promote_defined(ScalarType a, ScalarType b) {
  if (a == ScalarType::kUndefined) return b;
  if (b == ScalarType::kUndefined) return a;
  return promote_types(a, b);
}

// The higher-priority type stands unless the lower one is of a higher category.
ScalarType combine(ScalarType higher, ScalarType lower) {
  if (higher == ScalarType::kUndefined) return lower;
  if (lower == ScalarType::kUndefined) return higher;
  return category(lower) > category(higher) ? promote_types(higher, lower) : higher;
}

}  // namespace

ScalarType promote_types(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (b == kBFloat16 && a == kHalf) return kFloat;
  if (is_floating(b)) return b;
  // Signed types hold uint8 from int16 on; int8 and uint8 meet in int16.
  if (a == kByte && b == kChar) return kShort;
  return b;
}

bool can_cast(ScalarType from, ScalarType to) {
  if (is_floating(from) && !is_floating(to)) return false;
  return from == kBool || to != kBool;
}

void ResultType::add(const Tensor& tensor) {
  ScalarType dtype = tensor.dtype();
  if (tensor.impl()->is_wrapped_number()) {
    if (is_floating(dtype)) dtype = default_dtype();
    number_ = promote_defined(number_, dtype);
  } else if (tensor.dim() == 0) {
    zero_dim_ = promote_defined(zero_dim_, dtype);
  } else {
    dims_ = promote_defined(dims_, dtype);
  }
}

void ResultType::add(const Scalar& number) {
  number_ = promote_defined(number_, number.is_floating() ? default_dtype() : number.type());
}

ScalarType ResultType::result() const { return combine(combine(dims_, zero_dim_), number_); }

}  // namespace opweave

// Type promotion after PyTorch's rules (torch.result_type, "Tensor Attributes" in its
// documentation).
#include "runtime/core/type_promotion.h"

namespace opweave {
namespace {

// Of bool, integers and floats, in this order.
int category(ScalarType t) { return is_floating(t) ? 2 : is_integral(t, false) ? 1 : 0; }

[[noreturn]] void fail_promotion(std::string_view types, ScalarType a, ScalarType b) {
  OW_THROW(ErrorKind::kRuntime, "Promotion for ", types, " is not supported, attempted to promote ",
           scalar_type_name(a), " and ", scalar_type_name(b));
}

// Of two types of which one does not promote with all others.
ScalarType promote_outsider(ScalarType a, ScalarType b) {
  const DtypeMask both = dtype_bit(a) | dtype_bit(b);
  if ((both & dtypes::kFloat8) != 0) fail_promotion("Float8 Types", a, b);
  if (is_floating(a)) return a;
  if (is_floating(b)) return b;
  fail_promotion("uint16, uint32, uint64 types", a, b);
}

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
  if (!contains(dtypes::kCommon, a) || !contains(dtypes::kCommon, b)) return promote_outsider(a, b);
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

// Promotion, where some dtypes may not be known. The runtime's is in
// runtime/core/type_promotion.cc; generated tests compare the two on every sample.
#include "codegen/shapes/promotion.h"

#include <fmt/format.h>

#include "dtypes/dtype.h"

namespace opweave::codegen {
namespace {

using Dtype = std::optional<ScalarType>;

// Of bool, integers and floats, in this order.
int promotion_category(ScalarType t) {
  return is_floating(t) ? 2 : is_integral(t, /*include_bool=*/false) ? 1 : 0;
}

// Whether every value of the one has its place in the other; a float has room for whole numbers.
bool holds(ScalarType wide, ScalarType narrow) {
  if (narrow == kBool || wide == narrow) return true;
  const int category = promotion_category(wide);
  if (category != promotion_category(narrow)) return category > promotion_category(narrow);
  const DtypeInfo &w = dtype_info(wide), &n = dtype_info(narrow);
  if (category == 2) return w.fraction >= n.fraction && w.exponent <= n.exponent;
  return digits_of(wide) >= digits_of(narrow) && (is_signed(wide) || !is_signed(narrow));
}

[[noreturn]] void fail_promotion(std::string_view types, ScalarType a, ScalarType b) {
  throw NoShape{fmt::format("Promotion for {} is not supported, attempted to promote {} and {}",
                            types, scalar_type_name(a), scalar_type_name(b))};
}

// Of two types of which one does not promote with all others.
ScalarType promoted_outsider(ScalarType a, ScalarType b) {
  const DtypeMask both = dtype_bit(a) | dtype_bit(b);
  if ((both & dtypes::kFloat8) != 0) fail_promotion("Float8 Types", a, b);
  if (is_floating(a)) return a;
  if (is_floating(b)) return b;
  fail_promotion("uint16, uint32, uint64 types", a, b);
}

// The smallest type to which both convert. NoShape where they do not promote.
Dtype promoted_dtype(ScalarType a, ScalarType b) {
  if (a == b) return a;
  if (!contains(dtypes::kCommon, a) || !contains(dtypes::kCommon, b))
    return promoted_outsider(a, b);
  // The table stands in the order of promotion.
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto candidate = static_cast<ScalarType>(i);
    const bool promotes = contains(dtypes::kCommon, candidate);
    if (promotes && holds(candidate, a) && holds(candidate, b)) return candidate;
  }
  return {};
}

// Of floats for which nobody names a dtype, as the default is at first.
constexpr ScalarType kDefault = kFloat;

class Operands {
 public:
  void add(const Value& value) {
    if (const auto* tensor = value.as<ShapedTensor>()) {
      if (tensor->defined)
        add(tensor->dtype, tensor->is_number ? 2 : tensor->sizes.empty() ? 1 : 0);
    } else if (const auto* several = value.as<Values>()) {
      for (const Value& item : *several) add(item);
    } else if (!value.as<Nothing>()) {
      add(number_dtype(value), 2);
    }
  }

  std::string result() const {
    if (is_unknown_) return "";
    const Dtype all = combine(combine(of_[0], of_[1]), of_[2]);
    return all ? std::string(dtype_name(*all)) : "";
  }

 private:
  static std::string number_dtype(const Value& value) {
    if (value.as<Size>()) return "int64";
    if (value.as<Condition>()) return "bool";
    if (value.as<double>()) return std::string(dtype_name(kDefault));
    const auto* unknown = value.as<Unknown>();
    return unknown ? unknown->dtype : "";
  }

  void add(const std::string& name, size_t priority) {
    Dtype dtype = dtype_from_name(name);
    if (!dtype) {
      is_unknown_ = true;
      return;
    }
    if (priority == 2 && is_floating(*dtype)) dtype = kDefault;
    Dtype& all = of_[priority];
    all = all ? promoted_dtype(*all, *dtype) : dtype;
    is_unknown_ = is_unknown_ || !all;
  }

  // The one of higher priority stands unless the other is of a higher category.
  static Dtype combine(const Dtype& higher, const Dtype& lower) {
    if (!higher || !lower) return higher ? higher : lower;
    if (promotion_category(*lower) <= promotion_category(*higher)) return higher;
    return promoted_dtype(*higher, *lower);
  }

  Dtype of_[3];  // of tensors with dimensions, of those without, of numbers
  bool is_unknown_ = false;
};

}  // namespace

std::string promoted(const std::string& a, const std::string& b) {
  const Dtype x = dtype_from_name(a), y = dtype_from_name(b);
  const Dtype both = x && y ? promoted_dtype(*x, *y) : std::nullopt;
  return both ? std::string(dtype_name(*both)) : "";
}

std::string promoted(const Values& operands) {
  Operands all;
  for (const Value& operand : operands) all.add(operand);
  return all.result();
}

}  // namespace opweave::codegen

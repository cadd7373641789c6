// Promotion, where some dtypes may not be known, by dtypes/promotion.h as at run time.
#include "codegen/shapes/promotion.h"

#include <fmt/format.h>

#include "dtypes/promotion.h"

namespace opweave::codegen {
namespace {

using Dtype = std::optional<ScalarType>;

// NoShape where they do not promote.
ScalarType checked(Promoted both, ScalarType a, ScalarType b) {
  if (!both.unsupported.empty())
    throw NoShape{fmt::format("Promotion for {} is not supported, attempted to promote {} and {}",
                              both.unsupported, scalar_type_name(a), scalar_type_name(b))};
  return both.type;
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
    all = all ? checked(opweave::promoted(*all, *dtype), *all, *dtype) : dtype;
  }

  static Dtype combine(const Dtype& higher, const Dtype& lower) {
    if (!higher || !lower) return higher ? higher : lower;
    return checked(promoted_by_priority(*higher, *lower), *higher, *lower);
  }

  Dtype of_[3];  // of tensors with dimensions, of those without, of numbers
  bool is_unknown_ = false;
};

}  // namespace

std::string promoted(const std::string& a, const std::string& b) {
  const Dtype x = dtype_from_name(a), y = dtype_from_name(b);
  if (!x || !y) return "";
  return std::string(dtype_name(checked(opweave::promoted(*x, *y), *x, *y)));
}

std::string promoted(const Values& operands) {
  Operands all;
  for (const Value& operand : operands) all.add(operand);
  return all.result();
}

Value is_floating_point(const std::string& name) {
  const std::optional<ScalarType> dtype = dtype_from_name(name);
  return dtype ? Value{Condition::of(is_floating(*dtype))} : Value{Unknown()};
}

ShapedTensor number_tensor(const Value& number) {
  ShapedTensor tensor = dense_tensor({}, promoted({number}));
  tensor.is_number = true;
  return tensor;
}

}  // namespace opweave::codegen

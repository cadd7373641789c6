// Type promotion of pointwise operators.
#include "runtime/pointwise/types.h"

#include "dtypes/promotion.h"
#include "runtime/core/tensor/type_promotion.h"
#include "runtime/rules/number.h"

namespace opweave {
namespace {

constexpr ScalarType kNone = ScalarType::kUndefined;

ScalarType promoted_type(const PointwiseSpec& spec, TensorRefs inputs,
                         std::span<const Scalar> params) {
  ResultType type;
  bool any = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (spec.inputs[i] == OperandKind::kBool || !inputs[i]->defined()) continue;
    if (spec.promotion == PointwisePromotion::kNone) return inputs[i]->dtype();
    type.add(*inputs[i]);
    any = true;
  }
  for (size_t i = 0; i < params.size(); ++i) {
    if (!spec.promoting_params[i]) continue;
    type.add(params[i]);
    any = true;
  }
  return any ? type.result() : kBool;
}

// Of inputs that are only read as conditions, or of the operands of a computation.
void check_input_types(const PointwiseSpec& spec, TensorRefs inputs) {
  ScalarType first = kNone;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]->defined()) continue;
    const ScalarType type = inputs[i]->dtype();
    const bool allowed = (spec.input_dtypes[i] & dtype_bit(type)) != 0;
    if (spec.inputs[i] == OperandKind::kBool) {
      OW_CHECK(allowed, spec.name, "(): expected argument '", spec.input_names[i],
               "' to be a boolean tensor, but got a tensor with dtype ", scalar_type_name(type));
      continue;
    }
    OW_CHECK_NOT_IMPLEMENTED(allowed, '"', spec.name, "\" not implemented for '",
                             scalar_type_name(type), "', the dtype of argument '",
                             spec.input_names[i], "'");
    if (first == kNone) first = type;
    OW_CHECK(spec.promotion != PointwisePromotion::kSame || type == first, spec.name,
             "(): expected dtype ", scalar_type_name(first), " for argument '", spec.input_names[i],
             "' but got dtype ", scalar_type_name(type));
  }
}

// A float suits floats and complex numbers, a bool suits bool only, an integer suits everything.
bool suits(const Scalar& param, ScalarType common) {
  if (is_complex(common)) return !param.is_bool();
  return param.is_integral(false) || promotion_category(param.type()) == promotion_category(common);
}

bool refuses(const PointwiseSpec& spec, size_t i, const Scalar& param) {
  return (spec.refused_params[i] & dtype_bit(param.type())) != 0;
}

void check_params(const PointwiseSpec& spec, ScalarType common, std::span<const Scalar> params) {
  for (size_t i = 0; i < params.size(); ++i) {
    OW_CHECK_NOT_IMPLEMENTED(!refuses(spec, i, params[i]), '"', spec.name,
                             "\" not implemented for '", scalar_type_name(params[i].type()),
                             "', the dtype of argument '", spec.param_names[i], "'");
    const std::string_view name = spec.checked_params[i];
    if (name.empty() || suits(params[i], common)) continue;
    OW_CHECK(!params[i].is_bool(), "Boolean ", name, " only supported for Boolean results.");
    OW_CHECK(!params[i].is_complex(), "For non-complex input tensors, argument ", name,
             " must not be a complex number.");
    OW_THROW(ErrorKind::kRuntime, "For integral input tensors, argument ", name,
             " must not be a floating point number.");
  }
}

// Whether parameter i has a place where it is used.
bool number_fits(const PointwiseSpec& spec, size_t i, ScalarType common, const Scalar& number) {
  const NumberUse use = spec.number_uses[i];
  if (use == NumberUse::kOperand) return true;
  if (use == NumberUse::kOneElement && is_reduced_float(common)) return true;
  return fits(number, use == NumberUse::kFactor ? compute_dtype(common) : common);
}

void check_numbers(const PointwiseSpec& spec, ScalarType common, std::span<const Scalar> params) {
  for (size_t i = 0; i < params.size(); ++i) {
    if (number_fits(spec, i, common, params[i])) continue;
    const bool stored = spec.number_uses[i] != NumberUse::kFactor;
    fail_fits(stored ? common : compute_dtype(common));
  }
}

bool params_keep_type(const PointwiseSpec& spec, ScalarType common,
                      std::span<const Scalar> params) {
  for (size_t i = 0; i < params.size(); ++i) {
    if (spec.promoting_params[i] &&
        promotion_category(params[i].type()) > promotion_category(common))
      return false;
    if (!spec.checked_params[i].empty() && !suits(params[i], common)) return false;
    if (!number_fits(spec, i, common, params[i]) || refuses(spec, i, params[i])) return false;
  }
  return true;
}

}  // namespace

ScalarType common_type(const PointwiseSpec& spec, TensorRefs inputs,
                       std::span<const Scalar> params) {
  check_input_types(spec, inputs);
  const ScalarType type = promoted_type(spec, inputs, params);
  check_params(spec, type, params);
  if ((spec.dtypes & dtype_bit(type)) == 0) [[unlikely]]
    fail_type(spec, type);
  const bool becomes_float =
      spec.promotion == PointwisePromotion::kIntToFloat && !is_differentiable(type);
  const ScalarType common = becomes_float ? default_dtype() : type;
  check_numbers(spec, common, params);
  return common;
}

[[gnu::hot]] ScalarType common_type_if_uniform(const PointwiseSpec& spec, TensorRefs inputs,
                                               std::span<const Scalar> params) {
  ScalarType common = kNone;
  const TensorImpl* first = inputs[0]->impl();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorImpl* input = inputs[i]->impl();
    if (input == nullptr || !input->is_contiguous() || input->is_wrapped_number()) return kNone;
    if ((spec.input_dtypes[i] & dtype_bit(input->dtype())) == 0) return kNone;
    if (spec.inputs[i] == OperandKind::kBool) {
      if (input->dtype() != kBool) return kNone;
    } else if (common == kNone) {
      common = input->dtype();
    } else if (input->dtype() != common) {
      return kNone;
    }
    if (input == first) continue;
    if (input->device() != first->device() || !same_sizes(input->sizes(), first->sizes())) {
      return kNone;
    }
  }
  if (common == kNone) common = kBool;
  const bool stays = is_differentiable(common) || spec.promotion != PointwisePromotion::kIntToFloat;
  const bool defined = (spec.dtypes & dtype_bit(common)) != 0;
  return stays && defined && params_keep_type(spec, common, params) ? common : kNone;
}

ScalarType common_type_with_number(const PointwiseSpec& spec, TensorRefs inputs,
                                   std::span<const Scalar> params, int number) {
  const TensorImpl* const value = inputs[number]->impl();
  const Tensor* const other = inputs[1 - number];
  if (value == nullptr || !value->is_wrapped_number() || !other->defined()) return kNone;
  const bool promotes = spec.promotion == PointwisePromotion::kDefault ||
                        spec.promotion == PointwisePromotion::kIntToFloat;
  if (!promotes || spec.inputs[number] != OperandKind::kCommon) return kNone;
  if ((spec.input_dtypes[number] & dtype_bit(value->dtype())) == 0) return kNone;
  const Tensor* const twice[] = {other, other};
  const ScalarType common = common_type_if_uniform(spec, twice, params);
  return common != kNone && promotion_category(value->dtype()) <= promotion_category(common)
             ? common
             : kNone;
}

}  // namespace opweave

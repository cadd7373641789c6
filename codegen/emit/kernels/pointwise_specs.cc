// The constant PointwiseSpec of every pointwise operator, shared by all targets.
#include "codegen/emit/kernels/pointwise_printers.h"
#include "codegen/emit/operators/operator_records.h"
#include "codegen/emit/operators/pointwise_layout.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/model/lowered/numbers.h"
#include "codegen/model/lowered/out_dtypes.h"

namespace opweave::codegen {
namespace {

std::string_view promotion_name(ComputeRule rule) {
  switch (rule) {
    case ComputeRule::int_to_float:
      return "kIntToFloat";
    case ComputeRule::first:
      return "kNone";
    case ComputeRule::same:
      return "kSame";
    default:
      return "kDefault";
  }
}

template <class Range, class Project>
std::string braced(const Range& range, Project project) {
  return "{" + comma_list(range, project) + "}";
}

// A flag is no number of the program's.
NumberPlace place_of(const Operator& op, const PointwiseParam& param) {
  const bool value = param.kind == PointwiseParam::Kind::value;
  return value ? place_of_number(op, param.argument) : NumberPlace::anywhere;
}

bool rounds(const Operator& op, const PointwiseParam& param) {
  return param.kind == PointwiseParam::Kind::value && is_rounded(op, param.argument);
}

std::string runtime_name(NumberPlace place) {
  switch (place) {
    case NumberPlace::anywhere:
      return "NumberUse::kOperand";
    case NumberPlace::computation:
      return "NumberUse::kFactor";
    case NumberPlace::element:
      return "NumberUse::kElement";
    case NumberPlace::one_element:
      return "NumberUse::kOneElement";
  }
  return "";
}

// Which of them one number among 16 bits is rounded for, as a mask.
template <class Range, class Rounds>
std::string mask_of(const Range& range, Rounds&& rounds) {
  uint32_t mask = 0, bit = 1;
  for (const auto& each : range) {
    if (rounds(each)) mask |= bit;
    bit <<= 1;
  }
  return std::to_string(mask);
}

// The dtypes that a number may not have; none for other parameters.
DtypeMask refused_dtypes(const Operator& op, const PointwiseParam& param) {
  const bool any = param.kind == PointwiseParam::Kind::value && !op.dtypes->of_arguments.empty();
  return any ? dtypes::kEvery & ~op.dtypes->of_arguments[param.argument].bits : 0;
}

// What the expression does with a number; null for other parameters.
const ElementArgument* value_of(const Operator& op, const PointwiseParam& param) {
  return param.kind == PointwiseParam::Kind::value ? &op.elements->arguments[param.argument]
                                                   : nullptr;
}

// Whether a tag is given, as C++ spells it.
std::string_view tagged(const Operator& op, std::string_view tag) {
  return has_tag(op, tag) ? "true" : "false";
}

}  // namespace

void print_pointwise_spec(Printer& p, const Operator& op) {
  const PointwiseLayout layout = pointwise_layout(op);
  const auto& arguments = op.schema.arguments;
  const std::string kinds = braced(layout.inputs, [&](uint16_t i) {
    return std::string(op.elements->arguments[i].as_boolean ? "OperandKind::kBool"
                                                            : "OperandKind::kCommon");
  });
  const std::string names =
      braced(layout.inputs, [&](uint16_t i) { return quoted(arguments[i].name); });
  const std::string input_dtypes = braced(layout.inputs, [&](uint16_t i) {
    return dtype_mask(op.dtypes->of_arguments.empty() ? dtypes::kEvery
                                                      : op.dtypes->of_arguments[i].bits);
  });
  const std::string promoting = braced(layout.params, [&](const PointwiseParam& param) {
    const ElementArgument* value = value_of(op, param);
    return std::string(value != nullptr && value->promotes ? "true" : "false");
  });
  const std::string checked = braced(layout.params, [&](const PointwiseParam& param) {
    const ElementArgument* value = value_of(op, param);
    return quoted(value != nullptr && value->suits ? arguments[param.argument].name : "");
  });
  const auto refused_mask = [&](const auto& param) { return refused_dtypes(op, param); };
  const std::string refused =
      braced(layout.params, [&](const auto& param) { return dtype_mask(refused_mask(param)); });
  const std::string param_names = braced(layout.params, [&](const PointwiseParam& param) {
    return quoted(refused_mask(param) != 0 ? arguments[param.argument].name : "");
  });
  const std::string uses = braced(layout.params, [&](const PointwiseParam& param) {
    return runtime_name(place_of(op, param));
  });
  const bool casts =
      out_dtype(op.forms->functional != nullptr ? *op.forms->functional : op) != OutDtype::same;
  p.print({{"id", op.name.identifier},
           {"name", quoted(spoken_name(op))},
           {"inputs", std::to_string(layout.inputs.size())},
           {"params", std::to_string(layout.params.size())},
           {"promotion", promotion_name(op.elements->promotion.compute)},
           {"result", op.elements->promotion.result == ResultRule::boolean ? "kBool" : "kCommon"},
           {"dtypes", dtype_mask(op.selected->dtypes.bits)},
           {"kinds", kinds},
           {"names", names},
           {"input_dtypes", input_dtypes},
           {"promoting", promoting},
           {"checked", checked},
           {"uses", uses},
           {"refused", refused},
           {"param_names", param_names},
           {"casts_out", casts ? "true" : "false"},
           {"rounded_inputs",
            mask_of(layout.inputs, [&](uint16_t i) { return !op.elements->arguments[i].exact; })},
           {"rounded_params", mask_of(layout.params, [&](const auto& p) { return rounds(op, p); })},
           {"contiguous", tagged(op, "contiguous")},
           {"expanded", tagged(op, "expanded")}},
          "const PointwiseSpec $id$_spec{\n"
          "    $name$, $inputs$, $params$, PointwisePromotion::$promotion$,\n"
          "    OperandKind::$result$, $dtypes$, $kinds$, $names$, $input_dtypes$,\n    "
          "$promoting$, $checked$, $uses$, $refused$, $param_names$, $contiguous$, $casts_out$,\n"
          "    $expanded$, $rounded_inputs$, $rounded_params$};");
}

}  // namespace opweave::codegen

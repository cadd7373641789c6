// One comparison for each tensor whose dtype may be wrong.
#include "codegen/emit/formulas/dtype_checks.h"

#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/dtypes.h"
#include "codegen/emit/text/variables.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kCheck =
    "if ($defined$(dtype_bit($tensor$.dtype()) & ($mask$)) == 0) [[unlikely]]\n"
    "  OW_THROW(ErrorKind::kNotImplemented, \"\\\"$name$\\\" not implemented for '\",\n"
    "           scalar_type_name($tensor$.dtype()), \"', the dtype of argument '$argument$'\");";

void print_check(Printer& p, const Operator& op, size_t index, const std::string& tensor,
                 bool may_be_none) {
  p.print({{"defined", may_be_none ? tensor + ".defined() && " : ""},
           {"tensor", tensor},
           {"mask", dtype_mask(op.dtypes->of_arguments[index].bits)},
           {"name", op.face->python_name},
           {"argument", op.schema.arguments[index].name}},
          kCheck);
}

}  // namespace

void print_dtype_checks(Printer& p, const Operator& op, const Signature& signature) {
  for (const uint16_t i : op.lowered->checked_dtypes) {
    const Type& type = op.schema.arguments[i].type;
    const std::string& name = signature.parameters[i].name;
    if (!type.list) {
      print_check(p, op, i, name, type.optional);
      continue;
    }
    p.print({{"list", name}}, "for (const auto& ow_element : $list$) {");
    {
      Indented in(p);
      print_check(p, op, i, "ow_element", /*may_be_none=*/true);
    }
    p.print("}");
  }
}

}  // namespace opweave::codegen

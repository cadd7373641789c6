// The words of a definition that describe arguments and batches.
#include <algorithm>
#include <cctype>

#include "codegen/emit/operators/operator_records.h"
#include "codegen/emit/stable/printers.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

// "OW_ROLE_DIMS_OR_ALL" of the ArgRole "kDimsOrAll".
std::string role_code(std::string_view role) {
  std::string code = "OW_ROLE";
  for (const char c : role.substr(1)) {
    if (std::isupper(static_cast<unsigned char>(c))) code += '_';
    code += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return code;
}

std::string roles_word(const Operator& op) {
  const auto& arguments = op.schema.arguments;
  const auto says = [&](const Argument& a) { return argument_role(op, a) != "kPlain"; };
  if (std::ranges::none_of(arguments, says)) return {};
  return ".roles({" +
         comma_list(arguments, [&](const Argument& a) { return role_code(argument_role(op, a)); }) +
         "})";
}

// What a table with loops is by default, and a kernel, is the core's to know.
std::string batch_word(const Operator& op) {
  if (op.is_expr() || op.formulas->composite != nullptr || op.forms->form != Form::functional)
    return {};
  switch (op.lowered->batching.rule) {
    case BatchRule::pointwise:
      return ".broadcasts()";
    case BatchRule::leading_dims:
      return ".leading_dims()";
    case BatchRule::dims:
      return ".counts_dims()";
    default:
      return {};
  }
}

}  // namespace

std::string stable_argument_words(const Operator& op) {
  std::string text = roles_word(op) + batch_word(op);
  for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
    if (takes_number(op, op.schema.arguments[i])) text += ".number(" + std::to_string(i) + ")";
  }
  return text;
}

}  // namespace opweave::codegen

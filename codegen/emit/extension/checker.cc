// What no package for another framework can have.
#include "codegen/emit/extension/checker.h"

namespace opweave::codegen {

void ExtensionChecker::check_results() {
  for (const Return& result : op_.schema.returns) {
    if (result.type.list) refuse(result.span, "a result that is a list");
  }
}

void ExtensionChecker::check_expression() {
  if ((op_.selected->dtypes.bits & dtypes::kCommon) == 0)
    refuse(op_.schema.span, "an operator of none but float8 and wide unsigned dtypes");
}

void ExtensionChecker::check_conditions() {
  if (op_.has_conditions())
    refuse(op_.rule->requirements.front().span, "a formula with conditions of its own");
}

void ExtensionChecker::check_rule() {
  if (op_.rule == nullptr) return;
  for (const OutputRule& output : op_.rule->outputs) {
    if (output.strides != nullptr) refuse(output.strides->span, "a result with strides of its own");
    if (output.when != nullptr) refuse(output.when->span, "a result that there may be none of");
  }
  for_each_formula(*op_.rule, [&](const FormulaNode& node) { check_functions(node); });
}

void ExtensionChecker::check_functions(const FormulaNode& node) {
  if (node.kind == FormulaKind::function &&
      !rule_function(*node.function).is_in(framework_.library))
    refuse(node.span, "a rule that calls '" + node.function->base_name + "'");
  for (const FormulaNode* operand : node.operands) check_functions(*operand);
}

void ExtensionChecker::check_type(const Argument& argument) {
  const Type& type = argument.type;
  if (type.is_tensor_list() && type.element_optional)
    refuse(argument.type_span, "a list of tensors that may be None");
  if (type.base == BaseType::object)
    refuse(argument.type_span, "the type '" + std::string(type.object) + "' of Opweave alone");
}

void ExtensionChecker::refuse(Span where, const std::string& feature) {
  sink_
      .error(framework_.code, where,
             "'" + op_.name.full + "' has " + feature + ", which cannot be emitted for " +
                 std::string(framework_.name))
      .note({}, "opweave gen without --emit=" + std::string(framework_.emit) + " can build it");
}

}  // namespace opweave::codegen

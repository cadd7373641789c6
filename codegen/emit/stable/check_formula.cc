// What formulas may be made of where the core's own classes are not known.
#include "codegen/emit/stable/check_formula.h"

#include <algorithm>

#include "codegen/rules/functions.h"

namespace opweave::codegen {
namespace {

// What opweave/stable/form/tensor.h answers.
bool is_known(Property property) {
  switch (property) {
    case Property::storage_offset:
    case Property::layout:
    case Property::options:
    case Property::is_complex:
    case Property::count_:
      return false;
    default:
      return true;
  }
}

// Generators are the objects that calls may leave out.
bool is_callable(const Operator& op) {
  const auto plain = [](const auto& item) {
    const Type& type = item.type;
    return type.base != BaseType::object || (type.optional && type.object == "Generator");
  };
  return std::ranges::all_of(op.schema.arguments, plain) &&
         std::ranges::all_of(op.schema.returns, plain);
}

}  // namespace

std::string why_not_stable(const FormulaNode& node) {
  switch (node.kind) {
    case FormulaKind::call:
      if (!is_callable(*node.op)) return "a formula that calls '" + node.op->name.full + "'";
      return {};
    case FormulaKind::function:
      if (!rule_function(*node.function).is_in(RuleLibrary::stable))
        return "a rule that calls '" + node.function->base_name + "'";
      return {};
    case FormulaKind::property:
      if (!is_known(node.property))
        return "a formula that asks for '" + std::string(property_name(node.property)) + "'";
      return {};
    default:
      return {};
  }
}

std::vector<const Operator*> callable_operators(const Model& model) {
  std::vector<const Operator*> operators = model.operators().all();
  std::erase_if(operators, [](const Operator* op) {
    return op->forms->form == Form::out || op->selected->left_out || !is_callable(*op);
  });
  return operators;
}

}  // namespace opweave::codegen

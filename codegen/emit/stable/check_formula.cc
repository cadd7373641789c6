// What formulas may be made of where the core's own classes are not known.
#include "codegen/emit/stable/check_formula.h"

#include <algorithm>
#include <utility>

namespace opweave::codegen {
namespace {

// (Base name, overload.)
constexpr std::pair<std::string_view, std::string_view> kRuleFunctions[] = {
#define OPWEAVE_STABLE_RULE_FUNCTION(base, overload) {base, overload},
#include "codegen/emit/stable/rule_functions.def"
#undef OPWEAVE_STABLE_RULE_FUNCTION
};

bool is_offered(const Schema& function) {
  return std::ranges::any_of(kRuleFunctions, [&](const auto& known) {
    return known.first == function.base_name && known.second == function.overload_name;
  });
}

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
      if (!is_callable(*node.op)) return "a formula that calls '" + node.op->full_name + "'";
      return {};
    case FormulaKind::function:
      if (!is_offered(*node.function))
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
    return op->form == Form::out || op->left_out || !is_callable(*op);
  });
  return operators;
}

}  // namespace opweave::codegen

// Typed formulas as expressions of Python.
#include "codegen/emit/comma_list.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/test_samples.h"
#include "codegen/syntax/named_values.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

// How a property of a tensor is asked for; empty for those that only Opweave has.
std::string_view property_text(Property property) {
  switch (property) {
    case Property::sizes:
      return ".shape";
    case Property::dim:
      return ".ndim";
    case Property::numel:
      return ".size";
    case Property::scalar_type:
      return ".dtype";
    case Property::defined:
    case Property::has_value:
      return " is not None";
    case Property::is_floating_point:
    case Property::size:
    case Property::length:
    case Property::sizes_along:
    case Property::is_complex:
      return "(";
    case Property::layout:
    case Property::device:
      return "None";  // arguments that functions of JAX leave aside
    default:
      return {};
  }
}

class FormulaPrinter {
 public:
  explicit FormulaPrinter(const FormulaNames& names) : names_(names) {}

  std::string print(const FormulaNode& node) const {
    switch (node.kind) {
      case FormulaKind::argument:
        return names_.argument(node.index);
      case FormulaKind::gradient:
        return names_.gradient(node.index);
      case FormulaKind::tangent:
        return names_.tangent(node.index);
      case FormulaKind::result:
        return names_.result(node.index);
      case FormulaKind::local:
        return names_.local(node.index);
      case FormulaKind::constant:
        return jax_constant(*node.constant, node.type);
      case FormulaKind::property:
        return property(node);
      case FormulaKind::call:
        return call(node);
      case FormulaKind::function:
        return "ow_rule." + node.function->base_name + "(" + joined(node) + ")";
      case FormulaKind::element:
        return print(node.operand(0)) + "[" + std::to_string(node.index) + "]";
      case FormulaKind::index:
        return print(node.operand(0)) + "[" + print(node.operand(1)) + "]";
      case FormulaKind::list:
        return "[" + joined(node) + "]";
      case FormulaKind::tuple:
        return "(" + joined(node) + ")";
      case FormulaKind::unary:
        return "(" + (node.symbol == "!" ? "not " : std::string(node.symbol)) +
               print(node.operand(0)) + ")";
      case FormulaKind::binary:
        return binary(node);
      case FormulaKind::conditional:
        return "(" + print(node.operand(1)) + " if " + print(node.operand(0)) + " else " +
               print(node.operand(2)) + ")";
      case FormulaKind::convert:
        return convert(node);
      case FormulaKind::grad_input_mask:
        break;  // refused
    }
    return {};
  }

 private:
  std::string joined(const FormulaNode& node) const {
    return comma_list(node.operands, [&](const FormulaNode* operand) { return print(*operand); });
  }

  // Whole numbers are divided as in C++.
  std::string binary(const FormulaNode& node) const {
    const std::string a = print(node.operand(0)), b = print(node.operand(1));
    if (node.type.base == BaseType::integer && (node.symbol == "/" || node.symbol == "%"))
      return std::string(node.symbol == "/" ? "ow_rule.quotient(" : "ow_rule.rest(") + a + ", " +
             b + ")";
    const std::string symbol = node.symbol == "&&"   ? "and"
                               : node.symbol == "||" ? "or"
                                                     : std::string(node.symbol);
    return "(" + a + " " + symbol + " " + b + ")";
  }

  std::string property(const FormulaNode& node) const {
    const std::string of = print(node.operand(0));
    switch (node.property) {
      case Property::size:
        return "ow_rule.size_at(" + of + ", " + print(node.operand(1)) + ")";
      case Property::length:
        return "ow_rule.length(" + of + ")";
      case Property::sizes_along:
        return "ow_rule.sizes_along(" + of + ", " + print(node.operand(1)) + ")";
      case Property::is_floating_point:
        return "ow_rule.is_floating(" + of + ".dtype)";
      case Property::is_complex:
        return "False";
      case Property::layout:
      case Property::device:
        return "None";
      case Property::defined:
      case Property::has_value:
        return "(" + of + " is not None)";
      default:
        return of + std::string(property_text(node.property));
    }
  }

  // Arguments at the end that have their defaults are left to functions that are not ours.
  std::string call(const FormulaNode& node) const {
    const std::string_view function = jax_function(*node.op);
    size_t count = node.operands.size();
    while (!function.empty() && count > 0 && node.operand(count - 1).is_default) --count;
    const auto text = [&](const FormulaNode* operand) { return print(*operand); };
    const std::string name = function.empty() ? "op_" + node.op->identifier : std::string(function);
    return name + "(" + comma_list(node.operands.first(count), text) + ")";
  }

  std::string convert(const FormulaNode& node) const {
    const std::string value = print(node.operand(0));
    switch (node.conversion) {
      case Conversion::int_to_float:
        return "ow_rule.real(" + value + ")";
      case Conversion::int_to_list:
        return "[" + value + "] * " + std::to_string(node.type.size.value_or(1));
      case Conversion::none_to_tensor:
        return "None";
      default:
        return value;
    }
  }

  const FormulaNames& names_;
};

}  // namespace

std::string jax_constant(const Constant& constant, const Type& type) {
  if (constant.kind == Constant::Kind::symbol) {
    const NamedValue* value = find_named_value(constant.string, type.base);
    if (type.base == BaseType::integer) return std::string(value->cpp);
    if (type.base != BaseType::scalar_type) return "None";
    return quoted(constant.string == "long" ? "int64" : constant.string);
  }
  if (constant.kind == Constant::Kind::integer && type.base == BaseType::floating && !type.list)
    return python_number(static_cast<double>(constant.integer));
  if (constant.kind == Constant::Kind::list)
    return "[" +
           comma_list(constant.items, [](const Constant& item) { return python_constant(item); }) +
           "]";
  const bool alone = constant.kind != Constant::Kind::none;
  const std::string text = python_constant(constant);
  // One value stands for all of a list.
  return type.list && alone ? "[" + text + "] * " + std::to_string(type.size.value_or(1)) : text;
}

std::string jax_obstacle(const FormulaNode& node) {
  if (node.kind == FormulaKind::grad_input_mask) return "a gradient that reads grad_input_mask";
  if (node.kind == FormulaKind::property && property_text(node.property).empty())
    return "a formula that asks for '" + std::string(property_name(node.property)) +
           "' of a tensor";
  if (node.kind == FormulaKind::call && jax_way(*node.op) == JaxWay::none)
    return "a formula that calls '" + node.op->full_name + "' without a counterpart in JAX";
  return {};
}

std::string jax_formula(const FormulaNode& node, const FormulaNames& names) {
  return FormulaPrinter(names).print(node);
}

}  // namespace opweave::codegen

// Typed formulas as expressions of Python.
#include <algorithm>

#include "codegen/emit/formulas/python_parts.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/tests/test_samples.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/syntax/named_values.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

// How a property is asked for: what it is asked of, and what else it takes, stands in between.
struct PropertyText {
  Property property;
  std::string_view before, after;
};
constexpr PropertyText kProperties[] = {
    {Property::sizes, "", ".shape"},
    {Property::dim, "", ".ndim"},
    {Property::numel, "", ".size"},
    {Property::scalar_type, "", ".dtype"},
    {Property::is_floating_point, "ow_rule.is_floating(", ".dtype)"},
    {Property::is_complex, "ow_rule.is_complex(", ".dtype)"},
    {Property::size, "ow_rule.size_at(", ")"},
    {Property::sizes_along, "ow_rule.sizes_along(", ")"},
    {Property::length, "ow_rule.length(", ")"},
    {Property::defined, "(", " is not None)"},
    {Property::has_value, "(", " is not None)"},
};

// What functions of JAX leave aside, as an argument.
bool is_left_aside(Property property) {
  return property == Property::layout || property == Property::device;
}

// Null for a property that only Opweave has.
const PropertyText* property_text(Property property) {
  const auto found = std::ranges::find(kProperties, property, &PropertyText::property);
  return found == std::end(kProperties) ? nullptr : found;
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
      case FormulaKind::named:
        return part(node);
      case FormulaKind::constant:
        return jax_constant(*node.constant, node.type);
      case FormulaKind::property:
        return property(node);
      case FormulaKind::call:
        return call(node);
      case FormulaKind::function:
        return "ow_rule." + node.function->base_name + "(" + joined(node) + ")";
      case FormulaKind::element:
        return element(node.operand(0), std::to_string(node.index));
      case FormulaKind::index:
        return element(node.operand(0), print(node.operand(1)));
      case FormulaKind::list:
        return "[" + joined(node) + "]";
      case FormulaKind::tuple:
        return "(" + joined(node) + ")";
      case FormulaKind::unary:
        return unary(node);
      case FormulaKind::binary:
        return binary(node);
      case FormulaKind::conditional:
        return conditional(node);
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

  std::string part(const FormulaNode& node) const {
    const bool computed = names_.parts != nullptr && names_.parts->is_computed(node);
    return computed ? part_name(names_.parts->name(node)) : print(node.operand(0));
  }

  // With the parts that it alone needs.
  std::string branch(const FormulaNode& node) const {
    return names_.parts == nullptr
               ? print(node)
               : with_parts(*names_.parts, node, [&](const FormulaNode& n) { return print(n); });
  }

  // Of several results, which are there, or of a list.
  std::string element(const FormulaNode& of, const std::string& index) const {
    const std::string text = print(of);
    if (!of.type.list) return text + "[" + index + "]";
    const bool named = of.kind == FormulaKind::argument;
    const std::string name = named ? names_.op->schema.arguments[of.index].name : text;
    return "ow_rule.element(" + text + ", " + index + ", " + quoted(names_.op->face->python_name) +
           ", " + quoted(name) + ")";
  }

  // Whether a condition is one that JAX traces, of which Python cannot ask: numbers of expressions
  // are. Whether there is one is known.
  bool is_traced(const FormulaNode& node) const {
    if (node.kind == FormulaKind::property || !names_.op->is_expr()) return false;
    const bool is_number = node.kind == FormulaKind::argument && !node.type.is_tensor_like() &&
                           node.type.base != BaseType::string;
    return is_number || std::ranges::any_of(node.operands, [this](const FormulaNode* operand) {
             return is_traced(*operand);
           });
  }

  std::string unary(const FormulaNode& node) const {
    const FormulaNode& of = node.operand(0);
    if (node.symbol != "!") return "(" + std::string(node.symbol) + print(of) + ")";
    return is_traced(of) ? "ow_rule.opposite(" + print(of) + ")" : "(not " + print(of) + ")";
  }

  std::string binary(const FormulaNode& node) const {
    const bool both = node.symbol == "&&";
    const std::string a = print(node.operand(0));
    if (const bool is_int = node.type.base == BaseType::integer && !node.type.list;
        is_int && (node.symbol == "+" || node.symbol == "-" || node.symbol == "*"))
      return "ow_rule.checked(" + quoted(names_.op->face->python_name) + ", " + a + ", " +
             quoted(node.symbol) + ", " + print(node.operand(1)) + ")";
    if (!both && node.symbol != "||")
      return "(" + a + " " + std::string(node.symbol) + " " + print(node.operand(1)) + ")";
    const std::string b = branch(node.operand(1));
    if (is_traced(node))
      return std::string("ow_rule.") + (both ? "both(" : "either(") + a + ", lambda: " + b + ")";
    return "(" + a + (both ? " and " : " or ") + b + ")";
  }

  std::string conditional(const FormulaNode& node) const {
    const std::string condition = print(node.operand(0)), yes = branch(node.operand(1)),
                      no = branch(node.operand(2));
    if (is_traced(node.operand(0)))
      return "ow_rule.choose(" + condition + ", lambda: " + yes + ", lambda: " + no + ")";
    return "(" + yes + " if " + condition + " else " + no + ")";
  }

  std::string property(const FormulaNode& node) const {
    if (is_left_aside(node.property)) return "None";
    const PropertyText& text = *property_text(node.property);
    return std::string(text.before) + joined(node) + std::string(text.after);
  }

  // Arguments at the end that have their defaults are left to functions that are not ours.
  std::string call(const FormulaNode& node) const {
    const std::string_view function = jax_function(*node.op);
    size_t count = node.operands.size();
    while (!function.empty() && count > 0 && node.operand(count - 1).is_default) --count;
    const auto text = [&](const FormulaNode* operand) { return print(*operand); };
    const std::string name =
        function.empty() ? "op_" + node.op->name.identifier : std::string(function);
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
  if (node.kind == FormulaKind::property && !is_left_aside(node.property) &&
      property_text(node.property) == nullptr)
    return "a formula that asks for '" + std::string(property_name(node.property)) +
           "' of a tensor";
  if (node.kind == FormulaKind::call && jax_way(*node.op) == JaxWay::none)
    return "a formula that calls '" + node.op->name.full + "' without a counterpart in JAX";
  return {};
}

std::string jax_formula(const FormulaNode& node, const FormulaNames& names) {
  return FormulaPrinter(names).print(node);
}

std::string jax_composite(const Operator& op) {
  FormulaParts parts(op);
  FormulaNames names;
  names.op = &op;
  names.parts = &parts;
  names.argument = [&op](uint16_t i) { return jax_name(op, i); };
  std::string statements;
  for (const FormulaNode* named : parts.needed(*op.formulas->composite)) {
    statements +=
        part_name(parts.name(*named)) + " = " + jax_formula(named->operand(0), names) + "\n";
    parts.add(*named);
  }
  return statements + "return " + jax_formula(*op.formulas->composite, names);
}

}  // namespace opweave::codegen

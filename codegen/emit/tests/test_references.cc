// Formulas that generated tests compare values with.
#include "codegen/emit/tests/test_references.h"

#include <algorithm>

#include "codegen/emit/formulas/python_parts.h"
#include "codegen/emit/tests/test_samples.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/signature.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

// Of tensors; functions of `r` are asked where Python has no attribute of the name.
std::string_view property_text(Property property) {
  switch (property) {
    case Property::sizes:
      return "r.sizes(";
    case Property::strides:
      return "r.strides(";
    case Property::length:
      return "len(";
    case Property::scalar_type:
      return "r.dtype(";
    case Property::defined:
    case Property::has_value:
      return "r.is_given(";
    default:
      return "";
  }
}

class FormulaText {
 public:
  explicit FormulaText(const Operator& op) : op_(op), parts_(op) {}

  // With the parts that it needs.
  std::string whole(const FormulaNode& node) {
    return with_parts(parts_, node, [this](const FormulaNode& n) { return print(n); });
  }

 private:
  std::string print(const FormulaNode& node) {
    switch (node.kind) {
      case FormulaKind::argument:
        return "a[" + quoted(op_.schema.arguments[node.index].name) + "]";
      case FormulaKind::constant:
        return constant(node);
      case FormulaKind::property:
        return property(node);
      case FormulaKind::call:
        return call(node);
      case FormulaKind::element:
        return print(node.operand(0)) + "[" + std::to_string(node.index) + "]";
      case FormulaKind::index:
        return print(node.operand(0)) + "[" + print(node.operand(1)) + "]";
      case FormulaKind::list:
      case FormulaKind::tuple:
        return "[" + joined(node) + "]";
      case FormulaKind::unary:
        return "(" + (node.symbol == "!" ? "not " : std::string(node.symbol)) +
               print(node.operand(0)) + ")";
      case FormulaKind::binary:
        return "(" + print(node.operand(0)) + " " + symbol(node) + " " + second(node) + ")";
      case FormulaKind::conditional:
        return "(" + whole(node.operand(1)) + " if " + print(node.operand(0)) + " else " +
               whole(node.operand(2)) + ")";
      case FormulaKind::named:
        return part_name(parts_.name(node));
      case FormulaKind::convert:
        return convert(node);
      default:
        return "";  // of gradients and rules alone
    }
  }

  // What may not be come to needs its own parts.
  std::string second(const FormulaNode& node) {
    const bool certain = node.symbol != "&&" && node.symbol != "||";
    return certain ? print(node.operand(1)) : whole(node.operand(1));
  }

  std::string joined(const FormulaNode& node) {
    return comma_list(node.operands, [&](const FormulaNode* operand) { return print(*operand); });
  }

  static std::string symbol(const FormulaNode& node) {
    return node.symbol == "&&" ? "and" : node.symbol == "||" ? "or" : std::string(node.symbol);
  }

  static std::string constant(const FormulaNode& node) {
    const Constant& value = *node.constant;
    if (value.kind == Constant::Kind::symbol) return "r.value(" + quoted(value.string) + ")";
    const std::string text = python_constant(value);
    const bool one = value.kind != Constant::Kind::none && value.kind != Constant::Kind::list;
    return node.type.list && one ? "[" + text + "] * " + std::to_string(node.type.size.value_or(1))
                                 : text;
  }

  std::string property(const FormulaNode& node) {
    const std::string_view function = property_text(node.property);
    if (!function.empty()) return std::string(function) + joined(node) + ")";
    std::string name(property_name(node.property));
    if (node.property == Property::options || node.property == Property::sizes_along)
      return "r." + name + "(" + joined(node) + ")";
    const std::string of = print(node.operand(0)) + "." + name;
    if (node.property == Property::device || node.property == Property::layout) return of;
    return of + "(" + (node.operands.size() > 1 ? print(node.operand(1)) : "") + ")";
  }

  // Of the library itself, or of the core.
  std::string call(const FormulaNode& node) {
    CommaList given;
    given.add(quoted(node.op->name.full));
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const Argument& argument = node.op->schema.arguments[i];
      const std::string name =
          argument.keyword_only ? schema::python_identifier(argument.name) + "=" : "";
      given.add(name + print(node.operand(i)));
    }
    return (node.op->origin.imported ? "r.core(" : "r.own(") + given.text() + ")";
  }

  std::string convert(const FormulaNode& node) {
    const std::string value = print(node.operand(0));
    switch (node.conversion) {
      case Conversion::number_to_tensor:
        return "r.number(" + value + ")";
      case Conversion::int_to_float:
        return "float(" + value + ")";
      case Conversion::int_to_list:
        return "[" + value + "] * " + std::to_string(node.type.size.value_or(1));
      case Conversion::none_to_tensor:
        return "None";
      default:
        return value;
    }
  }

  const Operator& op_;
  FormulaParts parts_;
};

bool calls_left_out(const FormulaNode& node) {
  if (node.kind == FormulaKind::call && node.op->selected->left_out) return true;
  return std::ranges::any_of(node.operands,
                             [](const FormulaNode* operand) { return calls_left_out(*operand); });
}

}  // namespace

std::string formula_reference(const Operator& op) {
  if (op.formulas->reference == nullptr || calls_left_out(*op.formulas->reference)) return "None";
  return "lambda r, a: " + FormulaText(op).whole(*op.formulas->reference);
}

}  // namespace opweave::codegen

// Printing of typed formulas.
#include "codegen/emit/formulas/formula_printer.h"

#include <algorithm>

#include "codegen/emit/formulas/dtype_checks.h"
#include "codegen/emit/formulas/rule_printer.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/variables.h"

namespace opweave::codegen {
namespace {

// How a call of the function begins that computes it and refuses to overflow; empty for what
// cannot.
std::string_view checked_call(const FormulaNode& node) {
  if (node.type.base != BaseType::integer || node.type.list) return {};
  if (node.kind == FormulaKind::unary)
    return node.symbol == "-" && node.operand(0).kind != FormulaKind::constant ? "checked_sub("
                                                                               : "";
  if (node.kind != FormulaKind::binary) return {};
  if (node.symbol == "+") return "checked_add(";
  if (node.symbol == "-") return "checked_sub(";
  return node.symbol == "*" ? "checked_mul(" : "";
}

// Whether it prints as `list_element(...)`. Lists of truth values have the length that their type
// says.
bool asks_for_element(const FormulaNode& node) {
  const bool asks = node.kind == FormulaKind::index || node.kind == FormulaKind::element;
  const Type* list = asks ? &node.operand(0).type : nullptr;
  return asks && list->list && list->base != BaseType::boolean;
}

// Of a variable. Literals would be of C++'s types.
std::string_view part_type(const Type& type, const FormulaNames& names) {
  if (names.symbolic || type.list || type.optional) return "auto";
  return type.base == BaseType::integer    ? "int64_t"
         : type.base == BaseType::floating ? "double"
                                           : "auto";
}

std::string repeated_name(size_t place) { return "ow_part" + std::to_string(place); }

class FormulaPrinter {
 public:
  explicit FormulaPrinter(const FormulaNames& names) : names_(names) {}

  std::string print(const FormulaNode& node) const {
    if (names_.repeated != nullptr) {
      const auto place = names_.repeated->place_of(node);
      if (place && *place < names_.repeated_count) return repeated_name(*place);
    }
    switch (node.kind) {
      case FormulaKind::argument:
        return names_.argument(node.index);
      case FormulaKind::gradient:
        // The gradients of an output that is a list are all that the node gets.
        return node.type.list ? "gradient_list(grads)" : names_.gradient(node.index);
      case FormulaKind::tangent:
        return names_.tangent(node.index);
      case FormulaKind::result:
        return names_.result(node.index);
      case FormulaKind::grad_input_mask:
        return "grad_input_mask";
      case FormulaKind::local:
        return names_.local(node.index);
      case FormulaKind::named:
        return part(node);
      case FormulaKind::constant:
        return constant_expression(*node.constant, node.type);
      case FormulaKind::property:
        return property(node);
      case FormulaKind::call:
        return call(node);
      case FormulaKind::function:
        return "rule::" + node.function->base_name + "(" + joined(node) + ")";
      case FormulaKind::element:
      case FormulaKind::index:
        return element(node);
      case FormulaKind::list:
        return list_type(node) + "{" + joined(node) + "}";
      case FormulaKind::tuple:
        return "std::make_tuple(" + joined(node) + ")";
      case FormulaKind::unary:
        return unary(node);
      case FormulaKind::binary:
        if (!checked_call(node).empty()) return checked(node);
        return "(" + wide(node) + " " + std::string(node.symbol) + " " + second(node) + ")";
      case FormulaKind::conditional:
        return "(" + print(node.operand(0)) + " ? " + branch(node.operand(1)) + " : " +
               branch(node.operand(2)) + ")";
      case FormulaKind::convert:
        return convert(node);
    }
    return {};
  }

 private:
  std::string joined(const FormulaNode& node) const {
    return comma_list(node.operands, [&](const FormulaNode* operand) { return print(*operand); });
  }

  std::string part(const FormulaNode& node) const {
    const bool computed = names_.parts != nullptr && names_.parts->is_computed(node);
    return computed ? variable(names_.parts->name(node)) : print(node.operand(0));
  }

  // What && and || may not come to needs its own parts as a branch does.
  std::string second(const FormulaNode& node) const {
    const bool certain = node.symbol != "&&" && node.symbol != "||";
    return certain ? print(node.operand(1)) : branch(node.operand(1));
  }

  // With the parts that it alone needs.
  std::string branch(const FormulaNode& node) const {
    const auto needed =
        names_.parts == nullptr ? std::vector<const FormulaNode*>() : names_.parts->needed(node);
    if (needed.empty()) return owned(node);
    const FormulaParts::Branch branch(*names_.parts);
    std::string text = "[&] { ";
    for (const FormulaNode* named : needed) {
      text += "const " + std::string(part_type(named->type, names_)) + " " +
              variable(names_.parts->name(*named)) + " = " + print(named->operand(0)) + "; ";
      names_.parts->add(*named);
    }
    return text + "return " + owned(node) + "; }()";
  }

  std::string list_type(const FormulaNode& node) const {
    Type type = node.type;
    type.optional = false;
    return is_owned(type) ? "DimVector" : parameter_type(type);
  }

  bool is_owned(const Type& type) const {
    return names_.owning_lists && type.list && !type.optional && type.base == BaseType::integer;
  }

  // Both branches of a condition are of one C++ type, which owns what it says.
  std::string owned(const FormulaNode& node) const {
    const bool text = node.type.base == BaseType::string && !node.type.list && !node.type.optional;
    if (names_.owning_lists && text && node.kind != FormulaKind::constant)
      return "std::string(" + print(node) + ")";
    return is_owned(node.type) ? "DimVector(" + print(node) + ")" : print(node);
  }

  // Two literals, or names for them, would be compared as pointers.
  std::string compared(const FormulaNode& node) const {
    const bool literal = node.type.base == BaseType::string && !node.type.list &&
                         !node.type.optional && node.kind != FormulaKind::argument;
    return literal ? "std::string_view(" + print(node) + ")" : print(node);
  }

  // The left operand. Two literals would be computed as C++'s int.
  std::string wide(const FormulaNode& node) const {
    const auto is_literal = [](const FormulaNode* operand) {
      return operand->kind == FormulaKind::constant && operand->type.base == BaseType::integer;
    };
    const bool literals = std::ranges::all_of(node.operands, is_literal);
    return literals ? "int64_t{" + print(node.operand(0)) + "}" : compared(node.operand(0));
  }

  std::string unary(const FormulaNode& node) const {
    const std::string value = print(node.operand(0));
    if (checked_call(node).empty()) return "(" + std::string(node.symbol) + value + ")";
    return "checked_sub(0, " + value + op_named() + ")";
  }

  std::string checked(const FormulaNode& node) const {
    return std::string(checked_call(node)) + joined(node) + op_named() + ")";
  }

  // The last argument of functions that can fail.
  std::string op_named() const {
    return names_.op == nullptr ? "" : ", " + quoted(spoken_name(*names_.op));
  }

  std::string call(const FormulaNode& node) const {
    return "ops::" + node.op->name.identifier + "::call(" + joined(node) + ")";
  }

  std::string element(const FormulaNode& node) const {
    const FormulaNode& list = node.operand(0);
    const std::string inner = print(list);
    const bool indexed = node.kind == FormulaKind::index;
    const std::string at = indexed ? print(node.operand(1)) : std::to_string(node.index);
    if (!indexed && !list.type.list) return "std::get<" + at + ">(" + inner + ")";
    if (names_.op == nullptr || !asks_for_element(node)) return inner + "[" + at + "]";
    return "list_element(" + inner + ", " + at + ", " + quoted(spoken_name(*names_.op)) + ", " +
           quoted(said(list, inner)) + ")";
  }

  // An argument as its schema calls it: parameters may have other names.
  std::string said(const FormulaNode& list, const std::string& text) const {
    const auto& arguments = names_.op->schema.arguments;
    return list.kind == FormulaKind::argument ? arguments[list.index].name : text;
  }

  std::string property(const FormulaNode& node) const {
    if (names_.property) {
      if (std::string text = names_.property(node, names_); !text.empty()) return text;
    }
    if (node.property == Property::sizes_along) {
      return "sizes_along(" + print(node.operand(0)) + ", " + print(node.operand(1)) + ")";
    }
    if (node.property == Property::length) {
      return "static_cast<int64_t>(" + print(node.operand(0)) + ".size())";
    }
    std::string text =
        print(node.operand(0)) + "." + std::string(property_name(node.property)) + "(";
    if (node.operands.size() > 1) text += print(node.operand(1));
    return text + ")";
  }

  std::string convert(const FormulaNode& node) const {
    const std::string value = print(node.operand(0));
    switch (node.conversion) {
      case Conversion::number_to_tensor:
        return "wrapped_number_tensor(Scalar(" + value + "))";
      case Conversion::number_to_scalar:
        return "Scalar(" + value + ")";
      case Conversion::int_to_float:
        return "static_cast<double>(" + value + ")";
      case Conversion::int_to_list:
        return repeated(value, node.type, is_owned(node.type));
      case Conversion::to_optional:
        return stored_optional(value, node.type);
      case Conversion::none_to_tensor:
        return "Tensor()";
      case Conversion::from_optional:
        return value + ".value()";
    }
    return {};
  }

  static std::string repeated(const std::string& value, const Type& type, bool owned) {
    std::string text = (owned ? "DimVector{" : "IntList{") + value;
    for (int64_t i = 1; i < type.size.value_or(1); ++i) text += ", " + value;
    return text + "}";
  }

  std::string stored_optional(const std::string& value, const Type& type) const {
    if (type.is_tensor()) return value;
    Type inner = type;
    inner.optional = false;
    inner.alias.reset();
    const bool number = inner.base == BaseType::integer && !inner.list;
    const std::string name = inner.base == BaseType::scalar && !inner.list ? "Scalar"
                             : number ? std::string(names_.integer)
                                      : parameter_type(inner);
    return "std::optional<" + name + ">(" + value + ")";
  }

  const FormulaNames& names_;
};

}  // namespace

std::string_view helper_header(const FormulaNode& node) {
  if (!checked_call(node).empty()) return "runtime/rules/checked_arithmetic.h";
  return asks_for_element(node) ? "runtime/rules/list_element.h" : "";
}

std::string formula_expression(const FormulaNode& node, const FormulaNames& names) {
  return FormulaPrinter(names).print(node);
}

void with_repeated(Printer& printer, const FormulaNode& formula, FormulaNames names,
                   const std::function<void(const FormulaNames& names)>& print) {
  const RepeatedCalls repeated(formula);
  names.repeated = &repeated;
  for (size_t& i = names.repeated_count; i < repeated.values().size(); ++i)
    printer.print(
        {{"name", repeated_name(i)}, {"value", formula_expression(*repeated.values()[i], names)}},
        "const auto $name$ = $value$;");
  print(names);
}

std::string mutable_expression(const Operator& op, const FormulaNode& node,
                               const FormulaNames& names) {
  const bool owned = names.owning_lists && node.type.list && !node.type.optional &&
                     node.type.base == BaseType::integer;
  const auto expression = [&](const FormulaNode& formula) {
    const std::string text = formula_expression(formula, names);
    return owned ? "DimVector(" + text + ")" : text;
  };
  if (names.mutants == nullptr) return formula_expression(node, names);
  std::string text;
  for (const Mutant& mutant : names.mutants->of(op)) {
    if (mutant.of_formula != &node) continue;
    text += "OW_MUTANT(" + std::to_string(mutant.id) + ") ? " + expression(*mutant.formula) + " : ";
  }
  return text.empty() ? formula_expression(node, names) : text + expression(node);
}

namespace {

// The statements that return what a formula gives: those of each branch for themselves.
class FormulaBody {
 public:
  FormulaBody(Printer& p, const Operator& op, FormulaNames names)
      : p_(p), op_(op), names_(std::move(names)), parts_(op) {
    names_.owning_lists = !op.formulas->parts.empty();
    names_.parts = &parts_;
  }

  void print(const FormulaNode& node) {
    const bool branches = node.kind == FormulaKind::conditional && !op_.formulas->parts.empty();
    compute(branches ? node.operand(0) : node);
    if (!branches || has_mutants()) {
      p_.print({{"formula", mutable_expression(op_, node, names_)}}, "return $formula$;");
      return;
    }
    p_.print({{"condition", formula_expression(node.operand(0), names_)}}, "if ($condition$) {");
    {
      const FormulaParts::Branch branch(parts_);
      const Indented in(p_);
      print(node.operand(1));
    }
    p_.print("}");
    print(node.operand(2));
  }

 private:
  bool has_mutants() const { return names_.mutants && !names_.mutants->of(op_).empty(); }

  void compute(const FormulaNode& node) {
    for (const FormulaNode* named : parts_.needed(node)) {
      p_.print({{"type", part_type(named->type, names_)},
                {"name", variable(parts_.name(*named))},
                {"value", mutable_expression(op_, named->operand(0), names_)}},
               "const $type$ $name$ = $value$;");
      parts_.add(*named);
    }
  }

  Printer& p_;
  const Operator& op_;
  FormulaNames names_;
  FormulaParts parts_;
};

}  // namespace

void print_formula_body(Printer& printer, const Operator& op, const FormulaNode& formula,
                        FormulaNames names) {
  FormulaBody(printer, op, std::move(names)).print(formula);
}

void print_formula_function(Printer& printer, const Operator& op, const FormulaNode& formula,
                            std::string_view suffix, const Mutants& mutants) {
  const Signature s = definition_of(op);
  const bool whole = &formula == op.formulas->composite;
  FormulaNames names;
  names.op = &op;
  names.mutants = &mutants;
  names.argument = [&s](uint16_t i) { return s.parameters[i].name; };
  printer.print({{"result", s.result},
                 {"id", op.name.identifier},
                 {"suffix", suffix},
                 {"params", s.optional_parameter_list()},
                 {"checks",
                  [&] {
                    if (whole) return print_call_checks(printer, op, mutants);
                    print_dtype_checks(printer, op, s);
                  }},
                 {"body", [&] { FormulaBody(printer, op, names).print(formula); }}},
                "static $result$ $id$$suffix$($params$) {\n"
                "  $checks$\n"
                "  $body$\n"
                "}");
}

}  // namespace opweave::codegen

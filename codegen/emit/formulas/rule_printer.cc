// Rules as C++: what a call requires, and what its results look like.
#include "codegen/emit/formulas/rule_printer.h"

#include <algorithm>

#include "codegen/emit/formulas/dtype_checks.h"
#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/variables.h"

namespace opweave::codegen {
namespace {

// The kind of OW_THROW.
std::string_view error_kind(ErrorClass error) {
  constexpr std::string_view kKinds[] = {"kRuntime", "kType", "kValue", "kIndex",
                                         "kNotImplemented"};
  return kKinds[static_cast<size_t>(error)];
}

class RulePrinter {
 public:
  RulePrinter(Printer& p, const Operator& op, const Mutants& mutants,
              const RuleProperty& property = {}, std::string_view integer = "int64_t")
      : p_(p), op_(op), s_(definition_of(op)), printed_(op.rule->locals.size()) {
    if (property) names_.property = property;
    names_.argument = [this](uint16_t i) { return s_.parameters[i].name; };
    names_.local = [this](uint16_t i) { return variable(op_.rule->locals[i].name); };
    names_.owning_lists = true;
    names_.integer = integer;
    names_.op = &op;
    names_.mutants = &mutants;
  }

  void print_checks() {
    print_dtype_checks(p_, op_, s_);
    for (const Requirement& requirement : op_.rule->requirements) print_requirement(requirement);
  }

  void print() {
    print_checks();
    const auto asks = [](const OutputRule& output) { return !output.dtype || !output.device; };
    if (std::ranges::any_of(op_.rule->outputs, asks)) print_reference_check();
    for (size_t i = 0; i < op_.rule->outputs.size(); ++i) print_output(i, op_.rule->outputs[i]);
  }

  void print_view(std::string_view make) {
    print_checks();
    const OutputRule& view = op_.rule->outputs[0];
    for (const FormulaNode* formula : {view.sizes, view.strides, view.offset}) need(*formula);
    p_.print({{"make", make},
              {"sizes", expression(*view.sizes)},
              {"strides", expression(*view.strides)},
              {"offset", expression(*view.offset)}},
             "$make$$sizes$, $strides$, $offset$);");
  }

 private:
  // A value has its name from where it is first needed: what it is made of has been checked by
  // then.
  void need(const FormulaNode& node) {
    if (node.kind == FormulaKind::local && !printed_[node.index]) {
      printed_[node.index] = true;
      const FormulaNode& value = *op_.rule->locals[node.index].value;
      need(value);
      p_.print({{"type", may_be_literal(value) ? names_.integer : "auto"},
                {"name", names_.local(node.index)},
                {"value", expression(value)}},
               "const $type$ $name$ = $value$;");
    }
    for (const FormulaNode* operand : node.operands) need(*operand);
  }

  // Of which C++ would make an int.
  static bool may_be_literal(const FormulaNode& value) {
    const bool computed =
        value.kind == FormulaKind::function || value.kind == FormulaKind::property;
    return value.type.base == BaseType::integer && !value.type.list && !value.type.optional &&
           !computed && value.kind != FormulaKind::binary;
  }

  // A list that is written size by size has a formula, and mutants, for each.
  std::string expression(const FormulaNode& node) const {
    if (node.kind != FormulaKind::list) return mutable_expression(op_, node, names_);
    const auto text = [&](const FormulaNode* item) {
      return mutable_expression(op_, *item, names_);
    };
    return "DimVector{" + comma_list(node.operands, text) + "}";
  }

  void print_requirement(const Requirement& requirement) {
    need(*requirement.condition);
    for (const MessagePart& part : requirement.message) {
      if (part.value) need(*part.value);
    }
    std::string parts;
    for (const MessagePart& part : requirement.message) {
      parts += ", " + (part.value ? expression(*part.value) : quoted(part.text));
    }
    p_.print({{"condition", expression(*requirement.condition)},
              {"kind", error_kind(requirement.error)},
              {"parts", parts}},
             "if (!($condition$)) [[unlikely]]\n"
             "  OW_THROW(ErrorKind::$kind$$parts$);");
  }

  // A list of no tensors has no first one to ask for a dtype or a device.
  void print_reference_check() {
    const Parameter& tensor = reference_parameter();
    if (!tensor.argument->type.list) return;
    const std::string message = spoken_name(op_) + "(): expected a non-empty list of Tensors as '" +
                                tensor.argument->name + "'";
    p_.print({{"name", tensor.name}, {"message", quoted(message)}},
             "if ($name$.size() == 0) [[unlikely]]\n"
             "  OW_THROW(ErrorKind::kRuntime, $message$);");
  }

  const Parameter& reference_parameter() const {
    return s_.parameters[static_cast<size_t>(reference_tensor(op_.schema))];
  }

  std::string reference(std::string_view question) const {
    const Parameter& tensor = reference_parameter();
    const bool list = tensor.argument->type.list;
    return tensor.name + (list ? "[0]." : ".") + std::string(question) + "()";
  }

  void print_output(size_t index, const OutputRule& output) {
    for (const FormulaNode* formula :
         {output.when, output.sizes, output.dtype, output.device, output.strides}) {
      if (formula) need(*formula);
    }
    const std::string at = "ow_results[" + std::to_string(index) + "]";
    std::string text = at + ".set(" + expression(*output.sizes) + ", " +
                       (output.dtype ? expression(*output.dtype) : reference("dtype")) + ", " +
                       (output.device ? expression(*output.device) : reference("device")) + ");";
    if (output.strides) text += "\n" + at + ".set_strides(" + expression(*output.strides) + ");";
    if (output.when) text = "if (" + expression(*output.when) + ") {\n  " + text + "\n}";
    p_.print({{"text", text}}, "$text$");
  }

  Printer& p_;
  const Operator& op_;
  Signature s_;
  FormulaNames names_;
  std::vector<bool> printed_;  // which values have their names
};

}  // namespace

void print_call_checks(Printer& p, const Operator& op, const Mutants& mutants) {
  if (op.rule == nullptr) return print_dtype_checks(p, op, definition_of(op));
  RulePrinter(p, op, mutants).print_checks();
}

void print_rule_body(Printer& p, const Operator& op, const Mutants& mutants,
                     const RuleProperty& property, std::string_view integer) {
  const Indented in(p);
  RulePrinter(p, op, mutants, property, integer).print();
}

void print_view_body(Printer& p, const Operator& op, std::string_view make, const Mutants& mutants,
                     std::string_view integer) {
  const Indented in(p);
  RulePrinter(p, op, mutants, {}, integer).print_view(make);
}

}  // namespace opweave::codegen

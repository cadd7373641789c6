// Rules as the lines of Python functions, whose parameters are those of the operator.
#include <algorithm>

#include "codegen/emit/jax/face.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/emit/text/dtypes.h"
#include "schema/python_text.h"

namespace opweave::codegen {
namespace {

class RulePrinter {
 public:
  RulePrinter(Printer& p, const Operator& op)
      : p_(p), op_(op), printed_(op.rule == nullptr ? 0 : op.rule->locals.size()) {
    names_.argument = [this](uint16_t i) { return argument(i); };
    names_.local = [this](uint16_t i) {
      return schema::python_identifier(op_.rule->locals[i].name);
    };
    names_.op = &op;
  }

  void print() {
    print_dtypes();
    for (const Requirement& requirement : op_.rule->requirements) print_requirement(requirement);
    const auto result = [this](const OutputRule& output) { return text_of(output); };
    const std::string results = comma_list(op_.rule->outputs, result);
    p_.print({{"results", results}}, "return [$results$]");
  }

 private:
  std::string argument(size_t i) const {
    return schema::python_identifier(op_.schema.arguments[i].name);
  }

  void print_dtypes() {
    for (size_t i = 0; i < op_.dtypes->of_arguments.size(); ++i) {
      const DtypeMask mask = op_.dtypes->of_arguments[i].bits;
      if (!op_.schema.arguments[i].type.is_tensor_like() || (mask & dtypes::kReal) == dtypes::kReal)
        continue;
      const std::string list = comma_list(dtypes_of(mask), quoted);
      p_.print({{"name", quoted(op_.face->python_name)},
                {"argument", quoted(op_.schema.arguments[i].name)},
                {"value", argument(i)},
                {"dtypes", list}},
               "ow_rule.check_dtype($name$, $argument$, $value$, [$dtypes$])");
    }
  }

  // A value has its name from where it is first needed: what it is made of has been checked by
  // then.
  void need(const FormulaNode& node) {
    if (node.kind == FormulaKind::local && !printed_[node.index]) {
      printed_[node.index] = true;
      const FormulaNode& value = *op_.rule->locals[node.index].value;
      need(value);
      p_.print({{"name", names_.local(node.index)}, {"value", jax_formula(value, names_)}},
               "$name$ = $value$");
    }
    for (const FormulaNode* operand : node.operands) need(*operand);
  }

  void print_requirement(const Requirement& requirement) {
    need(*requirement.condition);
    CommaList parts;
    for (const MessagePart& part : requirement.message) {
      if (part.value) need(*part.value);
      parts.add(part.value ? jax_formula(*part.value, names_) : quoted(part.text));
    }
    p_.print({{"condition", jax_formula(*requirement.condition, names_)},
              {"error", error_class_name(requirement.error)},
              {"parts", parts.text()}},
             "if not $condition$:\n"
             "    raise $error$(ow_rule.text($parts$))");
  }

  std::string reference_dtype() const {
    const auto at = static_cast<size_t>(reference_tensor(op_.schema));
    return argument(at) + (op_.schema.arguments[at].type.list ? "[0].dtype" : ".dtype");
  }

  std::string text_of(const OutputRule& output) {
    for (const FormulaNode* formula : {output.sizes, output.dtype}) {
      if (formula) need(*formula);
    }
    return "ow_rule.Result(" + jax_formula(*output.sizes, names_) + ", " +
           (output.dtype ? jax_formula(*output.dtype, names_) : reference_dtype()) + ")";
  }

  Printer& p_;
  const Operator& op_;
  FormulaNames names_;
  std::vector<bool> printed_;  // which values have their names
};

}  // namespace

void print_jax_rule(Printer& p, const Operator& op) { RulePrinter(p, op).print(); }

}  // namespace opweave::codegen

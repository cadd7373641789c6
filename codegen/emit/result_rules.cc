// Rules as C++: for each operator a function that checks what a call requires and says what its
// results look like. It serves all targets; on tensors without data it is all there is to do.
#include <algorithm>

#include "codegen/emit/comma_list.h"
#include "codegen/emit/declarations.h"
#include "codegen/emit/dtype_checks.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/output_table.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/rules.h"
#include "codegen/emit/variables.h"

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
  RulePrinter(Printer& p, const Operator& op)
      : p_(p), op_(op), s_(definition_of(op)), printed_(op.rule->locals.size()) {
    names_.argument = [this](uint16_t i) { return s_.parameters[i].name; };
    names_.local = [this](uint16_t i) { return variable(op_.rule->locals[i].name); };
    names_.owning_lists = true;
    names_.list_element = [this](const std::string& list, const std::string& index) {
      return "list_element(" + list + ", " + index + ", " + quoted(op_.python_name) + ", " +
             quoted(list) + ")";
    };
  }

  void print() {
    p_.print({{"id", op_.identifier}, {"params", rule_parameters(op_)}}, "void $id$($params$) {");
    {
      Indented in(p_);
      print_dtype_checks(p_, op_, s_);
      for (const Requirement& requirement : op_.rule->requirements) print_requirement(requirement);
      for (size_t i = 0; i < op_.rule->outputs.size(); ++i) print_output(i, op_.rule->outputs[i]);
    }
    p_.print("}\n");
  }

 private:
  // A value has its name from where it is first needed: what it is made of has been checked by
  // then.
  void need(const FormulaNode& node) {
    if (node.kind == FormulaKind::local && !printed_[node.index]) {
      printed_[node.index] = true;
      const FormulaNode& value = *op_.rule->locals[node.index].value;
      need(value);
      p_.print({{"name", names_.local(node.index)}, {"value", expression(value)}},
               "const auto $name$ = $value$;");
    }
    for (const FormulaNode* operand : node.operands) need(*operand);
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

  std::string reference(std::string_view question) const {
    const Parameter& tensor = s_.parameters[reference_tensor(op_.schema)];
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

// Lists of truth values have the length that their type says.
bool indexes_a_list(const FormulaNode& node) {
  const bool indexes =
      node.kind == FormulaKind::index && node.operand(0).type.base != BaseType::boolean;
  return indexes ||
         std::ranges::any_of(node.operands, [](const auto* of) { return indexes_a_list(*of); });
}

bool indexes_a_list(const Operator& op) {
  bool found = false;
  for_each_formula(*op.rule,
                   [&](const FormulaNode& node) { found = found || indexes_a_list(node); });
  return found;
}

// Its own names are none that an argument would have.
void print_list_element(Printer& p) {
  p.print(
      "\n// Calls decide how long lists are.\n"
      "template <class OwList>\n"
      "static decltype(auto) list_element(const OwList& ow_list, int64_t ow_index,\n"
      "                                   std::string_view ow_op, std::string_view ow_name) {\n"
      "  OW_CHECK_INDEX(ow_index >= 0 && static_cast<size_t>(ow_index) < ow_list.size(), ow_op,\n"
      "                 \"(): index \", ow_index, \" is out of range for \", ow_name, \", which "
      "has \",\n"
      "                 ow_list.size(), \" elements\");\n"
      "  return ow_list[static_cast<size_t>(ow_index)];\n"
      "}\n");
}

std::string print_shard(const Shard& shard) {
  std::vector<const Operator*> ops = shard.ops;
  std::erase_if(ops, [](const Operator* op) { return !has_rule_function(*op); });
  Printer p;
  print_banner(p, "What one shard of the operators require and what their results look like.");
  p.print(
      "#include <limits>\n"
      "\n"
      "#include \"runtime/core/generator.h\"\n"
      "#include \"runtime/rules/functions.h\"\n"
      "#include \"runtime/rules/result_spec.h\"");
  print_object_types(p, ops);
  UsedOperators used;
  for (const Operator* op : ops) used.add_mutants_of(*op);
  if (used.has_mutants()) print_mutant_declarations(p);
  p.print("\nnamespace opweave::rules {\n");
  if (std::ranges::any_of(ops, [](const Operator* op) { return indexes_a_list(*op); }))
    print_list_element(p);
  for (const Operator* op : ops) RulePrinter(p, *op).print();
  p.print("}  // namespace opweave::rules");
  return p.take();
}

}  // namespace

bool has_rule_function(const Operator& op) {
  if (!op.is_emitted() || op.rule == nullptr || !op.has_hardware_kernel()) return false;
  return !op.rule->data || !op.rule->requirements.empty() || has_dtype_checks(op);
}

std::string rule_parameters(const Operator& op) {
  const std::string parameters = definition_of(op).optional_parameter_list();
  return parameters + (parameters.empty() ? "" : ", ") + "[[maybe_unused]] ResultSpec* ow_results";
}

void emit_result_rules(Output& output) { output.each_shard(print_shard); }

}  // namespace opweave::codegen

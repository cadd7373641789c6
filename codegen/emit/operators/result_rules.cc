// Rules as C++: for each operator a function that checks what a call requires and says what its
// results look like. It serves all targets; on tensors without data it is all there is to do.
#include <algorithm>

#include "codegen/emit/formulas/rule_printer.h"
#include "codegen/emit/formulas/rules.h"
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/signature.h"
#include "codegen/model/lowered/lowered.h"
#include "codegen/rules/functions.h"

namespace opweave::codegen {
namespace {

bool is_over_symbols(const FormulaNode& node) {
  if (node.kind == FormulaKind::call) return false;
  if (node.kind == FormulaKind::function && !rule_function(*node.function).over_symbols)
    return false;
  return std::ranges::all_of(node.operands,
                             [](const FormulaNode* operand) { return is_over_symbols(*operand); });
}

// The text is compiled twice: for numbers, and for symbols by whom OPWEAVE_SYMBOLS is defined.
void print_words(Printer& p, const UsedOperators& used) {
  p.print("#include <limits>\n"
          "\n"
          "#ifdef OPWEAVE_SYMBOLS\n"
          "#include \"runtime/rules/symbolic/call.h\"\n"
          "#else\n"
          "#include \"runtime/core/random/generator.h\"\n"
          "#include \"runtime/rules/functions.h\"\n"
          "#include \"runtime/rules/result_spec.h\"");
  p.raw(include_lines(used.helper_headers()));
  p.print("#endif");
}

// As the text calls numbers.
std::string over_int(std::string text) {
  constexpr std::string_view kNumber = "int64_t";
  for (size_t at = text.find(kNumber); at != std::string::npos; at = text.find(kNumber, at))
    text.replace(at, kNumber.size(), "Int");
  return text;
}

void print_rules(Printer& p, const std::vector<const Operator*>& ops, const Mutants& mutants) {
  bool for_symbols = true;
  const auto print_guard = [&](bool symbols) {
    if (symbols != for_symbols) p.print(symbols ? "#endif" : "#ifndef OPWEAVE_SYMBOLS");
    for_symbols = symbols;
  };
  for (const Operator* op : ops) {
    print_guard(has_symbolic_rule(*op));
    p.print({{"id", op->name.identifier}, {"params", over_int(rule_parameters(*op))}},
            "void $id$($params$) {");
    print_rule_body(p, *op, mutants, {}, "Int");
    p.print("}");
  }
  print_guard(true);
}

// By which rules over symbols are found.
void print_symbolic_table(Printer& p, const std::vector<const Operator*>& ops) {
  if (std::ranges::none_of(ops, [](const Operator* op) { return has_symbolic_rule(*op); })) return;
  p.print("#ifdef OPWEAVE_SYMBOLS\nconst symbolic::SymbolicRule ow_rules[] = {");
  for (const Operator* op : ops) {
    if (!has_symbolic_rule(*op)) continue;
    p.print({{"name", quoted(op->name.full)},
             {"results", std::to_string(op->rule->outputs.size())},
             {"id", op->name.identifier}},
            "  {$name$, $results$, &symbolic::Boxed<&$id$>::call},");
  }
  p.print("};\nconst symbolic::SymbolicRules ow_registered(ow_rules);\n#endif");
}

std::string print_shard(const Shard& shard) {
  std::vector<const Operator*> ops = shard.ops;
  std::erase_if(ops, [](const Operator* op) { return !op->lowered->hardware.has_rule; });
  Printer p;
  print_banner(p, "What one shard of the operators require and what their results look like.");
  UsedOperators used(shard.mutants);
  for (const Operator* op : ops) {
    used.add_rule_of(*op);
    used.add_mutants_of(*op);
  }
  print_words(p, used);
  print_object_types(p, ops);
  if (used.has_mutants()) print_mutant_declarations(p);
  p.print(
      "\n#ifdef OPWEAVE_SYMBOLS\n"
      "namespace opweave::symbols::rules {\n"
      "#else\n"
      "namespace opweave::rules {\n"
      "using Int = int64_t;\n"
      "#endif");
  print_rules(p, ops, shard.mutants);
  print_symbolic_table(p, ops);
  p.print("}  // namespace");
  return p.take();
}

}  // namespace

bool has_symbolic_rule(const Operator& op) {
  bool all = true;
  for_each_formula(*op.rule,
                   [&](const FormulaNode& formula) { all = all && is_over_symbols(formula); });
  return all;
}

std::string rule_parameters(const Operator& op) {
  const std::string parameters = definition_of(op).optional_parameter_list();
  return parameters + (parameters.empty() ? "" : ", ") + "[[maybe_unused]] ResultSpec* ow_results";
}

void emit_result_rules(Output& output) { output.each_shard(print_shard); }

}  // namespace opweave::codegen

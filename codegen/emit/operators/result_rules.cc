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

// Of an expression, whose operands broadcast; what else it requires is of dtypes.
bool is_pointwise(const Operator& op) {
  return op.is_expr() && op.forms->form == Form::functional && op.rule == nullptr;
}

// The text is compiled twice: for numbers, and for symbols by whom OPWEAVE_SYMBOLS is defined.
void print_words(Printer& p, const UsedOperators& used) {
  p.print(
      "#include <limits>\n"
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

// Views of numbers are made where their kernels are.
void print_views(Printer& p, const std::vector<const Operator*>& views, const Mutants& mutants) {
  for (const Operator* op : views) {
    const std::string make =
        "ow_results[0].set_view(" + definition_of(*op).parameters[0].name + ", ";
    p.print({{"id", op->name.identifier}, {"params", over_int(rule_parameters(*op))}},
            "void $id$($params$) {");
    print_view_body(p, *op, make, mutants, "Int");
    p.print("}");
  }
}

// By which rules over symbols are found. Pointwise operators have one rule.
void print_symbolic_table(Printer& p, const std::vector<const Operator*>& ops) {
  p.print("const symbolic::SymbolicRule ow_rules[] = {");
  for (const Operator* op : ops) {
    const bool pointwise = is_pointwise(*op);
    const std::string boxed = "symbolic::Boxed<&" + op->name.identifier + ">::call";
    p.print({{"name", quoted(op->name.full)},
             {"results", std::to_string(pointwise ? 1 : op->rule->outputs.size())},
             {"function", pointwise ? "symbolic::pointwise" : boxed}},
            "  {$name$, $results$, &$function$},");
  }
  p.print("};\nconst symbolic::SymbolicRules ow_registered(ow_rules);");
}

// What there is for symbols alone.
void print_symbolic(Printer& p, const Shard& shard, const std::vector<const Operator*>& ops) {
  std::vector<const Operator*> views, all = ops;
  std::erase_if(all, [](const Operator* op) { return !has_symbolic_rule(*op); });
  for (const Operator* op : shard.ops) {
    const bool view = has_view_function(*op) && has_symbolic_rule(*op);
    if (view) views.push_back(op);
    if (view || is_pointwise(*op)) all.push_back(op);
  }
  if (all.empty()) return;
  p.print("#ifdef OPWEAVE_SYMBOLS");
  print_views(p, views, shard.mutants);
  print_symbolic_table(p, all);
  p.print("#endif");
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
  print_symbolic(p, shard, ops);
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

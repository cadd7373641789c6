// Batching rules: how every operator runs under vmap. Composite operators need none: the operators
// that they call have theirs.
#include <algorithm>

#include "codegen/emit/declarations.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/operator_records.h"
#include "codegen/emit/output_table.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/rules.h"
#include "codegen/model/operators/roles.h"

namespace opweave::codegen {
namespace {

bool has_role(const Operator& op) {
  return std::ranges::any_of(op.schema.arguments,
                             [&](const Argument& a) { return speaks_of_dims(op, a); });
}

// The name of the BatchRule; empty for an operator that is left to those it is made of.
std::string_view rule_of(const Operator& op) {
  switch (op.batching) {
    case Batching::pointwise:
      return "kPointwise";
    case Batching::same:
    case Batching::batch:
      return "kLeadingDims";
    case Batching::loop:
      return "kLoop";
    case Batching::sized:
      return "kDims";
    case Batching::none:
    case Batching::example:
      return "";
    case Batching::automatic:
      break;
  }
  if (op.is_expr()) return "kPointwise";
  if (has_tag(op, "random") && op.has_hardware_kernel()) return "kRandom";
  if (counts_dimensions(op) && has_role(op)) return "kDims";
  return op.has_hardware_kernel() && !op.tensor_arguments().empty() ? "kLoop" : "";
}

void print_rule(Printer& p, const Operator& op, std::string_view rule) {
  std::string fields;
  if (op.batching == Batching::batch) {
    fields += ", .kernel = reinterpret_cast<AnyKernel>(&" + op.identifier + "_batched)";
  }
  p.print({{"id", op.identifier}, {"rule", rule}, {"fields", fields}},
          "      {.op = &ops::$id$::entry, .rule = BatchRule::$rule$$fields$},");
}

std::string print_shard(const Shard& shard) {
  const std::vector<const Operator*>& ops = shard.ops;
  Printer p;
  print_banner(p, "How one shard of the operators runs under vmap.");
  UsedOperators used;
  for (const Operator* op : ops) {
    if (op->batching_formula == nullptr && rule_of(*op).empty()) continue;
    used.add(*op);
    if (op->batching_formula == nullptr) continue;
    used.add_mutants_of(*op);
    used.add_calls_of(*op->batching_formula);
  }
  print_declaration_includes(p);
  p.raw(include_lines({"runtime/batching/rules.h", "runtime/dispatch/operator.h"}));
  print_declarations(p, used);
  p.print("\nnamespace opweave {\n");
  for (const Operator* op : ops) {
    if (op->batching_formula) print_formula_function(p, *op, *op->batching_formula, "_batched");
  }
  p.print({{"function", shard.registers}},
          "\nvoid $function$() {\n"
          "  static const std::vector<BatchRuleDef> rules{");
  for (const Operator* op : ops) {
    if (const std::string_view rule = rule_of(*op); !rule.empty()) print_rule(p, *op, rule);
  }
  p.print("  };\n  register_batch_rules(rules);");
  for (const Operator* op : ops) {
    if (op->batching != Batching::example) continue;
    p.print({{"id", op->identifier}},
            "  ops::$id$::entry.set_kernel(batched_key(),\n"
            "                              reinterpret_cast<AnyKernel>(&$id$_batched));");
  }
  p.print("}\n\n}  // namespace opweave");
  return p.take();
}

}  // namespace

std::string_view batch_rule(const Operator& op) { return rule_of(op); }

void emit_batching_rules(Output& output) { output.each_shard(print_shard); }

}  // namespace opweave::codegen

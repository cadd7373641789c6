// Autocast rules: which operators compute in another dtype than they are given, as their entries
// say.
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"

namespace opweave::codegen {
namespace {

std::string_view policy_name(Autocast policy) {
  switch (policy) {
    case Autocast::none:
      return "kNone";
    case Autocast::lower_precision:
      return "kLowerPrecision";
    case Autocast::fp32:
      return "kFloat32";
    case Autocast::promote:
      return "kPromote";
    case Autocast::refused:
      return "kRefused";
  }
  return "";
}

void print_rule(Printer& p, const Operator& op) {
  p.print({{"id", op.name.identifier},
           {"cpu", policy_name(op.policies->autocast.cpu)},
           {"others", policy_name(op.policies->autocast.others)}},
          "      {&ops::$id$::entry, AutocastPolicy::$cpu$, AutocastPolicy::$others$},");
}

std::string print_shard(const Shard& shard) {
  Printer p;
  print_banner(p, "What one shard of the operators computes in under autocast.");
  UsedOperators used;
  for (const Operator* op : shard.ops) {
    if (op->policies->autocast.any()) used.add(*op);
  }
  print_declaration_includes(p);
  p.raw(include_lines({"runtime/autocast/rules.h", "runtime/dispatch/operator.h"}));
  print_declarations(p, used);
  p.print({{"function", shard.registers}},
          "\nnamespace opweave {\n\nvoid $function$() {\n"
          "  static const std::vector<AutocastRuleDef> rules{");
  for (const Operator* op : shard.ops) {
    if (op->policies->autocast.any()) print_rule(p, *op);
  }
  p.print("  };\n  register_autocast_rules(rules);\n}\n\n}  // namespace opweave");
  return p.take();
}

}  // namespace

void emit_autocast_rules(Output& output) { output.each_shard(print_shard); }

}  // namespace opweave::codegen

// Batching rules: how every operator runs under vmap. Composite operators need none: the operators
// that they call have theirs.
#include <algorithm>

#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/formulas/rules.h"
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

// The name of the BatchRule; empty for an operator that is left to those it is made of.
std::string_view rule_of(const Operator& op) {
  constexpr std::string_view kNames[] = {"",      "kPointwise", "kLeadingDims",
                                         "kDims", "kLoop",      "kRandom"};
  return kNames[static_cast<size_t>(op.lowered->batching.rule)];
}

std::string requirements(const Operator& op, const Signature& s) {
  CommaList arguments;
  for (const Parameter& parameter : s.parameters) arguments.add(parameter.name);
  return "ResultSpec specs[" + std::to_string(std::max<size_t>(op.schema.returns.size(), 1)) +
         "];\n  rules::" + op.name.identifier + "(" + arguments.text() + ", specs);";
}

// An example is what a batched tensor looks like: its sizes are those that the rule asks for.
void print_check(Printer& p, const Operator& op) {
  const Signature s = definition_of(op);
  p.print({{"result", s.result},
           {"id", op.name.identifier},
           {"params", s.parameter_list()},
           {"requirements", requirements(op, s)}},
          "static $result$ $id$_check($params$) {\n"
          "  $requirements$\n"
          "  return {};\n"
          "}");
}

// What a call of training updates beside its results.
std::string statistics_of(const Operator& op) {
  uint64_t positions = 0;
  for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
    if (op.policies->role(i) == Role::statistics) positions |= uint64_t{1} << i;
  }
  if (positions == 0) return "";
  return ", .training = " + std::to_string(op.policies->find_role(Role::training)) +
         ", .statistics = " + std::to_string(positions);
}

std::string numbers_of(BatchNumbers numbers) {
  constexpr std::string_view kNames[] = {"", "kFloats", "kOwn", "kApart"};
  const std::string name(kNames[static_cast<size_t>(numbers)]);
  return name.empty() ? "" : ", .numbers = NumberDtype::" + name;
}

void print_rule(Printer& p, const Operator& op, std::string_view rule) {
  std::string fields = numbers_of(op.lowered->batching.numbers);
  fields += statistics_of(op);
  if (op.policies->batching == Batching::batch) {
    fields += ", .kernel = reinterpret_cast<AnyKernel>(&" + op.name.identifier + "_batched)";
    if (op.lowered->batching.checks_example)
      fields += ", .check = reinterpret_cast<AnyKernel>(&" + op.name.identifier + "_check)";
  }
  p.print({{"id", op.name.identifier}, {"rule", rule}, {"fields", fields}},
          "      {.op = &ops::$id$::entry, .rule = BatchRule::$rule$$fields$},");
}

// The formula of an example, behind what the operator requires of one.
void print_example(Printer& p, const Operator& op) {
  const Signature s = definition_of(op);
  p.print({{"result", s.result},
           {"id", op.name.identifier},
           {"params", s.parameter_list()},
           {"requirements", requirements(op, s)},
           {"arguments", s.argument_list()}},
          "static $result$ $id$_example($params$) {\n"
          "  $requirements$\n"
          "  return $id$_batched($arguments$);\n"
          "}");
}

void print_formula(Printer& p, const Operator& op, const Mutants& mutants) {
  print_formula_function(p, op, *op.formulas->batching, "_batched", mutants);
  if (!op.lowered->batching.checks_example) return;
  op.policies->batching == Batching::example ? print_example(p, op) : print_check(p, op);
}

void print_rule_declarations(Printer& p, const std::vector<const Operator*>& ops) {
  p.print("\nnamespace opweave::rules {");
  for (const Operator* op : ops) {
    if (op->lowered->batching.checks_example)
      p.print({{"id", op->name.identifier}, {"params", rule_parameters(*op)}},
              "void $id$($params$);");
  }
  p.print("}  // namespace opweave::rules");
}

std::string print_shard(const Shard& shard) {
  const std::vector<const Operator*>& ops = shard.ops;
  Printer p;
  print_banner(p, "How one shard of the operators runs under vmap.");
  UsedOperators used(shard.mutants);
  for (const Operator* op : ops) {
    if (op->formulas->batching == nullptr && rule_of(*op).empty()) continue;
    used.add(*op);
    if (op->formulas->batching == nullptr) continue;
    used.add_mutants_of(*op);
    used.add_calls_of(*op->formulas->batching);
  }
  print_declaration_includes(p);
  p.raw(include_lines(
      {"runtime/batching/rules.h", "runtime/dispatch/operator.h", "runtime/rules/result_spec.h"}));
  print_declarations(p, used);
  print_rule_declarations(p, ops);
  p.print("\nnamespace opweave {\n");
  for (const Operator* op : ops) {
    if (op->formulas->batching) print_formula(p, *op, shard.mutants);
  }
  p.print({{"function", shard.registers}},
          "\nvoid $function$() {\n"
          "  static const std::vector<BatchRuleDef> rules{");
  for (const Operator* op : ops) {
    if (const std::string_view rule = rule_of(*op); !rule.empty()) print_rule(p, *op, rule);
  }
  p.print("  };\n  register_batch_rules(rules);");
  for (const Operator* op : ops) {
    if (op->policies->batching != Batching::example) continue;
    p.print({{"id", op->name.identifier},
             {"kernel", op->lowered->batching.checks_example ? "example" : "batched"}},
            "  ops::$id$::entry.set_kernel(batched_key(),\n"
            "                              reinterpret_cast<AnyKernel>(&$id$_$kernel$));");
  }
  p.print("}\n\n}  // namespace opweave");
  return p.take();
}

}  // namespace

void emit_batching_rules(Output& output) { output.each_shard(print_shard); }

}  // namespace opweave::codegen

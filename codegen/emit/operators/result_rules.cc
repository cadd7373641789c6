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

namespace opweave::codegen {
namespace {

std::string print_shard(const Shard& shard) {
  std::vector<const Operator*> ops = shard.ops;
  std::erase_if(ops, [](const Operator* op) { return !op->lowered->hardware.has_rule; });
  Printer p;
  print_banner(p, "What one shard of the operators require and what their results look like.");
  p.print(
      "#include <limits>\n"
      "\n"
      "#include \"runtime/core/random/generator.h\"\n"
      "#include \"runtime/rules/functions.h\"\n"
      "#include \"runtime/rules/result_spec.h\"");
  UsedOperators used(shard.mutants);
  for (const Operator* op : ops) {
    used.add_rule_of(*op);
    used.add_mutants_of(*op);
  }
  p.raw(include_lines(used.helper_headers()));
  print_object_types(p, ops);
  if (used.has_mutants()) print_mutant_declarations(p);
  p.print("\nnamespace opweave::rules {\n");
  for (const Operator* op : ops) {
    p.print({{"id", op->name.identifier}, {"params", rule_parameters(*op)}},
            "void $id$($params$) {");
    print_rule_body(p, *op, shard.mutants);
    p.print("}\n");
  }
  p.print("}  // namespace opweave::rules");
  return p.take();
}

}  // namespace

std::string rule_parameters(const Operator& op) {
  const std::string parameters = definition_of(op).optional_parameter_list();
  return parameters + (parameters.empty() ? "" : ", ") + "[[maybe_unused]] ResultSpec* ow_results";
}

void emit_result_rules(Output& output) { output.each_shard(print_shard); }

}  // namespace opweave::codegen

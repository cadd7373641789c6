// Batching rules: how every operator runs under vmap. Composite operators need none: the operators
// that they call have theirs.
#include <algorithm>

#include "codegen/emit/declarations.h"
#include "codegen/emit/formula_printer.h"
#include "codegen/emit/output_table.h"
#include "codegen/emit/outputs.h"
#include "codegen/emit/rules.h"
#include "codegen/model/operators/roles.h"

namespace opweave::codegen {
namespace {

// The name of the ArgRole.
std::string_view role_name(Role role) {
  switch (role) {
    case Role::dim:
      return "kDim";
    case Role::dims_or_all:
      return "kDimsOrAll";
    case Role::order:
      return "kOrder";
    case Role::new_dim:
      return "kNewDim";
    case Role::sizes:
      return "kSize";
    default:
      return "kPlain";
  }
}

bool has_role(const Operator& op) {
  return std::ranges::any_of(op.roles, [](Role role) { return role_name(role) != "kPlain"; });
}

bool is_random(const Operator& op) {
  return std::find(op.tags.begin(), op.tags.end(), "random") != op.tags.end();
}

// Whether a call draws: for vmap to know, also of operators that are made of others.
bool draws(const Operator& op) { return is_random(op) && op.form != Form::out; }

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
  if (is_random(op) && op.has_hardware_kernel()) return "kRandom";
  if (counts_dimensions(op) && has_role(op)) return "kDims";
  return op.has_hardware_kernel() && !op.tensor_arguments().empty() ? "kLoop" : "";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void print_lists(Printer& p, const Operator& op, std::string_view rule) {
  if (rule == "kDims") {
    std::vector<std::string> roles;
    for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
      roles.push_back("ArgRole::" + std::string(role_name(op.role(i))));
    }
    p.print({{"id", op.identifier}, {"roles", joined(roles)}},
            "static constexpr ArgRole $id$_roles[] = {$roles$};");
  }
  if (op.mutated.empty()) return;
  std::vector<std::string> written;
  for (uint16_t i : op.mutated) written.push_back(std::to_string(i));
  p.print({{"id", op.identifier}, {"written", joined(written)}},
          "static constexpr int $id$_written[] = {$written$};");
}

void print_rule(Printer& p, const Operator& op, std::string_view rule) {
  const std::string& id = op.identifier;
  std::string fields;
  if (rule == "kDims") fields += ", .roles = " + id + "_roles";
  if (op.batching == Batching::batch) {
    fields += ", .kernel = reinterpret_cast<AnyKernel>(&" + id + "_batched)";
  }
  if (!op.mutated.empty()) fields += ", .written = " + id + "_written";
  if (draws(op)) {
    fields += ", .random = true";
    const int train = op.find_role(Role::training), p = op.find_role(Role::probability);
    if (train >= 0) fields += ", .train = " + std::to_string(train);
    if (train >= 0 && p >= 0) fields += ", .p = " + std::to_string(p);
  }
  p.print({{"name", quoted(op.full_name)}, {"rule", rule}, {"fields", fields}},
          "      {.op = $name$, .rule = BatchRule::$rule$$fields$},");
}

// With kNone for those that only draw; empty where there is nothing to say.
std::string_view printed_rule(const Operator& op) {
  const std::string_view rule = rule_of(op);
  return rule.empty() && draws(op) ? "kNone" : rule;
}

std::string print_shard(const Shard& shard) {
  const std::vector<const Operator*>& ops = shard.ops;
  Printer p;
  print_banner(p, "How one shard of the operators runs under vmap.");
  UsedOperators used;
  for (const Operator* op : ops) {
    if (op->batching_formula == nullptr) continue;
    used.add(*op);
    used.add_mutants_of(*op);
    used.add_calls_of(*op->batching_formula);
  }
  print_declaration_includes(p);
  p.raw(include_lines({"runtime/batching/rules.h", "runtime/dispatch/operator.h"}));
  print_declarations(p, used);
  p.print("\nnamespace opweave {\n");
  for (const Operator* op : ops) {
    if (op->batching_formula) print_formula_function(p, *op, *op->batching_formula, "_batched");
    if (const std::string_view rule = printed_rule(*op); !rule.empty()) print_lists(p, *op, rule);
  }
  p.print({{"function", shard.registers}},
          "\nvoid $function$() {\n"
          "  static const std::vector<BatchRuleDef> rules{");
  for (const Operator* op : ops) {
    if (const std::string_view rule = printed_rule(*op); !rule.empty()) print_rule(p, *op, rule);
  }
  p.print("  };\n  register_batch_rules(rules);");
  for (const Operator* op : ops) {
    if (op->batching != Batching::example) continue;
    p.print({{"id", op->identifier}},
            "  ops::$id$::entry.set_kernel(DispatchKey::kBatched,\n"
            "                              reinterpret_cast<AnyKernel>(&$id$_batched));");
  }
  p.print("}\n\n}  // namespace opweave");
  return p.take();
}

}  // namespace

std::string_view batch_rule(const Operator& op) { return rule_of(op); }

void emit_batching_rules(Output& output) { output.each_shard(print_shard); }

}  // namespace opweave::codegen

// Forward rules: how every operator computes the tangents of its results. Composite operators need
// none: the operators that they call have theirs.
#include <algorithm>

#include "codegen/emit/formulas/formula_printer.h"
#include "codegen/emit/operators/declarations.h"
#include "codegen/emit/output/output_table.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

// The name of the ForwardRule; empty for an operator without one.
std::string_view rule_of(const Operator& op) {
  switch (op.lowered->forward.way) {
    case ForwardWay::none:
      return "";
    case ForwardWay::formula:
    case ForwardWay::elementwise:
      return "kFormula";
    case ForwardWay::linear:
      return "kLinear";
    case ForwardWay::reverse:
      return "kReverse";
    case ForwardWay::zero:
      return "kZero";
    case ForwardWay::lost:
      return "kLost";
    case ForwardWay::out:
      return "kOut";
  }
  return "";
}

// The mutants of a sum, each in the place of the whole.
std::vector<std::pair<const Mutant*, TangentSum>> mutants_of(const Operator& op,
                                                             const TangentSum& sum,
                                                             const Mutants& mutants) {
  std::vector<std::pair<const Mutant*, TangentSum>> found;
  for (const Mutant& mutant : mutants.of(op)) {
    if (sum.written == nullptr || mutant.of_formula != sum.written) continue;
    found.push_back({&mutant, {sum.output, forward_terms(*mutant.formula), mutant.formula}});
  }
  return found;
}

class RulePrinter {
 public:
  RulePrinter(Printer& p, const Operator& op, const Mutants& mutants)
      : p_(p), op_(op), mutants_(mutants), s_(definition_of(op)) {}

  void print() {
    const std::vector<TangentSum>& sums = op_.lowered->forward.sums;
    p_.print({{"id", op_.name.identifier}, {"call", sums.empty() ? "" : " call_"}},
             "static void $id$_forward(ForwardCall&$call$) {");
    {
      Indented in(p_);
      for (uint16_t i = 0; i < s_.parameters.size(); ++i) {
        if (std::ranges::any_of(sums, [&](const TangentSum& sum) { return reads(sum, i); }))
          print_argument(i);
      }
      for (const TangentSum& sum : sums) print_with_mutants(sum);
    }
    p_.print("}");
  }

 private:
  bool reads(const TangentSum& sum, uint16_t argument) const {
    return sum.reads_argument(argument) ||
           std::ranges::any_of(mutants_of(op_, sum, mutants_), [&](const auto& mutant) {
             return mutant.second.reads_argument(argument);
           });
  }

  void print_argument(uint16_t i) {
    p_.print({{"name", s_.parameters[i].name},
              {"type", s_.parameters[i].type},
              {"i", std::to_string(i)}},
             "const auto& $name$ = call_.argument<$type$>($i$);");
  }

  void print_with_mutants(const TangentSum& sum) {
    const auto mutants = mutants_of(op_, sum, mutants_);
    for (const auto& [mutant, mutated] : mutants) {
      p_.print({{"id", std::to_string(mutant->id)}}, "if (OW_MUTANT($id$)) {");
      print_block(mutated);
      p_.print("} else");
    }
    if (mutants.empty()) return print_terms(sum);
    p_.print("{");
    print_block(sum);
    p_.print("}");
  }

  void print_block(const TangentSum& sum) {
    Indented in(p_);
    print_terms(sum);
  }

  void print_terms(const TangentSum& sum) {
    for (const ForwardFormula::Term& term : sum.terms) print_term(sum.output, term);
  }

  void print_term(uint16_t output, const ForwardFormula::Term& term) {
    std::string condition;
    for (uint16_t i : term.tangents) {
      condition += (condition.empty() ? "" : " || ") + ("call_.has(" + std::to_string(i) + ")");
    }
    p_.print({{"condition", condition}}, "if ($condition$) {");
    {
      Indented in(p_);
      for (uint16_t i : term.tangents) {
        const bool list = op_.schema.arguments[i].type.is_tensor_list();
        p_.print({{"name", s_.parameters[i].name},
                  {"function", list ? "tangent_list" : "tangent"},
                  {"i", std::to_string(i)}},
                 "const auto $name$_t_ = call_.$function$($i$);");
      }
      with_repeated(p_, *term.formula, names_of(term), [&](const FormulaNames& names) {
        p_.print({{"output", std::to_string(output)},
                  {"term", formula_expression(*term.formula, names)}},
                 "call_.add($output$, $term$);");
      });
    }
    p_.print("}");
  }

  FormulaNames names_of(const ForwardFormula::Term& term) const {
    FormulaNames names;
    names.op = &op_;
    names.argument = [this](uint16_t i) { return s_.parameters[i].name; };
    names.tangent = [this](uint16_t i) { return s_.parameters[i].name + "_t_"; };
    names.gradient = [this, &term](uint16_t) {
      return s_.parameters[term.tangents[0]].name + "_t_";
    };
    names.result = [this](uint16_t i) {
      const bool list = op_.schema.returns[i].type.is_tensor_list();
      return (list ? "call_.result_list(" : "call_.result(") + std::to_string(i) + ")";
    };
    return names;
  }

  Printer& p_;
  const Operator& op_;
  const Mutants& mutants_;
  const Signature s_;
};

std::string numbers(const std::vector<uint16_t>& list) {
  return comma_list(list, [](uint16_t i) { return std::to_string(i); });
}

void print_lists(Printer& p, const Operator& op) {
  const auto print = [&](const char* what, const std::vector<uint16_t>& list) {
    if (list.empty()) return;
    p.print({{"id", op.name.identifier}, {"what", what}, {"list", numbers(list)}},
            "static constexpr int $id$_$what$[] = {$list$};");
  };
  print("inputs", op.lowered->forward.inputs);
  print("outputs", op.lowered->forward.outputs);
  print("refused", op.lowered->recording.refused);
}

void print_rule(Printer& p, const Operator& op, std::string_view rule) {
  const ForwardPass& pass = op.lowered->forward;
  const Operator& source = pass.by_functional ? *op.forms->functional : op;
  std::string fields;
  if (pass.by_functional) fields += ", .by_functional = true";
  if (rule == "kFormula") fields += ", .formula = &" + source.name.identifier + "_forward";
  if (pass.way != ForwardWay::out) {
    if (!pass.inputs.empty()) fields += ", .inputs = " + op.name.identifier + "_inputs";
    if (!pass.outputs.empty()) fields += ", .outputs = " + op.name.identifier + "_outputs";
    if (!op.lowered->recording.refused.empty())
      fields += ", .refused = " + op.name.identifier + "_refused";
    if (op.is_view() || source.is_view()) fields += ", .view = true";
    if (pass.reads_written) fields += ", .reads_written = true";
  }
  p.print({{"id", op.name.identifier}, {"rule", rule}, {"fields", fields}},
          "      {.op = &ops::$id$::entry, .rule = ForwardRule::$rule$$fields$},");
}

bool has_formula(const Operator& op) {
  return rule_of(op) == "kFormula" && !op.lowered->forward.by_functional;
}

void add_calls_of(const Operator& op, const Mutants& mutants, UsedOperators& used) {
  for (const TangentSum& sum : op.lowered->forward.sums) {
    for (const ForwardFormula::Term& term : sum.terms) used.add_calls_of(*term.formula);
    if (!mutants_of(op, sum, mutants).empty()) used.add_mutants_of(op);
  }
}

std::string print_shard(const Model& model, const Shard& shard) {
  const auto ops = model.has_gradients() ? shard.ops : std::vector<const Operator*>();
  Printer p;
  print_banner(p, "How one shard of the operators is differentiated forwards.");
  UsedOperators used(shard.mutants);
  for (const Operator* op : ops) {
    if (!rule_of(*op).empty()) used.add(*op);
    if (!has_formula(*op)) continue;
    add_calls_of(*op, shard.mutants, used);
  }
  print_declaration_includes(p);
  p.raw(include_lines({"runtime/autograd/stored.h", "runtime/forward/forward_call.h"}));
  print_declarations(p, used);
  p.print("\nnamespace opweave {\n");
  for (const Operator* op : ops) {
    if (has_formula(*op)) RulePrinter(p, *op, shard.mutants).print();
    const std::string_view rule = rule_of(*op);
    if (!rule.empty() && rule != "kOut") print_lists(p, *op);
  }
  p.print({{"function", shard.registers}},
          "\nvoid $function$() {\n"
          "  static const std::vector<ForwardRuleDef> rules{");
  for (const Operator* op : ops) {
    if (const std::string_view rule = rule_of(*op); !rule.empty()) print_rule(p, *op, rule);
  }
  p.print("  };\n  register_forward_rules(rules);\n}\n\n}  // namespace opweave");
  return p.take();
}

}  // namespace

void emit_forward_rules(Output& output) {
  output.each_shard([&](const Shard& shard) { return print_shard(output.model, shard); });
}

}  // namespace opweave::codegen

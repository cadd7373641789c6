// Forward rules: reading, checking, splitting into terms.
#include "codegen/model/forward/forward_rules.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/expr/element_conjugates.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/model/forward/forward_terms.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kLinear = "auto_linear", kElementwise = "auto_element_wise";

bool conjugates(const FormulaNode& node) {
  const auto conjugate = operator_of(*find_intrinsic(ElementOp::conj)).name;
  const bool calls = node.kind == FormulaKind::call && node.op->name.base == conjugate;
  const bool inside = node.kind == FormulaKind::call && node.op->is_expr() &&
                      has_conjugates(*node.op->elements->expr);
  return calls || inside || std::ranges::any_of(node.operands, [](const FormulaNode* operand) {
           return conjugates(*operand);
         });
}

// The output that a key names, or -1.
int output_named(const Schema& schema, std::string_view name) {
  for (size_t i = 0; i < schema.returns.size(); ++i) {
    const bool numbered = name == fmt::format("result{}", i);
    const bool only = schema.returns.size() == 1 && name == "result";
    if (numbered || only || schema.returns[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

bool ForwardRules::is_forward(const Operator& op, const DerivativeEntry::Line& line) const {
  if (line.arguments.size() != 1) return false;
  const std::string_view name = line.arguments[0].text;
  return op.schema.find_argument(name) < 0 && output_named(op.schema, name) >= 0;
}

void ForwardRules::add(const Operator& op, const DerivativeEntry& entry, Derivative& derivative) {
  const size_t errors_before = sink_.error_count();
  for (const DerivativeEntry::Line& line : entry.lines) {
    if (is_forward(op, line)) add_line(op, line, derivative);
  }
  if (sink_.error_count() == errors_before) check_all_given(op, entry, derivative);
}

void ForwardRules::add_line(const Operator& op, const DerivativeEntry::Line& line,
                            Derivative& derivative) {
  ForwardFormula formula;
  formula.span = line.arguments[0].whole();
  formula.output = static_cast<uint16_t>(output_named(op.schema, line.arguments[0].text));
  if (!check_output(op, line, derivative, formula.output)) return;
  if (line.formula.text == kLinear) {
    formula.kind = ForwardFormula::Kind::linear;
    if (!check_linear(op, line, derivative)) return;
  } else if (line.formula.text == kElementwise) {
    formula.kind = ForwardFormula::Kind::elementwise;
    if (!check_elementwise(op, line, derivative)) return;
  } else if (!read_formula(op, line, derivative, formula)) {
    return;
  }
  derivative.forward.push_back(std::move(formula));
}

bool ForwardRules::check_output(const Operator& op, const DerivativeEntry::Line& line,
                                const Derivative& derivative, uint16_t output) {
  const LocatedText& name = line.arguments[0];
  if (!derivative.differentiable_outputs[output]) {
    sink_
        .error(Code::bad_forward_rule, name.whole(),
               fmt::format("output '{}' of '{}' is not differentiable: it has no tangent",
                           name.text, op.name.full))
        .note(op.schema.returns[output].span, "it is declared here");
    return false;
  }
  const auto same = [&](const ForwardFormula& f) { return f.output == output; };
  if (std::ranges::none_of(derivative.forward, same)) return true;
  sink_.error(
      Code::duplicate_derivative, name.whole(),
      fmt::format("a second forward rule for output '{}' of '{}'", name.text, op.name.full));
  return false;
}

// The operator itself gives all tangents at once.
bool ForwardRules::check_linear(const Operator& op, const DerivativeEntry::Line& line,
                                const Derivative& derivative) {
  const auto& outputs = derivative.differentiable_outputs;
  if (std::ranges::count(outputs, true) == static_cast<ptrdiff_t>(outputs.size())) return true;
  sink_.error(
      Code::bad_forward_rule, line.formula.whole(),
      fmt::format("'{}' is not linear: not all of its outputs are differentiable", op.name.full));
  return false;
}

bool ForwardRules::check_elementwise(const Operator& op, const DerivativeEntry::Line& line,
                                     const Derivative& derivative) {
  if (op.schema.returns.size() != 1) {
    sink_.error(Code::bad_forward_rule, line.formula.whole(),
                fmt::format("'{}' has {} outputs: 'auto_element_wise' is for one", op.name.full,
                            op.schema.returns.size()));
    return false;
  }
  for (const DerivativeFormula& gradient : derivative.formulas) {
    const bool list = op.schema.arguments[gradient.inputs[0]].type.is_tensor_list();
    if (gradient.kind != DerivativeFormula::Kind::formula) continue;
    if (conjugates(*gradient.formula)) {
      sink_
          .error(Code::bad_forward_rule, line.formula.whole(),
                 fmt::format("'auto_element_wise' puts the tangent of '{0}' for 'grad' into its "
                             "gradient, which conjugates: the tangent of '{1}' is not that",
                             op.schema.arguments[gradient.inputs[0]].name, op.name.full))
          .note({}, "write the rule as a sum over tangents: 'self_t * ...'");
      return false;
    }
    if (gradient.inputs.size() == 1 && !list) continue;
    sink_.error(Code::bad_forward_rule, line.formula.whole(),
                fmt::format("'auto_element_wise' puts the tangent of '{0}' for 'grad' into its "
                            "gradient, which '{1}' computes together with others",
                            op.schema.arguments[gradient.inputs[0]].name, op.name.full));
    return false;
  }
  return true;
}

bool ForwardRules::read_formula(const Operator& op, const DerivativeEntry::Line& line,
                                const Derivative& derivative, ForwardFormula& formula) {
  const Context context(sink_, op.origin.span,
                        fmt::format("in the forward rule of '{}'", op.name.full));
  const SyntaxNode* syntax = parse_expression(line.formula, storage_.syntax, sink_);
  if (!syntax) return false;
  Type wanted;
  wanted.list = op.schema.returns[formula.output].type.list;
  const FormulaScope scope{
      .schema = &op.schema, .is_forward = true, .is_complex = op.dtypes->takes_complex()};
  formula.formula =
      check_formula(*syntax, scope, {&wanted, 1}, storage_.formulas, environment_, sink_);
  if (formula.formula == nullptr) return false;
  formula.terms = forward_terms(*formula.formula);
  if (!check_terms(formula.terms, op, derivative, sink_)) return false;
  if (storage_.keeps_written) {
    storage_.written.push_back({&op,
                                "tangent of " + result_name(op.schema, formula.output),
                                formula.formula,
                                syntax,
                                scope,
                                {wanted}});
  }
  return true;
}

void ForwardRules::check_all_given(const Operator& op, const DerivativeEntry& entry,
                                   const Derivative& derivative) {
  if (derivative.forward.empty()) return;
  for (uint16_t i = 0; i < derivative.differentiable_outputs.size(); ++i) {
    if (!derivative.differentiable_outputs[i]) continue;
    const auto same = [&](const ForwardFormula& f) { return f.output == i; };
    if (std::ranges::any_of(derivative.forward, same)) continue;
    sink_
        .error(Code::missing_derivative, entry.name.whole(),
               fmt::format("the entry for '{}' has forward rules, but none for output '{}'",
                           op.name.full, result_name(op.schema, i)))
        .note(op.schema.returns[i].span, "it is declared here");
  }
}

}  // namespace opweave::codegen

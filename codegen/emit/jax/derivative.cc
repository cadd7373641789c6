// How operators are differentiated: their formulas in Python, and what those read.
#include <algorithm>

#include "codegen/emit/extension/operators.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/output/outputs.h"
#include "codegen/emit/text/comma_list.h"
#include "codegen/expr/element_walk.h"
#include "codegen/model/lowered/lowered.h"

namespace opweave::codegen {
namespace {

std::string numbers(const std::vector<uint16_t>& places) {
  return "[" + comma_list(places, [](uint16_t i) { return std::to_string(i); }) + "]";
}

std::vector<uint16_t> results_without_gradient(const BackwardPass& pass) {
  std::vector<uint16_t> places;
  for (uint16_t i = 0; i < pass.results.size(); ++i) {
    if (!pass.results[i]) places.push_back(i);
  }
  return places;
}

bool selects(const ElementNode& expression) {
  bool found = false;
  walk(expression, [&](const ElementNode& node) { found |= node.op == ElementOp::select; });
  return found;
}

// One that JAX differentiates and transposes. Not by cases: turned around, the factor of the case
// that is not taken, which may be infinite or NaN, is multiplied with a zero.
bool is_transposable(const Operator& op) {
  const JaxWay way = jax_way(op);
  return way == JaxWay::table || (way == JaxWay::expression && !selects(*op.elements->expr));
}

// Whether JAX can transpose its gradients by itself: they call no kernels.
bool turns_around(const Operator& op) {
  std::vector<const Operator*> calls;
  for (const FormulaNode* formula : op.lowered->backward->formulas()) add_called(*formula, calls);
  const auto is_turned = [](const Operator* call) { return is_transposable(*call); };
  return op.is_expr() && std::ranges::all_of(calls, is_turned);
}

bool is_printable(const FormulaNode& node) {
  const bool calls_composite =
      node.kind == FormulaKind::call && jax_way(*node.op) == JaxWay::composite;
  return node.kind != FormulaKind::function && jax_obstacle(node).empty() &&
         (!calls_composite || is_printable(*node.op->formulas->composite)) &&
         std::ranges::all_of(node.operands, [](const auto* part) { return is_printable(*part); });
}

std::string quoted_names(const Operator& op, const std::vector<uint16_t>& arguments) {
  return comma_list(arguments, [&](uint16_t i) { return quoted(jax_name(op, i)); });
}

void print_step(Printer& p, const Operator& op, const BackwardPass::Step& step) {
  const std::string inputs = quoted_names(op, step.arguments);
  if (step.is_zeros())
    return p.print({{"id", op.name.identifier}, {"input", inputs}},
                   "\n\nop_$id$.gradient($input$)(lambda a, g, r: None)");
  p.print({{"id", op.name.identifier},
           {"inputs", inputs},
           {"formula", jax_formula(*step.formula, jax_names_in_formulas(op))}},
          "\n\n@op_$id$.gradient($inputs$)\n"
          "def _(a, g, r):\n"
          "    return $formula$");
}

void print_tangent(Printer& p, const Operator& op, const TangentSum& sum) {
  for (const ForwardFormula::Term& term : sum.terms)
    p.print({{"id", op.name.identifier},
             {"output", std::to_string(sum.output)},
             {"inputs", quoted_names(op, term.tangents)},
             {"formula", jax_formula(*term.formula, jax_names_in_formulas(op))}},
            "\n\n@op_$id$.tangent($output$, $inputs$)\n"
            "def _(a, t, r):\n"
            "    return $formula$");
}

void print_forward_mode(Printer& p, const Operator& op) {
  const ForwardPass& forward = op.lowered->forward;
  switch (forward.way) {
    case ForwardWay::formula:
      for (const TangentSum& sum : forward.sums) print_tangent(p, op, sum);
      break;
    case ForwardWay::elementwise:
      p.print({{"id", op.name.identifier}, {"way", turns_around(op) ? "True" : "False"}},
              "\n\nop_$id$.elementwise($way$)");
      break;
    case ForwardWay::linear:
      p.print({{"id", op.name.identifier}}, "\n\nop_$id$.linear()");
      break;
    default:
      break;  // two backward passes
  }
}

}  // namespace

// The core's have some that only Opweave can compute: then JAX differentiates the expression.
bool has_jax_formulas(const Operator& op) {
  if (op.lowered->backward == nullptr || !op.origin.imported)
    return op.lowered->backward != nullptr;
  return op.is_expr() &&
         std::ranges::all_of(op.lowered->formulas(),
                             [](const FormulaNode* formula) { return is_printable(*formula); });
}

std::string jax_reads(const Operator& op) {
  const ElementsRead& read = op.lowered->elements;
  const std::vector<uint16_t> constant = results_without_gradient(*op.lowered->backward);
  std::string text = "keeps=" + jax_names(op, read.arguments);
  if (!read.results.empty()) text += ", keeps_results=" + numbers(read.results);
  return constant.empty() ? text : text + ", constant_results=" + numbers(constant);
}

void print_jax_derivative(Printer& p, const Operator& op) {
  const BackwardPass& pass = *op.lowered->backward;
  for (const BackwardPass::Step& step : pass.steps) print_step(p, op, step);
  if (const auto refused = pass.refused(); !refused.empty())
    p.print({{"id", op.name.identifier}, {"inputs", quoted_names(op, refused)}},
            "\n\nop_$id$.refuse($inputs$)");
  print_forward_mode(p, op);
}

FormulaNames jax_names_in_formulas(const Operator& op) {
  const auto at = [](const char* list) {
    return [list](uint16_t i) { return list + std::string("[") + std::to_string(i) + "]"; };
  };
  FormulaNames names;
  names.op = &op;
  names.argument = [&op](uint16_t i) { return "a." + jax_name(op, i); };
  names.tangent = [&op](uint16_t i) { return "t." + jax_name(op, i); };
  names.gradient = at("g");
  names.result = at("r");
  return names;
}

}  // namespace opweave::codegen

// How operators are differentiated: their formulas in Python, and what those read.
#include <algorithm>
#include <set>

#include "codegen/emit/autograd_node.h"
#include "codegen/emit/comma_list.h"
#include "codegen/emit/extension/operators.h"
#include "codegen/emit/jax/face.h"
#include "codegen/emit/outputs.h"
#include "codegen/expr/element_walk.h"
#include "codegen/model/forward/forward_terms.h"

namespace opweave::codegen {
namespace {

using Places = std::set<uint16_t>;

// What formulas read of an operator's tensors and results: their elements, not their sizes alone.
class Reads {
 public:
  explicit Reads(const Operator& op) : op_(op) {
    for (const DerivativeFormula& formula : op.derivative->formulas) {
      if (formula.formula != nullptr) add(*formula.formula);
    }
    for (const ForwardFormula& forward : op.derivative->forward) {
      for (const ForwardFormula::Term& term : forward.terms) add(*term.formula);
    }
    if (forward_way(op) == ForwardWay::linear) add_what_never_moves();
  }

  const Places& arguments() const { return arguments_; }
  const Places& results() const { return results_; }

 private:
  // An operator that is run on tangents gets what has none as it is.
  void add_what_never_moves() {
    const auto inputs = differentiable_inputs(op_);
    for (const uint16_t i : op_.tensor_arguments()) {
      if (std::ranges::find(inputs, i, &DifferentiableInput::argument) == inputs.end())
        arguments_.insert(i);
    }
  }

  static const FormulaNode& subject(const FormulaNode& node) {
    const bool part = node.kind == FormulaKind::element || node.kind == FormulaKind::index;
    return part ? subject(node.operand(0)) : node;
  }

  void add(const FormulaNode& node) {
    if (node.kind == FormulaKind::argument &&
        op_.schema.arguments[node.index].type.is_tensor_like())
      arguments_.insert(node.index);
    if (node.kind == FormulaKind::result) results_.insert(node.index);
    const bool asks = node.kind == FormulaKind::property;
    const FormulaKind of = asks ? subject(node.operand(0)).kind : node.kind;
    const bool of_shape = asks && (of == FormulaKind::argument || of == FormulaKind::result);
    for (size_t i = of_shape ? 1 : 0; i < node.operands.size(); ++i) add(node.operand(i));
  }

  const Operator& op_;
  Places arguments_, results_;
};

std::string numbers(const Places& places) {
  return "[" + comma_list(places, [](uint16_t i) { return std::to_string(i); }) + "]";
}

Places results_without_gradient(const Operator& op) {
  Places places;
  for (uint16_t i = 0; i < op.schema.returns.size(); ++i) {
    if (!op.derivative->differentiable_outputs[i]) places.insert(i);
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
  return way == JaxWay::table || (way == JaxWay::expression && !selects(*op.expr));
}

// Whether JAX can transpose its gradients by itself: they call no kernels.
bool turns_around(const Operator& op) {
  std::vector<const Operator*> calls;
  for (const DerivativeFormula& formula : op.derivative->formulas) {
    if (formula.formula != nullptr) add_called(*formula.formula, calls);
  }
  const auto is_turned = [](const Operator* call) { return is_transposable(*call); };
  return op.is_expr() && std::ranges::all_of(calls, is_turned);
}

bool is_printable(const FormulaNode& node) {
  const bool calls_composite =
      node.kind == FormulaKind::call && jax_way(*node.op) == JaxWay::composite;
  return node.kind != FormulaKind::function && jax_obstacle(node).empty() &&
         (!calls_composite || is_printable(*node.op->composite)) &&
         std::ranges::all_of(node.operands, [](const auto* part) { return is_printable(*part); });
}

bool is_printable(const Derivative& derivative) {
  const auto of_gradient = [](const DerivativeFormula& formula) {
    return formula.formula == nullptr || is_printable(*formula.formula);
  };
  const auto of_tangent = [](const ForwardFormula& forward) {
    return std::ranges::all_of(forward.terms,
                               [](const auto& term) { return is_printable(*term.formula); });
  };
  return std::ranges::all_of(derivative.formulas, of_gradient) &&
         std::ranges::all_of(derivative.forward, of_tangent);
}

void print_gradient(Printer& p, const Operator& op, const DerivativeFormula& formula) {
  const auto name = [&](uint16_t i) { return quoted(jax_name(op, i)); };
  if (formula.refused)
    p.print({{"id", op.identifier}, {"inputs", comma_list(formula.inputs, name)}},
            "\n\nop_$id$.refuse($inputs$)");
  if (formula.kind == DerivativeFormula::Kind::non_differentiable) return;
  if (formula.kind == DerivativeFormula::Kind::zero) {
    for (const uint16_t i : formula.inputs)
      p.print({{"id", op.identifier}, {"input", name(i)}},
              "\n\nop_$id$.gradient($input$)(lambda a, g, r: None)");
    return;
  }
  p.print({{"id", op.identifier},
           {"inputs", comma_list(formula.inputs, name)},
           {"formula", jax_formula(*formula.formula, jax_names_in_formulas(op))}},
          "\n\n@op_$id$.gradient($inputs$)\n"
          "def _(a, g, r):\n"
          "    return $formula$");
}

void print_tangent(Printer& p, const Operator& op, const ForwardFormula& forward) {
  const auto name = [&](uint16_t i) { return quoted(jax_name(op, i)); };
  for (const ForwardFormula::Term& term : forward.terms)
    p.print({{"id", op.identifier},
             {"output", std::to_string(forward.output)},
             {"inputs", comma_list(term.tangents, name)},
             {"formula", jax_formula(*term.formula, jax_names_in_formulas(op))}},
            "\n\n@op_$id$.tangent($output$, $inputs$)\n"
            "def _(a, t, r):\n"
            "    return $formula$");
}

void print_forward_mode(Printer& p, const Operator& op) {
  switch (forward_way(op)) {
    case ForwardWay::formula:
      for (const ForwardFormula& forward : op.derivative->forward) print_tangent(p, op, forward);
      break;
    case ForwardWay::elementwise:
      p.print({{"id", op.identifier}, {"way", turns_around(op) ? "True" : "False"}},
              "\n\nop_$id$.elementwise($way$)");
      break;
    case ForwardWay::linear:
      p.print({{"id", op.identifier}}, "\n\nop_$id$.linear()");
      break;
    default:
      break;  // two backward passes
  }
}

}  // namespace

// The core's have some that only Opweave can compute: then JAX differentiates the expression.
bool has_jax_formulas(const Operator& op) {
  if (!op.imported) return op.derivative != nullptr;
  return op.is_expr() && op.derivative != nullptr && is_printable(*op.derivative);
}

std::string jax_reads(const Operator& op) {
  const Reads reads(op);
  const Places constant = results_without_gradient(op);
  std::string text = "keeps=" + jax_names(op, {reads.arguments().begin(), reads.arguments().end()});
  if (!reads.results().empty()) text += ", keeps_results=" + numbers(reads.results());
  return constant.empty() ? text : text + ", constant_results=" + numbers(constant);
}

void print_jax_derivative(Printer& p, const Operator& op) {
  for (const DerivativeFormula& formula : op.derivative->formulas) print_gradient(p, op, formula);
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

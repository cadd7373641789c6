// Equations of operators.
#include "codegen/math/operator_math.h"

#include <algorithm>
#include <optional>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_copy.h"
#include "codegen/expr/formula_checker.h"
#include "codegen/math/element_math.h"
#include "codegen/math/shared_values.h"
#include "codegen/model/forward/forward_terms.h"
#include "codegen/model/pointwise/formula_elements.h"

namespace opweave::codegen {
namespace {

using Kind = MathKind;

Math differential(Math of) { return make_math(Kind::differential, {std::move(of)}); }

Math argument_name(const Operator& op, uint16_t index) {
  if (index == kGradIndex) {
    Math grad = make_math(Kind::name, "grad");
    return op.schema.returns.size() > 1 ? make_math(Kind::index, {grad, math_number(0)}) : grad;
  }
  if (index == kResultIndex) return make_math(Kind::name, result_name(op.schema, 0));
  return math_name(op.schema.arguments[index].name);
}

// How often a tree has the gradient as a factor, if it is the same everywhere; zero fits any.
class GradDegree {
 public:
  std::optional<int> of(const ElementNode& node) const {
    switch (node.op) {
      case ElementOp::argument:
        return node.index == kGradIndex ? 1 : 0;
      case ElementOp::multiply:
        return combine(node, 1);
      case ElementOp::divide:
        return combine(node, -1);
      case ElementOp::negate:
        return of(node.operand(0));
      case ElementOp::add:
      case ElementOp::subtract:
        return same(node.operand(0), node.operand(1));
      case ElementOp::select:
        if (of(node.operand(0)) != 0) return {};
        return same(node.operand(1), node.operand(2));
      default:
        return constant(node);
    }
  }

 private:
  std::optional<int> combine(const ElementNode& node, int sign) const {
    const auto a = of(node.operand(0)), b = of(node.operand(1));
    if (!a || !b) return {};
    return *a + sign * *b;
  }
  std::optional<int> same(const ElementNode& a, const ElementNode& b) const {
    if (is_literal(a, 0)) return of(b);
    if (is_literal(b, 0) || of(a) == of(b)) return of(a);
    return {};
  }
  std::optional<int> constant(const ElementNode& node) const {
    for (const ElementNode* operand : node.operands) {
      if (of(*operand) != 0) return {};
    }
    return 0;
  }
};

class OperatorMath {
 public:
  explicit OperatorMath(const Operator& op) : op_(op) {}
  // With a name of its own for the gradient.
  OperatorMath(const Operator& op, Math grad) : op_(op), grad_(std::move(grad)) {}

  Math value() {
    if (op_.is_expr()) return elements(Tidy::no).write(*op_.elements->expr);
    return op_.formulas->composite ? formula(*op_.formulas->composite) : nullptr;
  }

  Math formula(const FormulaNode& node) {
    switch (node.kind) {
      case FormulaKind::call:
      case FormulaKind::argument:
      case FormulaKind::gradient:
      case FormulaKind::result:
      case FormulaKind::constant:
      case FormulaKind::unary:
      case FormulaKind::binary:
      case FormulaKind::conditional:
      case FormulaKind::property:
        return pointwise(node, [&](const ElementNode& tree) { return &tree; });
      default:
        return opaque(node);
    }
  }

  // The derivative alone if the formula is that times the gradient; else null.
  Math factor_of_gradient(const FormulaNode& node) {
    FormulaElements elements(arena_, op_.schema, FormulaElements::Depth::shallow);
    const ElementNode* tree = elements.convert(node);
    if (!elements.opaque().empty() && !is_constant(elements.opaque())) return nullptr;
    if (GradDegree().of(*tree) != 1) return nullptr;
    return pointwise(node, [&](const ElementNode& whole) { return without_grad(whole); });
  }

 private:
  template <typename Change>
  Math pointwise(const FormulaNode& node, Change change) {
    FormulaElements converter(arena_, op_.schema, FormulaElements::Depth::shallow);
    const ElementNode* tree = change(*converter.convert(node));
    const std::vector<const FormulaNode*> opaque = converter.opaque();
    const ElementMath::Names names = [&](uint16_t index) {
      const bool is_opaque = index >= kFirstOpaque && index < kGradIndex;
      return is_opaque ? this->opaque(*opaque[index - kFirstOpaque]) : leaf(index);
    };
    return ElementMath(names, Tidy::yes).write(*tree);
  }

  Math leaf(uint16_t index) const {
    return index == kGradIndex && grad_ ? grad_ : argument_name(op_, index);
  }

  // With 1 for the gradient, and the expression itself for the result.
  const ElementNode* without_grad(const ElementNode& tree) {
    ElementCopier copier(arena_, Simplify::yes);
    copier.replace(kGradIndex, arena_.literal(1, false));
    if (op_.is_expr()) {
      const ElementNode* value = ElementCopier(arena_, Simplify::no).copy(*op_.elements->expr);
      copier.replace(kResultIndex, value);
    }
    return copier.copy(tree);
  }

  // Calls of pointwise operators that are kept by their names leave a formula pointwise.
  static bool is_constant(const std::vector<const FormulaNode*>& opaque) {
    return std::ranges::all_of(opaque, [](const FormulaNode* node) {
      return node->kind == FormulaKind::call && node->op->is_expr() && !reads_gradient(*node);
    });
  }
  static bool reads_gradient(const FormulaNode& node) {
    return node.kind == FormulaKind::gradient ||
           std::ranges::any_of(node.operands,
                               [](const FormulaNode* operand) { return reads_gradient(*operand); });
  }

  ElementMath elements(Tidy tidy) {
    return ElementMath([this](uint16_t index) { return argument_name(op_, index); }, tidy);
  }

  std::vector<Math> all(const FormulaNode& node) {
    std::vector<Math> parts;
    for (const FormulaNode* operand : node.operands) parts.push_back(formula(*operand));
    return parts;
  }

  Math call(const FormulaNode& node) {
    std::vector<Math> parts{make_math(Kind::name, node.op->name.base)};
    bool left_out = false;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const FormulaNode& operand = node.operand(i);
      const Argument& argument = node.op->schema.arguments[i];
      if (operand.is_default) {
        left_out = true;
        continue;
      }
      Math value = formula(operand);
      if (left_out || argument.keyword_only)
        value = make_math(Kind::keyword, argument.name, {std::move(value)});
      parts.push_back(std::move(value));
    }
    return make_math(Kind::call, std::move(parts));
  }

  Math constant(const Constant& value) {
    switch (value.kind) {
      case Constant::Kind::none:
        return make_math(Kind::words, "none");
      case Constant::Kind::string:
        return make_math(Kind::quote, value.string);
      default:
        return make_math(Kind::words, value.text);
    }
  }

  Math opaque(const FormulaNode& node) {
    switch (node.kind) {
      case FormulaKind::call:
        return call(node);
      case FormulaKind::constant:
        return constant(*node.constant);
      case FormulaKind::argument:
        return argument_name(op_, node.index);
      case FormulaKind::tangent:
        return differential(argument_name(op_, node.index));
      case FormulaKind::gradient:
        if (grad_) return grad_;
        if (node.type.list) return make_math(Kind::name, "grads");
        return make_math(Kind::index, {make_math(Kind::name, "grad"), math_number(node.index)});
      case FormulaKind::result:
        return make_math(Kind::name, result_name(op_.schema, node.index));
      case FormulaKind::grad_input_mask:
        return make_math(Kind::name, "grad_input_mask");
      case FormulaKind::property:
        return make_math(Kind::access, std::string(property_name(node.property)), all(node));
      case FormulaKind::function: {
        std::vector<Math> parts = all(node);
        parts.insert(parts.begin(), make_math(Kind::name, node.function->base_name));
        return make_math(Kind::call, std::move(parts));
      }
      case FormulaKind::local:
        return named(op_.rule->locals, node.index);
      case FormulaKind::named:
        return named(op_.formulas->parts, node.index);
      case FormulaKind::list:
        return make_math(Kind::list, all(node));
      case FormulaKind::tuple:
        return make_math(Kind::tuple, all(node));
      case FormulaKind::element:
        return make_math(Kind::index, {formula(node.operand(0)), math_number(node.index)});
      case FormulaKind::index:
        return make_math(Kind::index, all(node));
      case FormulaKind::convert:
        return formula(node.operand(0));
      case FormulaKind::conditional: {
        std::vector<Math> parts = all(node);
        return make_math(Kind::cases, {parts[1], parts[0], parts[2]});
      }
      default:
        return make_math(Kind::infix, std::string(node.symbol), all(node));
    }
  }

  // Written out where it is read, if that is one place: else its length would grow with every name
  // that reads another one twice.
  Math named(const std::vector<FormulaLocal>& locals, size_t local) {
    const FormulaLocal& value = locals[local];
    return is_shared(op_, local) ? make_math(Kind::name, std::string(value.name))
                                 : formula(*value.value);
  }

  const Operator& op_;
  Math grad_;  // null: as gradients are called
  ElementArena arena_;
};

// `name` gives what stands for an argument.
template <typename Name>
Math call_of_itself(const Operator& op, Name name) {
  std::vector<Math> parts{make_math(Kind::name, op.name.base)};
  for (uint16_t i = 0; i < op.schema.arguments.size(); ++i) {
    const Argument& argument = op.schema.arguments[i];
    const bool named = argument.type.is_tensor_like() || !argument.default_value;
    if (named) parts.push_back(name(i));
  }
  return make_math(Kind::call, std::move(parts));
}

Math call_of_itself(const Operator& op) {
  return call_of_itself(op, [&](uint16_t i) { return math_name(op.schema.arguments[i].name); });
}

// The name of what a formula for this input computes, where it is no derivative of one number by
// another.
Math gradient_name(const Operator& op, const std::vector<uint16_t>& inputs) {
  std::vector<Math> names;
  for (uint16_t input : inputs)
    names.push_back(make_math(Kind::name, "grad_" + op.schema.arguments[input].name));
  return names.size() == 1 ? names[0] : make_math(Kind::tuple, std::move(names));
}

GradientMath equation_of(const Operator& op, const DerivativeFormula& formula) {
  OperatorMath math(op);
  const bool single = formula.inputs.size() == 1 && op.schema.returns.size() == 1;
  // A gradient that conjugates has no derivative as a factor.
  if (single && op.is_expr() && !op.gradient->derivative->conjugates) {
    if (Math factor = math.factor_of_gradient(*formula.formula)) {
      Math quotient = make_math(Kind::partial, {make_math(Kind::name, op.name.base),
                                                argument_name(op, formula.inputs[0])});
      return {formula.inputs, make_math(Kind::equals, {quotient, factor})};
    }
  }
  return {formula.inputs, make_math(Kind::equals, {gradient_name(op, formula.inputs),
                                                   math.formula(*formula.formula)})};
}

Math sum_of(std::vector<Math> terms) {
  std::vector<Math> flat;
  for (Math& term : terms) {
    if (term->kind == Kind::sum) {
      flat.insert(flat.end(), term->parts.begin(), term->parts.end());
    } else {
      flat.push_back(std::move(term));
    }
  }
  return flat.size() == 1 ? flat[0] : make_math(Kind::sum, std::move(flat));
}

// The tangents of the result, where each gradient is a factor of its input's.
Math elementwise_tangent(const Operator& op) {
  std::vector<Math> terms;
  for (const DerivativeFormula& gradient : op.gradient->derivative->formulas) {
    if (gradient.formula == nullptr) continue;
    OperatorMath math(op, differential(argument_name(op, gradient.inputs[0])));
    terms.push_back(math.formula(*gradient.formula));
  }
  return sum_of(std::move(terms));
}

Math linear_tangent(const Operator& op) {
  return call_of_itself(op, [&](uint16_t i) {
    const DerivativeFormula* gradient = op.gradient->derivative->formula_of(i);
    const bool moves = gradient && gradient->kind != DerivativeFormula::Kind::non_differentiable;
    Math name = argument_name(op, i);
    return moves ? differential(std::move(name)) : name;
  });
}

Math tangent_name(const Operator& op, uint16_t output) {
  return differential(make_math(Kind::name, result_name(op.schema, output)));
}

// Of all results at once, where a linear operator has several.
Math tangent_names(const Operator& op) {
  std::vector<Math> names;
  for (uint16_t i = 0; i < op.schema.returns.size(); ++i) names.push_back(tangent_name(op, i));
  return names.size() == 1 ? names[0] : make_math(Kind::tuple, std::move(names));
}

}  // namespace

std::vector<Math> forward_math(const Operator& op) {
  std::vector<Math> all;
  const auto add = [&](Math name, Math value) {
    all.push_back(make_math(Kind::equals, {std::move(name), std::move(value)}));
  };
  switch (forward_way(op)) {
    case ForwardWay::linear:
      add(tangent_names(op), linear_tangent(op));
      break;
    case ForwardWay::elementwise:
      add(tangent_name(op, 0), elementwise_tangent(op));
      break;
    case ForwardWay::formula:
      for (const ForwardFormula& forward : op.gradient->derivative->forward)
        add(tangent_name(op, forward.output), OperatorMath(op).formula(*forward.formula));
      break;
    default:
      break;
  }
  return all;
}

std::string forward_source(const Operator& op) {
  switch (forward_way(op)) {
    case ForwardWay::formula:
      return op.gradient->derivative->forward.empty() ? "zeros" : "by a rule of its own";
    case ForwardWay::elementwise:
      return "by its gradients, of the tangents";
    case ForwardWay::linear:
      return "by the operator itself, of the tangents";
    case ForwardWay::reverse:
      return "by two backward passes";
    case ForwardWay::zero:
      return "zeros";
    case ForwardWay::none:
      return op.gradient->differentiability == Differentiability::through
                 ? "through the operators that it calls"
                 : "";
    case ForwardWay::out:
    case ForwardWay::lost:
      break;
  }
  return "";
}

Math value_math(const Operator& op) {
  Math value = OperatorMath(op).value();
  return value ? make_math(Kind::equals, {call_of_itself(op), value}) : nullptr;
}

std::vector<GradientMath> gradient_math(const Operator& op) {
  std::vector<GradientMath> all;
  if (op.gradient->derivative == nullptr) return all;
  for (const DerivativeFormula& formula : op.gradient->derivative->formulas) {
    if (formula.kind == DerivativeFormula::Kind::formula) all.push_back(equation_of(op, formula));
  }
  return all;
}

Math formula_math(const FormulaNode& formula, const Operator& op) {
  return OperatorMath(op).formula(formula);
}

}  // namespace opweave::codegen

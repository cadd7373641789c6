// Derivation of gradients and generation of backward operators.
#include "codegen/model/gradients/derived_gradients.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/expr/element_checker.h"
#include "codegen/expr/element_conjugates.h"
#include "codegen/expr/element_renumber.h"
#include "codegen/expr/element_walk.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/model/entries/entry.h"
#include "codegen/model/gradients/numbers_of.h"
#include "codegen/model/gradients/saved.h"

namespace opweave::codegen {
namespace {

// Operators of the files are level 0; backward operators are made up to this level.
constexpr int kLastLevel = 2;

// The arguments that a gradient reads: grad first, then in the operator's order, then result.
// Keyword-only ones come after all others, as schemas have it.
std::vector<uint16_t> inputs_of(const ElementNode& gradient, const Schema& schema) {
  std::vector<bool> read(schema.arguments.size());
  bool reads_grad = false, reads_result = false;
  walk(gradient, [&](const ElementNode& node) {
    bool refers = node.op == ElementOp::argument || node.op == ElementOp::has_value ||
                  node.op == ElementOp::string_equals;
    if (!refers) return;
    if (node.index == kGradIndex) {
      reads_grad = true;
    } else if (node.index == kResultIndex) {
      reads_result = true;
    } else {
      read[node.index] = true;
    }
  });
  std::vector<uint16_t> inputs;
  if (reads_grad) inputs.push_back(kGradIndex);
  for (bool keyword_only : {false, true}) {
    if (keyword_only && reads_result) inputs.push_back(kResultIndex);
    for (uint16_t i = 0; i < read.size(); ++i) {
      if (read[i] && schema.arguments[i].keyword_only == keyword_only) inputs.push_back(i);
    }
  }
  return inputs;
}

std::string_view symbol_of(ElementOp op) {
  switch (op) {
    case ElementOp::add:
    case ElementOp::subtract:
    case ElementOp::multiply:
    case ElementOp::divide:
    case ElementOp::negate:
      return find_intrinsic(op)->symbol;
    default:
      return {};
  }
}

// The operator that computes a tree of one operation; empty if there is none that everybody knows.
std::string_view known_operator(const ElementNode& node) {
  if (node.op == ElementOp::conj) return operator_of(*find_intrinsic(node.op)).name;
  const std::string_view symbol = symbol_of(node.op);
  return symbol.empty() ? symbol : operator_for_symbol(symbol, node.operands.size());
}

// A gradient is floating, and promotes the rest. Of complex numbers it is one that conjugates.
DTypeSet dtypes_of_gradient(const Operator& op, const ElementNode& body) {
  const DtypeMask complex = op.dtypes->computed.bits & dtypes::kComplex;
  const bool floats = (op.dtypes->computed.bits & dtypes::kFloating) != 0;
  if (complex != 0 && !floats) return {complex};
  const bool also = has_conjugates(body) || op.is_generated();
  return {dtypes::kCommonFloating | (also ? complex : 0)};
}

// A number that the operator does not round beside 16 bits is not rounded by its gradient.
void keep_exact(const Operator& op, const std::vector<uint16_t>& inputs, Elements& made) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == kGradIndex || inputs[i] == kResultIndex) continue;
    const ElementArgument& use = op.elements->arguments[inputs[i]];
    const bool operand = use.promotes && !op.schema.arguments[inputs[i]].default_value;
    made.arguments[i].exact = use.exact || !(operand || use.suits);
  }
}

// Backward operators with equal keys compute the same of arguments of the same types: equal trees
// are one node.
std::string meaning_key(const ElementNode& body, const Schema& schema) {
  std::string key = std::to_string(body.id);
  for (const Argument& argument : schema.arguments) {
    key += "," + print(argument.type) + (argument.keyword_only ? " keyword" : "");
  }
  return key;
}

}  // namespace

bool DerivedGradients::derive(const Operator& op, uint16_t argument, DerivativeFormula& formula,
                              ElementOp& obstacle) {
  formula.inputs = {argument};
  formula.derived = true;
  const ElementArgument& use = op.elements->arguments[argument];
  if (!use.used || use.as_boolean) {
    formula.kind = DerivativeFormula::Kind::non_differentiable;
    return true;
  }
  ElementDerivative derivative =
      differentiator_.differentiate(*op.elements->expr, argument, result_use(op), numbers_of(op));
  obstacle = derivative.obstacle;
  if (!derivative.gradient) return false;
  if (is_literal(*derivative.gradient, 0)) {
    formula.kind = DerivativeFormula::Kind::zero;
    return true;
  }
  formula.formula = level_ > 0 ? rewriter_.rewrite(op, *derivative.gradient)
                               : simple_formula(op, *derivative.gradient);
  if (formula.formula && level_ == 0) remember(op, argument, formula, *derivative.gradient);
  if (!formula.formula && level_ >= kLastLevel) return false;
  if (!formula.formula) formula.formula = call_backward(op, argument, *derivative.gradient);
  return true;
}

void DerivedGradients::remember(const Operator& op, uint16_t argument,
                                const DerivativeFormula& formula, const ElementNode& gradient) {
  if (!storage_.keeps_written) return;
  WrittenFormula written{.op = &op, .formula = formula.formula};
  written.where = "gradient of " + op.schema.arguments[argument].name;
  written.scope = {.schema = &op.schema, .op = &op, .is_derivative = true};
  storage_.derived.push_back({std::move(written), &gradient});
}

Differentiator::Result DerivedGradients::result_use(const Operator& op) {
  using Result = Differentiator::Result;
  auto [entry, is_new] = result_use_.try_emplace(&op, Result::read);
  const bool several = op.tensor_arguments().size() > 1;  // of one gradient the rule is its own
  if (is_new && several && count_kept(op, Result::read) >= count_kept(op, Result::unread))
    result_use_[&op] = Result::unread;
  return result_use_[&op];
}

size_t DerivedGradients::count_kept(const Operator& op, Differentiator::Result result) {
  std::set<uint16_t> kept;
  for (uint16_t argument : op.tensor_arguments()) {
    const ElementArgument& use = op.elements->arguments[argument];
    if (!use.used || use.as_boolean) continue;
    const ElementDerivative found =
        differentiator_.differentiate(*op.elements->expr, argument, result, numbers_of(op));
    if (found.gradient != nullptr) kept.merge(read_elements(*found.gradient));
  }
  return kept.size() - kept.count(kGradIndex);
}

const FormulaNode* DerivedGradients::leaf(const Operator& op, const ElementNode& node) {
  FormulaArena& arena = storage_.formulas;
  if (node.op == ElementOp::literal) {
    Constant value;
    value.kind = Constant::Kind::real;
    value.real = node.number;
    value.text = fmt::format("{}", node.number);
    if (value.text.find_first_not_of("-0123456789") == std::string::npos) value.text += ".0";
    return arena.constant(value, plain_type(BaseType::floating), op.origin.span);
  }
  if (node.op != ElementOp::argument) return nullptr;
  if (node.index == kGradIndex) return incoming(op);
  if (node.index == kResultIndex) return &arena.make(FormulaKind::result, Type{}, op.origin.span);
  const Type& type = op.schema.arguments[node.index].type;
  FormulaNode& made = arena.make(FormulaKind::argument, type, op.origin.span);
  made.index = node.index;
  return &made;
}

const FormulaNode* DerivedGradients::incoming(const Operator& op) {
  if (!tangent_of_) return &storage_.formulas.make(FormulaKind::gradient, Type{}, op.origin.span);
  FormulaNode& made = storage_.formulas.make(FormulaKind::tangent, Type{}, op.origin.span);
  made.index = *tangent_of_;
  return &made;
}

// Of backward operators two backward passes do as well.
void DerivedGradients::derive_tangent(const Operator& op, Derivative& derivative) {
  if (!op.is_expr() || numbers_of(op) == Numbers::real) return;
  std::vector<std::pair<uint16_t, const ElementNode*>> tangents;
  for (const DerivativeFormula& formula : derivative.formulas) {
    if (formula.kind != DerivativeFormula::Kind::formula || formula.inputs.size() != 1) continue;
    const ElementDerivative found = differentiator_.differentiate(
        *op.elements->expr, formula.inputs[0], result_use(op), Numbers::complex);
    derivative.conjugates |= found.gradient == nullptr || found.gradient != found.tangent;
    tangents.emplace_back(formula.inputs[0], found.tangent);
  }
  const auto unknown = [](const auto& tangent) { return tangent.second == nullptr; };
  const bool asked = derivative.conjugates && derivative.forward.empty() && level_ == 0;
  if (!asked || std::ranges::any_of(tangents, unknown)) return;
  ForwardFormula forward;
  for (const auto& [argument, tree] : tangents) {
    tangent_of_ = argument;
    const FormulaNode* formula = simple_formula(op, *tree);
    if (formula == nullptr) formula = call_backward(op, argument, *tree);
    forward.terms.push_back({formula, {argument}});
  }
  tangent_of_.reset();
  forward.formula = sum_of(forward.terms, op.origin.span);
  if (forward.formula != nullptr) derivative.forward.push_back(std::move(forward));
}

// Null where there is no operator for sums.
const FormulaNode* DerivedGradients::sum_of(const std::vector<ForwardFormula::Term>& terms,
                                            Span span) {
  const std::string_view add = operator_for_symbol("+", 2);
  const FormulaNode* sum = nullptr;
  for (const ForwardFormula::Term& term : terms) {
    const std::vector<FormulaActual> actuals{{sum, {}}, {term.formula, {}}};
    if (sum != nullptr && environment_.overloads(add).empty()) return nullptr;
    sum = sum == nullptr ? term.formula
                         : resolve_call(add, span, environment_.overloads(add), actuals,
                                        storage_.formulas, nullptr);
  }
  return sum;
}

const FormulaNode* DerivedGradients::simple_formula(const Operator& op,
                                                    const ElementNode& gradient) {
  if (gradient.operands.empty()) return leaf(op, gradient);
  const std::string_view name = known_operator(gradient);
  if (environment_.overloads(name).empty() || count_operations(gradient) != 1) return nullptr;
  std::vector<FormulaActual> actuals;
  for (const ElementNode* operand : gradient.operands) {
    const FormulaNode* node = leaf(op, *operand);
    if (!node) return nullptr;
    actuals.push_back({node, {}});
  }
  return resolve_call(name, op.origin.span, environment_.overloads(name), actuals,
                      storage_.formulas, nullptr);
}

const FormulaNode* DerivedGradients::call_backward(const Operator& op, uint16_t argument,
                                                   const ElementNode& gradient) {
  std::vector<uint16_t> inputs = inputs_of(gradient, op.schema);
  const Operator& backward = backward_operator(op, argument, gradient, inputs);
  FormulaArena& arena = storage_.formulas;
  std::vector<const FormulaNode*> operands;
  for (uint16_t input : inputs) {
    if (input == kGradIndex) {
      operands.push_back(incoming(op));
      continue;
    }
    const bool is_result = input == kResultIndex;
    FormulaNode& node =
        arena.make(is_result ? FormulaKind::result : FormulaKind::argument,
                   is_result ? Type{} : op.schema.arguments[input].type, op.origin.span);
    node.index = is_result ? 0 : input;
    operands.push_back(&node);
  }
  FormulaNode& call = arena.make(FormulaKind::call, Type{}, op.origin.span, operands);
  call.op = &backward;
  return &call;
}

Schema DerivedGradients::backward_schema(const Operator& op, uint16_t argument,
                                         const std::vector<uint16_t>& inputs) const {
  Schema schema;
  std::string base = op.name.base;
  if (!op.name.overload.empty()) base += "_" + op.name.overload;
  base += tangent_of_ ? "_tangent_" : "_backward_";
  schema.base_name = table_.free_name(base + op.schema.arguments[argument].name);
  schema.span = schema.name_span = op.origin.span;
  for (uint16_t input : inputs) {
    Argument made;
    if (input == kGradIndex || input == kResultIndex) {
      // Not `grad` and `result`, which are this operator's own gradient and result in formulas.
      made.name = input != kGradIndex ? "output" : tangent_of_ ? "tangent" : "grad_output";
      while (op.schema.find_argument(made.name) >= 0) made.name += "_";
    } else {
      made = op.schema.arguments[input];
      made.type.alias.reset();
      made.default_value.reset();
    }
    schema.arguments.push_back(std::move(made));
  }
  schema.returns.emplace_back();
  return schema;
}

const Operator& DerivedGradients::backward_operator(const Operator& op, uint16_t argument,
                                                    const ElementNode& gradient,
                                                    const std::vector<uint16_t>& inputs) {
  Renumber renumber(storage_.elements, [&](uint16_t index) {
    return static_cast<uint16_t>(std::ranges::find(inputs, index) - inputs.begin());
  });
  const ElementNode* body = renumber.apply(&gradient);
  Schema schema = backward_schema(op, argument, inputs);
  Operator*& known = by_meaning_[meaning_key(*body, schema)];
  if (known) return *known;
  Origin origin = op.origin;
  if (!origin.gradient_of) origin.gradient_of = &op;
  Operator& made = storage_.operators.emplace_back(std::move(schema), origin);
  made.computation.give({.implementation = Implementation::expr});
  made.forms.give({.functional = &made});
  made.face.give({.internal = true,
                  .python_name = made.name.base,
                  .doc = fmt::format("The {} of '{}' with respect to '{}'.",
                                     tangent_of_ ? "tangent" : "gradient", op.name.full,
                                     op.schema.arguments[argument].name)});
  made.policies.give({});
  made.tests.give({});
  Elements elements{.expr = body,
                    .arguments = element_arguments(*body, made.schema),
                    .promotion = derive_promotion(*body)};
  keep_exact(op, inputs, elements);
  made.elements.give(std::move(elements));
  made.dtypes.give({.computed = dtypes_of_gradient(op, *body)});
  made.formulas.give({});
  made.rule.give(nullptr);
  table_.add(&made);
  generated_.push_back({&made, level_ + 1});
  return *(known = &made);
}

void DerivedGradients::complete() {
  // Grows while it is walked.
  for (size_t i = 0; i < generated_.size(); ++i) differentiate(Generated(generated_[i]));
}

void DerivedGradients::differentiate(const Generated& generated) {
  level_ = generated.level;
  generated.op->gradient.give(
      derive_all(*generated.op).value_or(Gradient{Differentiability::not_implemented}));
}

std::optional<Gradient> DerivedGradients::derive_all(const Operator& op) {
  Derivative derivative;
  derivative.differentiable_outputs = {true};
  for (uint16_t argument : op.tensor_arguments()) {
    DerivativeFormula& formula = derivative.formulas.emplace_back();
    ElementOp obstacle;
    if (!derive(op, argument, formula, obstacle)) return std::nullopt;
  }
  derive_tangent(op, derivative);
  collect_saved(derivative, op.schema);
  return Gradient{Differentiability::formula,
                  &storage_.derivatives.emplace_back(std::move(derivative))};
}

}  // namespace opweave::codegen

// Derivatives by the rules of the intrinsic table and the chain rule.
#include "codegen/expr/differentiate.h"

#include <memory>

#include "codegen/expr/element_walk.h"

namespace opweave::codegen {

Differentiator::Differentiator(ElementArena& arena)
    : arena_(arena), algebra_(arena), texts_(arena, algebra_) {}

ElementDerivative Differentiator::differentiate(const ElementNode& root, uint16_t argument,
                                                Result result, Numbers numbers) {
  argument_ = argument;
  numbers_ = numbers;
  obstacle_ = ElementOp::count_;
  derived_.clear();
  Slopes slopes = derive(root);
  if (slopes.by == nullptr) return {.obstacle = obstacle_};
  Node grad = arena_.argument(kGradIndex, ElementType::value, false, false);
  const auto read = [&](Node tree) {
    return result == Result::read ? use_result(tree, root) : tree;
  };
  if (numbers == Numbers::real) {
    Node gradient = scale(read(slopes.by), grad);
    return {.gradient = gradient, .tangent = gradient};
  }
  Node tangent = sum_of(slopes, grad);
  slopes.by = algebra_.conjugate(slopes.by);
  return {.gradient = read(sum_of(slopes, grad)), .tangent = read(tangent)};
}

const ElementNode* Differentiator::sum_of(const Slopes& slopes, Node grad) {
  Node conjugate = algebra_.conjugate(grad);
  // Of a real value only what is real of the gradient counts.
  if (slopes.by == slopes.by_conjugate) return scale(slopes.by, algebra_.add(grad, conjugate));
  return algebra_.add(scale(slopes.by, grad), scale(slopes.by_conjugate, conjugate));
}

Differentiator::Slopes Differentiator::derive(const ElementNode& node) {
  auto known = derived_.find(&node);
  if (known != derived_.end()) return known->second;
  Slopes result{algebra_.number(0), algebra_.number(0)};
  if (node.op == ElementOp::argument) {
    if (node.index == argument_) result.by = algebra_.number(1);
  } else if (node.op == ElementOp::select) {
    result = derive_select(node);
  } else if (const Intrinsic* intrinsic = find_intrinsic(node.op)) {
    if (intrinsic->result == ElementType::value) result = derive_call(node, *intrinsic);
  }
  derived_[&node] = result;
  return result;
}

// The condition counts as constant.
Differentiator::Slopes Differentiator::derive_select(const ElementNode& node) {
  const Slopes then = derive(node.operand(1));
  const Slopes otherwise = derive(node.operand(2));
  if (!then.by || !otherwise.by) return {};
  Node condition = &node.operand(0);
  return {algebra_.select(condition, then.by, otherwise.by),
          algebra_.select(condition, then.by_conjugate, otherwise.by_conjugate)};
}

Differentiator::Slopes Differentiator::derive_call(const ElementNode& node,
                                                   const Intrinsic& intrinsic) {
  const ComplexRules rules = rules_of(intrinsic);
  Slopes sum{algebra_.number(0), algebra_.number(0)};
  for (size_t i = 0; i < node.operands.size(); ++i) {
    const Slopes inner = derive(node.operand(i));
    if (!inner.by) return {};
    if (is_literal(*inner.by, 0) && is_literal(*inner.by_conjugate, 0)) continue;
    if (rules.derivatives[i].empty()) {
      obstacle_ = node.op;
      return {};
    }
    Slopes outer{texts_.rule(rules.derivatives[i], node), algebra_.number(0)};
    if (!rules.by_conjugate.empty()) outer.by_conjugate = texts_.rule(rules.by_conjugate, node);
    add_product(sum, outer, inner);
  }
  return sum;
}

ComplexRules Differentiator::rules_of(const Intrinsic& intrinsic) const {
  if (numbers_ == Numbers::complex) return complex_rules(intrinsic);
  return {.exist = true, .derivatives = intrinsic.derivatives, .by_conjugate = {}};
}

void Differentiator::add_product(Slopes& sum, const Slopes& outer, const Slopes& inner) {
  sum.by = algebra_.add(sum.by, algebra_.multiply(outer.by, inner.by));
  if (numbers_ == Numbers::real) return;
  const auto add = [&](Node& to, Node a, Node b) {
    to = algebra_.add(to, algebra_.multiply(a, b));
  };
  add(sum.by, outer.by_conjugate, algebra_.conjugate(inner.by_conjugate));
  add(sum.by_conjugate, outer.by, inner.by_conjugate);
  add(sum.by_conjugate, outer.by_conjugate, algebra_.conjugate(inner.by));
}

const ElementNode* Differentiator::use_result(Node derivative, const ElementNode& root) {
  bool is_leaf = root.operands.empty();
  if (is_leaf) return derivative;
  Node result = arena_.argument(kResultIndex, ElementType::value, false, false);
  std::unordered_map<Node, Node> done;
  Node replaced = replace(derivative, &root, result, done);
  std::set<uint16_t> before = read_elements(*derivative);
  std::set<uint16_t> after = read_elements(*replaced);
  bool saves = after.size() - after.count(kResultIndex) < before.size();
  return saves ? replaced : derivative;
}

const ElementNode* Differentiator::replace(Node node, Node from, Node to,
                                           std::unordered_map<Node, Node>& done) {
  if (node == from) return to;
  if (node->operands.empty()) return node;
  auto [entry, is_new] = done.try_emplace(node, nullptr);
  if (!is_new) return entry->second;
  std::vector<Node> operands;
  for (Node operand : node->operands) operands.push_back(replace(operand, from, to, done));
  Node rebuilt = arena_.with_operands(*node, operands);
  return done[node] = rebuilt;
}

const ElementNode* Differentiator::scale(Node derivative, Node grad) {
  if (derivative->op != ElementOp::select) return algebra_.multiply(grad, derivative);
  return algebra_.select(&derivative->operand(0), scale(&derivative->operand(1), grad),
                         scale(&derivative->operand(2), grad));
}

std::set<uint16_t> read_elements(const ElementNode& root) {
  std::set<uint16_t> indices;
  walk(root, [&](const ElementNode& node) {
    if (node.op == ElementOp::argument && !node.uniform) indices.insert(node.index);
  });
  return indices;
}

size_t count_operations(const ElementNode& root) {
  size_t count = 0;
  walk(root, [&](const ElementNode& node) { count += !node.operands.empty(); });
  return count;
}

}  // namespace opweave::codegen

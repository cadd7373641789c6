// Derivatives by the rules of the intrinsic table and the chain rule.
#include "codegen/expr/differentiate.h"

#include <memory>

#include "codegen/expr/element_walk.h"
#include "schema/constant_parser.h"

namespace opweave::codegen {

Differentiator::Differentiator(ElementArena& arena) : arena_(arena), algebra_(arena) {}

ElementDerivative Differentiator::differentiate(const ElementNode& root, uint16_t argument,
                                                Result result) {
  argument_ = argument;
  obstacle_ = ElementOp::count_;
  derived_.clear();
  Node derivative = derive(root);
  if (!derivative) return {nullptr, obstacle_};
  Node grad = arena_.argument(kGradIndex, ElementType::value, false, false);
  if (result == Result::read) derivative = use_result(derivative, root);
  return {scale(derivative, grad), ElementOp::count_};
}

const ElementNode* Differentiator::derive(const ElementNode& node) {
  auto known = derived_.find(&node);
  if (known != derived_.end()) return known->second;
  Node result = algebra_.number(0);
  if (node.op == ElementOp::argument) {
    if (node.index == argument_) result = algebra_.number(1);
  } else if (node.op == ElementOp::select) {
    result = derive_select(node);
  } else if (const Intrinsic* intrinsic = find_intrinsic(node.op)) {
    if (intrinsic->result == ElementType::value) result = derive_call(node, *intrinsic);
  }
  derived_[&node] = result;
  return result;
}

// The condition counts as constant.
const ElementNode* Differentiator::derive_select(const ElementNode& node) {
  Node then = derive(node.operand(1));
  Node otherwise = derive(node.operand(2));
  if (!then || !otherwise) return nullptr;
  return algebra_.select(&node.operand(0), then, otherwise);
}

const ElementNode* Differentiator::derive_call(const ElementNode& node,
                                               const Intrinsic& intrinsic) {
  Node sum = algebra_.number(0);
  for (size_t i = 0; i < node.operands.size(); ++i) {
    Node inner = derive(node.operand(i));
    if (!inner) return nullptr;
    if (is_literal(*inner, 0)) continue;
    if (intrinsic.derivatives[i].empty()) {
      obstacle_ = node.op;
      return nullptr;
    }
    Node outer = rule(intrinsic.derivatives[i], node);
    sum = algebra_.add(sum, algebra_.multiply(outer, inner));
  }
  return sum;
}

const ElementNode* Differentiator::rule(std::string_view text, const ElementNode& node) {
  return build(parsed(text), node);
}

const SyntaxNode& Differentiator::parsed(std::string_view text) {
  const SyntaxNode*& syntax = rules_[text];
  if (!syntax) {
    DiagnosticSink sink;  // the rules are our own: a test parses them all
    syntax = parse_expression({text}, syntax_, sink);
  }
  return *syntax;
}

// Rules use numbers, x, y, r, operators, conditionals and intrinsics.
const ElementNode* Differentiator::build(const SyntaxNode& syntax, const ElementNode& node) {
  if (syntax.kind == SyntaxKind::number)
    return algebra_.number(schema::parse_number(syntax.text)->real);
  if (syntax.kind == SyntaxKind::group) return build(*syntax.operands[0], node);
  if (syntax.kind == SyntaxKind::identifier) {
    if (syntax.text == "x") return &node.operand(0);
    return syntax.text == "y" ? &node.operand(1) : &node;
  }
  std::vector<Node> operands;
  for (const SyntaxNode* operand : syntax.operands) operands.push_back(build(*operand, node));
  if (syntax.kind == SyntaxKind::conditional) return algebra_.apply(ElementOp::select, operands);
  const Intrinsic* intrinsic = syntax.kind == SyntaxKind::call
                                   ? find_intrinsic(syntax.text)
                                   : find_intrinsic_symbol(syntax.text, operands.size());
  return algebra_.apply(intrinsic->op, operands);
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
  Node rebuilt = arena_.apply(node->op, operands, node->span);
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

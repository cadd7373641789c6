// Mistakes in pointwise trees.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "codegen/expr/mutations.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

std::vector<Node> candidates(const ElementNode& node, ElementArena& arena) {
  const auto a = [&] { return node.operands[0]; };
  const auto b = [&] { return node.operands[1]; };
  const auto as = [&](ElementOp op) { return arena.apply(op, {a(), b()}); };
  const auto swapped = [&] { return arena.apply(node.op, {b(), a()}); };
  switch (node.op) {
    case ElementOp::add:
      return {as(ElementOp::subtract), a(), b()};
    case ElementOp::subtract:
      return {as(ElementOp::add), swapped(), a()};
    case ElementOp::divide:
      return {swapped(), a()};
    case ElementOp::multiply:
    case ElementOp::maximum:
    case ElementOp::minimum:
    case ElementOp::hypot:
    case ElementOp::logical_and:
    case ElementOp::logical_or:
    case ElementOp::bit_and:
    case ElementOp::bit_or:
    case ElementOp::bit_xor:
    case ElementOp::gcd:
      return {a(), b()};
    case ElementOp::negate:
    case ElementOp::conj:
    case ElementOp::logical_not:
    case ElementOp::bit_not:
      return {a()};
    case ElementOp::equal:
      return {as(ElementOp::not_equal)};
    case ElementOp::not_equal:
      return {as(ElementOp::equal)};
    case ElementOp::remainder:
    case ElementOp::less:
    case ElementOp::less_equal:
    case ElementOp::greater:
    case ElementOp::greater_equal:
    case ElementOp::shift_left:
    case ElementOp::shift_right:
    case ElementOp::pow:
    case ElementOp::atan2:
    case ElementOp::fmod:
    case ElementOp::floor_div:
    case ElementOp::trunc_div:
    case ElementOp::copysign:
      return {swapped()};
    case ElementOp::select:
      return {arena.apply(node.op, {a(), node.operands[2], b()})};
    case ElementOp::literal:
      if (node.type == ElementType::boolean) return {arena.boolean(node.number == 0)};
      if (std::isnan(node.number)) return {};
      return {arena.literal(-node.number, node.is_float)};
    default:
      return {};
  }
}

class Replacement {
 public:
  Replacement(const ElementNode& node, const ElementNode& alternative, ElementArena& arena)
      : arena_(arena) {
    done_[&node] = &alternative;
  }

  Node apply(const ElementNode& node) {
    if (const auto found = done_.find(&node); found != done_.end()) return found->second;
    if (node.operands.empty()) return &node;
    std::vector<Node> operands;
    for (Node operand : node.operands) operands.push_back(apply(*operand));
    return done_[&node] = arena_.apply(node.op, operands, node.span);
  }

 private:
  ElementArena& arena_;
  std::unordered_map<Node, Node> done_;
};

}  // namespace

std::vector<const ElementNode*> mutations(const ElementNode& node, ElementArena& arena) {
  std::vector<Node> found;
  for (Node candidate : candidates(node, arena)) {
    // -0 is 0, and a + a is the same when swapped.
    const bool zero = is_literal(node, 0) && node.type == ElementType::value;
    if (candidate != &node && candidate->type == node.type && !zero &&
        std::ranges::find(found, candidate) == found.end())
      found.push_back(candidate);
  }
  return found;
}

const ElementNode* replace(const ElementNode& root, const ElementNode& node,
                           const ElementNode& alternative, ElementArena& arena) {
  return Replacement(node, alternative, arena).apply(root);
}

}  // namespace opweave::codegen

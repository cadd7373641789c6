// Hash-consing of pointwise nodes.
#include "codegen/expr/element_arena.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "codegen/expr/folds.h"
#include "codegen/expr/intrinsics.h"

namespace opweave::codegen {
namespace {

bool needs_float(ElementOp op) {
  const Intrinsic* intrinsic = find_intrinsic(op);
  return intrinsic && intrinsic->needs_float;
}

AxisMask axes_of(ElementArena::Operands operands) {
  AxisMask axes = 0;
  for (const ElementNode* operand : operands) axes |= operand->axes;
  return axes;
}

ElementType result_type(ElementOp op, ElementArena::Operands operands) {
  if (op == ElementOp::select) return operands[1]->type;
  if (op == ElementOp::to_boolean) return ElementType::boolean;
  const Intrinsic* intrinsic = find_intrinsic(op);
  return intrinsic ? intrinsic->result : ElementType::value;
}

}  // namespace

size_t ElementArena::Hash::operator()(const ElementNode* node) const {
  size_t hash = static_cast<size_t>(node->op) * 31 + node->index;
  hash = hash * 31 + std::bit_cast<uint64_t>(node->number);
  hash = hash * 31 + std::hash<std::string_view>()(node->text);
  hash = hash * 31 + static_cast<size_t>(node->type) * 4 + node->is_float * 2 + node->uniform;
  hash = hash * 31 + node->axes * 256u + node->over;
  for (const ElementNode* operand : node->operands) hash = hash * 1000003 + operand->id;
  return hash;
}

bool ElementArena::Equal::operator()(const ElementNode* a, const ElementNode* b) const {
  // Bits, not values: 0 and -0 are different numbers, and nan is one.
  bool same_number = std::bit_cast<uint64_t>(a->number) == std::bit_cast<uint64_t>(b->number);
  return a->op == b->op && a->type == b->type && a->index == b->index && same_number &&
         a->is_float == b->is_float && a->uniform == b->uniform &&
         a->needs_float == b->needs_float && a->text == b->text && a->axes == b->axes &&
         a->over == b->over && std::ranges::equal(a->operands, b->operands);
}

const ElementNode* ElementArena::intern(ElementNode& node) {
  auto found = known_.find(&node);
  if (found != known_.end()) return *found;
  auto* memory = static_cast<const ElementNode**>(memory_.allocate(
      node.operands.size() * sizeof(const ElementNode*), alignof(const ElementNode*)));
  std::ranges::copy(node.operands, memory);
  node.operands = {memory, node.operands.size()};
  node.id = static_cast<uint32_t>(nodes_.size());
  const ElementNode* kept = &nodes_.emplace_back(node);
  known_.insert(kept);
  return kept;
}

const ElementNode* ElementArena::argument(uint16_t index, ElementType type, bool uniform,
                                          bool needs_float, Span span, AxisMask axes) {
  ElementNode node{.op = ElementOp::argument,
                   .type = type,
                   .needs_float = needs_float,
                   .uniform = uniform,
                   .axes = axes,
                   .index = index,
                   .span = span};
  return intern(node);
}

const ElementNode* ElementArena::fold(uint16_t kind, Operands operands, AxisMask over, Span span) {
  ElementNode node{.op = ElementOp::fold,
                   .type = ElementType::value,
                   .needs_float = find_fold(static_cast<FoldKind>(kind)).gives == FoldGives::floats,
                   .axes = static_cast<AxisMask>(axes_of(operands) & ~over),
                   .over = over,
                   .index = kind,
                   .operands = operands,
                   .span = span};
  return intern(node);
}

const ElementNode* ElementArena::extent(AxisMask over, Span span) {
  ElementNode node{.op = ElementOp::extent,
                   .type = ElementType::value,
                   .uniform = true,
                   .over = over,
                   .span = span};
  return intern(node);
}

const ElementNode* ElementArena::coordinate(uint16_t index, AxisMask axes, Span span) {
  ElementNode node{.op = ElementOp::coordinate,
                   .type = ElementType::value,
                   .axes = axes,
                   .index = index,
                   .span = span};
  return intern(node);
}

const ElementNode* ElementArena::literal(double number, bool is_float, Span span) {
  ElementNode node{.op = ElementOp::literal,
                   .type = ElementType::value,
                   .needs_float = is_float,
                   .uniform = true,
                   .is_float = is_float,
                   .number = number,
                   .span = span};
  return intern(node);
}

const ElementNode* ElementArena::boolean(bool value, Span span) {
  ElementNode node{.op = ElementOp::literal,
                   .type = ElementType::boolean,
                   .uniform = true,
                   .number = value ? 1.0 : 0.0,
                   .span = span};
  return intern(node);
}

const ElementNode* ElementArena::has_value(uint16_t index, Span span) {
  ElementNode node{.op = ElementOp::has_value,
                   .type = ElementType::boolean,
                   .uniform = true,
                   .index = index,
                   .span = span};
  return intern(node);
}

const ElementNode* ElementArena::string_equals(uint16_t index, std::string_view text, Span span) {
  ElementNode node{.op = ElementOp::string_equals,
                   .type = ElementType::boolean,
                   .uniform = true,
                   .index = index,
                   .text = text,
                   .span = span};
  return intern(node);
}

const ElementNode* ElementArena::apply(ElementOp op, Operands operands, Span span) {
  bool uniform = std::ranges::all_of(operands, [](const ElementNode* o) { return o->uniform; });
  ElementNode node{.op = op,
                   .type = result_type(op, operands),
                   .needs_float = needs_float(op),
                   .uniform = uniform,
                   .axes = axes_of(operands),
                   .operands = operands,
                   .span = span};
  return intern(node);
}

const ElementNode* ElementArena::with_operands(const ElementNode& node, Operands operands) {
  return node.op == ElementOp::fold ? fold(node.index, operands, node.over, node.span)
                                    : apply(node.op, operands, node.span);
}

const ElementNode* ElementArena::as_value(const ElementNode* node) {
  if (node->type == ElementType::value) return node;
  if (is_literal(*node)) return literal(node->number, false, node->span);
  return apply(ElementOp::to_value, {node}, node->span);
}

const ElementNode* ElementArena::as_boolean(const ElementNode* node) {
  if (node->type == ElementType::boolean) return node;
  if (is_literal(*node)) return boolean(node->number != 0, node->span);
  return apply(ElementOp::to_boolean, {node}, node->span);
}

}  // namespace opweave::codegen

// Makes and owns pointwise nodes; equal nodes are made once.
#pragma once

#include <deque>
#include <initializer_list>
#include <memory_resource>
#include <span>
#include <unordered_set>

#include "codegen/expr/element.h"

namespace opweave::codegen {

class ElementArena {
 public:
  using Operands = std::span<const ElementNode* const>;

  ElementArena() = default;
  ElementArena(const ElementArena&) = delete;
  ElementArena& operator=(const ElementArena&) = delete;

  // `uniform`: a parameter; `needs_float`: one that only a floating type can hold.
  const ElementNode* argument(uint16_t index, ElementType type, bool uniform, bool needs_float,
                              Span span = {}, AxisMask axes = 0);
  const ElementNode* literal(double number, bool is_float, Span span = {});
  const ElementNode* boolean(bool value, Span span = {});
  const ElementNode* has_value(uint16_t index, Span span = {});
  const ElementNode* string_equals(uint16_t index, std::string_view text, Span span = {});
  // One value of what the first operand is along `over`; `kind` is a FoldKind.
  const ElementNode* fold(uint16_t kind, Operands operands, AxisMask over, Span span = {});
  const ElementNode* extent(AxisMask over, Span span = {});
  const ElementNode* coordinate(uint16_t index, AxisMask axes, Span span = {});
  // The same operation or fold of other operands.
  const ElementNode* with_operands(const ElementNode& node, Operands operands);
  // As it stands, without any simplification.
  const ElementNode* apply(ElementOp op, Operands operands, Span span = {});
  const ElementNode* apply(ElementOp op, std::initializer_list<const ElementNode*> operands,
                           Span span = {}) {
    return apply(op, Operands(operands.begin(), operands.size()), span);
  }

  // The node as that type: itself, or converted.
  const ElementNode* as_value(const ElementNode* node);
  const ElementNode* as_boolean(const ElementNode* node);

 private:
  struct Hash {
    size_t operator()(const ElementNode* node) const;
  };
  struct Equal {
    bool operator()(const ElementNode* a, const ElementNode* b) const;
  };

  const ElementNode* intern(ElementNode& node);

  std::pmr::monotonic_buffer_resource memory_;
  std::deque<ElementNode> nodes_;
  std::unordered_set<const ElementNode*, Hash, Equal> known_;
};

inline bool is_literal(const ElementNode& node) { return node.op == ElementOp::literal; }
inline bool is_literal(const ElementNode& node, double number) {
  return is_literal(node) && node.number == number;
}

}  // namespace opweave::codegen

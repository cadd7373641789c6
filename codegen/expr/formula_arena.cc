// Allocation of formula nodes, and the names of properties.
#include "codegen/expr/formula_arena.h"

#include <algorithm>
#include <utility>

namespace opweave::codegen {

FormulaNode& FormulaArena::make(FormulaKind kind, Type type, Span span, Operands operands) {
  FormulaNode& node = nodes_.emplace_back();
  node.kind = kind;
  node.type = std::move(type);
  node.type.alias.reset();
  node.span = span;
  auto* memory = static_cast<const FormulaNode**>(
      memory_.allocate(operands.size() * sizeof(const FormulaNode*), alignof(const FormulaNode*)));
  std::ranges::copy(operands, memory);
  node.operands = {memory, operands.size()};
  return node;
}

const FormulaNode* FormulaArena::constant(Constant value, Type type, Span span) {
  return constant_at(&constants_.emplace_back(std::move(value)), std::move(type), span);
}

const FormulaNode* FormulaArena::constant_at(const Constant* value, Type type, Span span) {
  FormulaNode& node = make(FormulaKind::constant, std::move(type), span);
  node.constant = value;
  return &node;
}

const FormulaNode* FormulaArena::convert(const FormulaNode* operand, Conversion conversion,
                                         Type type) {
  FormulaNode& node = make(FormulaKind::convert, std::move(type), operand->span, {operand});
  node.conversion = conversion;
  return &node;
}

std::string_view property_name(Property property) {
  constexpr std::string_view kNames[] = {"sizes",
                                         "size",
                                         "dim",
                                         "numel",
                                         "strides",
                                         "stride",
                                         "storage_offset",
                                         "scalar_type",
                                         "layout",
                                         "device",
                                         "options",
                                         "defined",
                                         "is_floating_point",
                                         "is_complex",
                                         "size",
                                         "sizes_along",
                                         "has_value"};
  static_assert(std::size(kNames) == static_cast<size_t>(Property::count_));
  return kNames[static_cast<size_t>(property)];
}

}  // namespace opweave::codegen

// Makes and owns formula nodes and their constants.
#pragma once

#include <deque>
#include <initializer_list>
#include <memory_resource>
#include <span>
#include <string>

#include "codegen/expr/formula.h"

namespace opweave::codegen {

class FormulaArena {
 public:
  using Operands = std::span<const FormulaNode* const>;

  FormulaArena() = default;
  FormulaArena(const FormulaArena&) = delete;
  FormulaArena& operator=(const FormulaArena&) = delete;

  // The caller may go on to fill the other fields of what it made.
  FormulaNode& make(FormulaKind kind, Type type, Span span, Operands operands = {});
  FormulaNode& make(FormulaKind kind, Type type, Span span,
                    std::initializer_list<const FormulaNode*> operands) {
    return make(kind, std::move(type), span, Operands(operands.begin(), operands.size()));
  }
  const FormulaNode* constant(Constant value, Type type, Span span);
  // Of a constant that lives elsewhere, such as the default of an argument.
  const FormulaNode* constant_at(const Constant* value, Type type, Span span);
  const FormulaNode* convert(const FormulaNode* node, Conversion conversion, Type type);
  FormulaNode& copy(const FormulaNode& node) { return nodes_.emplace_back(node); }

 private:
  std::pmr::monotonic_buffer_resource memory_;
  std::deque<FormulaNode> nodes_;
  std::deque<Constant> constants_;
};

inline Type plain_type(BaseType base) { return Type{.base = base}; }
inline Type list_type(BaseType base) { return Type{.base = base, .list = true}; }

}  // namespace opweave::codegen

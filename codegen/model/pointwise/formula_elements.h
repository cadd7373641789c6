// Formulas over operators as pointwise trees, as far as they are pointwise: calls of `expr`
// operators and of composites of such are put in. What is not becomes an argument of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/expr/element_arena.h"
#include "codegen/expr/element_inline.h"
#include "codegen/model/declarations/operator.h"

namespace opweave::codegen {

// Arguments from here on stand for what is no pointwise value of the formula's own arguments.
constexpr uint16_t kFirstOpaque = 0x8000;

class FormulaElements {
 public:
  // `whole`: every call of a pointwise operator is put in, and composites are looked into.
  // Otherwise only calls of one operation, such as those that `+` means, and of generated
  // operators: a reader knows the others by their names.
  enum class Depth : bool { shallow, whole };

  FormulaElements(ElementArena& arena, const Schema& schema, Depth depth)
      : arena_(arena), schema_(&schema), depth_(depth) {}

  // Of one value; kGradIndex and kResultIndex read the gradient and the result (of several, the
  // first; the others are opaque).
  const ElementNode* convert(const FormulaNode& node);
  // What argument kFirstOpaque + i stands for.
  const std::vector<const FormulaNode*>& opaque() const { return opaque_; }

 private:
  using Node = const ElementNode*;
  using Actuals = std::vector<ElementActual>;

  Node argument(const FormulaNode& node);
  Node constant(const FormulaNode& node);
  Node arithmetic(const FormulaNode& node);
  Node conditional(const FormulaNode& node);
  Node call(const FormulaNode& node);
  Node make_opaque(const FormulaNode& node);
  ElementActual actual(const FormulaNode& node);
  bool is_readable(const FormulaNode& node) const;

  ElementArena& arena_;
  const Schema* schema_;
  Depth depth_;
  const Actuals* actuals_ = nullptr;  // of a composite that is looked into
  std::vector<const FormulaNode*> opaque_;
};

}  // namespace opweave::codegen

// Calls that a formula makes more than once: printers compute them once. Derivatives that are
// derived twice repeat most of what they are made of.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <vector>

#include "codegen/expr/formula.h"

namespace opweave::codegen {

class RepeatedCalls {
 public:
  explicit RepeatedCalls(const FormulaNode& formula);

  // The tensors that are computed several times, each behind those that it needs itself. Only what
  // is computed for certain: nothing that one branch of a condition alone would come to.
  const std::vector<const FormulaNode*>& values() const { return values_; }
  // Which of them a node of the formula is, if it is one.
  std::optional<size_t> place_of(const FormulaNode& node) const;

 private:
  std::vector<const FormulaNode*> values_;
  std::unordered_map<const FormulaNode*, size_t> places_;
};

}  // namespace opweave::codegen

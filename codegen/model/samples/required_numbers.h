// What the conditions of an entry (`require`) admit of its numbers.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "codegen/expr/element_arena.h"
#include "codegen/model/declarations/operator.h"
#include "codegen/proof/evaluate.h"

namespace opweave::codegen {

class RequiredNumbers {
 public:
  explicit RequiredNumbers(const Operator& op);

  // Whether a number may have other values than the samples give it: not where a condition asks
  // for more than numbers.
  bool may_vary(uint16_t argument) const { return !unclear_.contains(argument); }
  bool admit(const ElementPoint& point) const;

 private:
  void add(const Operator& op, const FormulaNode& condition);
  void note_unclear(const Rule& rule, const FormulaNode& node);

  ElementArena arena_;
  std::vector<const ElementNode*> conditions_;  // of numbers alone
  std::set<uint16_t> unclear_;                  // what the others read
};

}  // namespace opweave::codegen

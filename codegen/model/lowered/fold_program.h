// What a kernel of an operator that folds does with one row: walks over the elements along the axes
// that are folded, each of which folds terms into numbers, the numbers that are computed of those
// between two walks, and what it writes. Every target runs the same program.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "codegen/expr/folds.h"
#include "codegen/model/declarations/storage.h"

namespace opweave::codegen {

// A number of the row, kept in a slot.
struct FoldTerm {
  uint16_t slot = 0;
  FoldKind kind = FoldKind::sum;  // one that a walk computes
  const ElementNode* node = nullptr;
};
struct RowValue {
  uint16_t slot = 0;
  const ElementNode* node = nullptr;
};

// What a walk computes for each element that a later one reads again: in the memory of a result, or
// computed again, as is cheaper where it runs.
struct KeptElement {
  uint16_t result = 0;
  size_t walk = 0;  // that computes it first
  const ElementNode* node = nullptr;
};

struct FoldWalk {
  int together = 1;  // vectors of elements that a processor folds side by side: more of cheap terms
  std::vector<FoldTerm> terms;   // none in front of the first walk, where numbers of arguments are
  std::vector<RowValue> values;  // after it, each by those before
};

struct ResultValue {
  uint16_t result = 0;
  const ElementNode* node = nullptr;
};

struct FoldProgram {
  std::vector<uint16_t> inputs;       // arguments with elements along what is folded
  std::vector<uint16_t> rows;         // arguments with one number for each row
  std::vector<uint16_t> coordinates;  // that are read, by the index of their nodes
  FoldWalk begin;                     // without terms
  std::vector<FoldWalk> walks;
  std::vector<ResultValue> elements;     // results with an element each, in a last walk
  std::vector<ResultValue> row_results;  // results with a number for each row
  std::vector<ResultValue> columns;      // results that are sums over all rows, in the last walk
  std::vector<KeptElement> kept;
  std::unordered_map<const ElementNode*, uint16_t> slots;

  uint16_t num_slots() const { return static_cast<uint16_t>(slots.size()); }
  bool has_last_walk() const { return !elements.empty() || !columns.empty(); }
};

FoldProgram lower_fold(const Operator& op, ElementArena& arena);

}  // namespace opweave::codegen

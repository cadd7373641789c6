// Expressions that fold in numbers: of a few rows of a few elements, drawn at random.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "codegen/expr/element.h"

namespace opweave::codegen {

// One value for each element of each row, by row.
using RowNumbers = std::vector<long double>;

class FoldNumbers {
 public:
  static constexpr size_t kRows = 3, kElements = 4;

  // What leaves are follows from the seed and from their axes.
  explicit FoldNumbers(uint64_t seed) : seed_(seed) {}

  const RowNumbers& evaluate(const ElementNode& node);

 private:
  RowNumbers compute(const ElementNode& node);
  RowNumbers leaf(const ElementNode& node) const;
  static RowNumbers places(const ElementNode& node);
  RowNumbers fold(const ElementNode& node);

  uint64_t seed_;
  std::unordered_map<const ElementNode*, RowNumbers> done_;
};

// Whether it is zero wherever it was looked at: of expressions that are analytic between the points
// where they turn, that is a proof but for chance.
bool is_zero_in_numbers(const ElementNode& node);

}  // namespace opweave::codegen

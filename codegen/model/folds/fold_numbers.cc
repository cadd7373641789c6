// Evaluation on small random rows.
#include "codegen/model/folds/fold_numbers.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "codegen/expr/folds.h"
#include "codegen/expr/intrinsics.h"
#include "codegen/proof/special.h"
#include "codegen/proof/values.h"

namespace opweave::codegen {
namespace {

constexpr size_t kRows = FoldNumbers::kRows, kElements = FoldNumbers::kElements;
constexpr size_t kCount = kRows * kElements;

// Of splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014).
uint64_t mixed(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

long double drawn(uint64_t seed, uint64_t leaf, uint64_t place) {
  const uint64_t bits = mixed(mixed(mixed(seed) ^ leaf) ^ place);
  return 0.25L + static_cast<long double>(bits >> 11) / 0x1p53L;
}

// Calls `visit` with the places of each group of elements that the axes make one.
void each_group(AxisMask over, const std::function<void(const std::vector<size_t>&)>& visit) {
  const bool rows = (over & kKeptAxes) != 0, elements = (over & kFoldedAxes) != 0;
  for (size_t r = 0; r < (rows ? 1 : kRows); ++r) {
    for (size_t e = 0; e < (elements ? 1 : kElements); ++e) {
      std::vector<size_t> places;
      for (size_t i = 0; i < kCount; ++i) {
        const bool in_row = rows || i / kElements == r;
        const bool in_column = elements || i % kElements == e;
        if (in_row && in_column) places.push_back(i);
      }
      visit(places);
    }
  }
}

long double place_in(const std::vector<long double>& x,
                     std::vector<long double>::const_iterator found) {
  return static_cast<long double>(found - x.begin());
}

long double joined(FoldKind kind, const std::vector<long double>& x, long double correction) {
  const auto n = static_cast<long double>(x.size());
  long double sum = 0, product = 1;
  for (long double value : x) {
    sum += value;
    product *= value;
  }
  long double squares = 0, exponentials = 0;
  for (long double value : x) {
    squares += (value - sum / n) * (value - sum / n);
    exponentials += std::exp(value);
  }
  const long double variance = squares / std::max(n - correction, 0.0L);
  switch (kind) {
    case FoldKind::product:
      return product;
    case FoldKind::maximum:
      return *std::ranges::max_element(x);
    case FoldKind::minimum:
      return *std::ranges::min_element(x);
    case FoldKind::mean:
      return sum / n;
    case FoldKind::variance:
      return variance;
    case FoldKind::deviation:
      return std::sqrt(variance);
    case FoldKind::log_sum_exp:
      return std::log(exponentials);
    case FoldKind::first:
      return place_in(x, std::ranges::find_if(x, [](long double value) { return value != 0; }));
    case FoldKind::place_of_maximum:
      return place_in(x, std::ranges::max_element(x));
    case FoldKind::place_of_minimum:
      return place_in(x, std::ranges::min_element(x));
    default:
      return sum;
  }
}

long double extent_of(AxisMask over) {
  long double n = 1;
  if ((over & kKeptAxes) != 0) n *= kRows;
  if ((over & kFoldedAxes) != 0) n *= kElements;
  return n;
}

}  // namespace

const RowNumbers& FoldNumbers::evaluate(const ElementNode& node) {
  if (const auto known = done_.find(&node); known != done_.end()) return known->second;
  RowNumbers made = compute(node);
  return done_[&node] = std::move(made);
}

RowNumbers FoldNumbers::leaf(const ElementNode& node) const {
  RowNumbers made(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    const size_t row = (node.axes & kKeptAxes) != 0 ? i / kElements : kRows;
    const size_t element = (node.axes & kFoldedAxes) != 0 ? i % kElements : kElements;
    const long double value = drawn(seed_, node.index + 1u, row * 16 + element);
    made[i] = node.type == ElementType::boolean ? (value < 0.75L ? 0.0L : 1.0L) : value;
  }
  return made;
}

RowNumbers FoldNumbers::places(const ElementNode& node) {
  RowNumbers made(kCount);
  for (size_t i = 0; i < kCount; ++i)
    made[i] = static_cast<long double>(node.index == kFoldedPlace ? i % kElements : i / kElements);
  return made;
}

RowNumbers FoldNumbers::fold(const ElementNode& node) {
  const RowNumbers x = evaluate(node.operand(0));
  const long double correction = node.operands.size() > 1 ? evaluate(node.operand(1))[0] : 0;
  RowNumbers made(kCount);
  each_group(node.over, [&](const std::vector<size_t>& places) {
    std::vector<long double> values;
    for (size_t place : places) values.push_back(x[place]);
    for (size_t place : places)
      made[place] = joined(static_cast<FoldKind>(node.index), values, correction);
  });
  return made;
}

RowNumbers FoldNumbers::compute(const ElementNode& node) {
  switch (node.op) {
    case ElementOp::argument:
    case ElementOp::has_value:
    case ElementOp::string_equals:
      return leaf(node);
    case ElementOp::literal:
      return RowNumbers(kCount, node.number);
    case ElementOp::extent:
      return RowNumbers(kCount, extent_of(node.over));
    case ElementOp::coordinate:
      return places(node);
    case ElementOp::fold:
      return fold(node);
    default:
      break;
  }
  std::vector<RowNumbers> operands;
  for (const ElementNode* operand : node.operands) operands.push_back(evaluate(*operand));
  RowNumbers made(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    made[i] = node.op == ElementOp::select
                  ? (operands[0][i] != 0 ? operands[1][i] : operands[2][i])
                  : value_of<long double>(node.op, operands[0][i],
                                          operands.size() > 1 ? operands[1][i] : 0.0L);
  }
  return made;
}

bool is_zero_in_numbers(const ElementNode& node) {
  constexpr uint64_t kSeeds = 12;
  constexpr long double kZero = 1e-12L;  // of values near 1
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    FoldNumbers numbers(seed);
    for (long double value : numbers.evaluate(node)) {
      if (!(std::fabs(value) < kZero)) return false;
    }
  }
  return true;
}

}  // namespace opweave::codegen

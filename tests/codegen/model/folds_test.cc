// The table of folds: what it says in the expression language is what folds are, in numbers.
#include "codegen/expr/folds.h"

#include <doctest/doctest.h>

#include <cmath>

#include "codegen/expr/intrinsics.h"
#include "codegen/expr/table_texts.h"
#include "codegen/model/folds/fold_numbers.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

// A fold of one tensor, of elements between 0.25 and 1.25, all different.
struct Folded {
  ElementArena arena;
  ElementAlgebra algebra{arena};
  TableTexts texts{arena, algebra};
  Node x = arena.argument(0, ElementType::value, false, false, {}, kAllAxes);
  Node h = arena.argument(1, ElementType::value, false, false, {}, kAllAxes);

  Node fold(FoldKind kind, Node of) {
    std::vector<Node> operands{of};
    if (find_fold(kind).arity == 2) operands.push_back(arena.literal(0.5, true));
    return arena.fold(static_cast<uint16_t>(kind), operands, kFoldedAxes);
  }
  Node sum(Node of) { return fold(FoldKind::sum, of); }
  Node moved(double step) {
    return arena.apply(ElementOp::add,
                       {x, arena.apply(ElementOp::multiply, {arena.literal(step, true), h})});
  }
};

long double largest_difference(Node a, Node b) {
  long double largest = 0;
  for (uint64_t seed = 0; seed < 5; ++seed) {
    FoldNumbers numbers(seed);
    const RowNumbers one = numbers.evaluate(*a), other = numbers.evaluate(*b);
    for (size_t i = 0; i < one.size(); ++i)
      largest = std::max(largest, std::fabs(one[i] - other[i]));
  }
  return largest;
}

TEST_CASE("a fold is what its meaning says") {
  for (const Fold& fold : folds()) {
    CAPTURE(std::string(fold.name));
    if (fold.is_primitive()) {
      CHECK(find_intrinsic(fold.join) != nullptr);
      continue;
    }
    Folded of;
    const Node node = of.fold(fold.kind, of.x);
    CHECK(largest_difference(node, of.texts.meaning(*node)) < 1e-15L);
  }
}

TEST_CASE("its derivative is how it changes") {
  constexpr double kStep = 1e-7;
  for (const Fold& fold : folds()) {
    CAPTURE(std::string(fold.name));
    Folded of;
    const Node node = of.fold(fold.kind, of.x);
    const Node slope = of.texts.derivative(*node);
    const Node above = of.fold(fold.kind, of.moved(kStep));
    const Node below = of.fold(fold.kind, of.moved(-kStep));
    const Node change = of.arena.apply(
        ElementOp::divide,
        {of.arena.apply(ElementOp::subtract, {above, below}), of.arena.literal(2 * kStep, true)});
    const Node by_slope = of.sum(of.arena.apply(ElementOp::multiply, {slope, of.h}));
    CHECK(largest_difference(change, by_slope) < 1e-9L);
  }
}

TEST_CASE("a name is that of one fold") {
  for (const Fold& fold : folds()) CHECK(find_fold(fold.name)->kind == fold.kind);
  CHECK(find_fold("norm") == nullptr);
}

TEST_CASE("what is zero in numbers") {
  Folded of;
  const Node deviation = of.arena.apply(ElementOp::subtract, {of.x, of.fold(FoldKind::mean, of.x)});
  CHECK(is_zero_in_numbers(*of.sum(deviation)));
  CHECK_FALSE(is_zero_in_numbers(*of.sum(of.arena.apply(ElementOp::square, {deviation}))));
  CHECK_FALSE(is_zero_in_numbers(*of.arena.literal(std::nan(""), true)));
}

}  // namespace
}  // namespace opweave::codegen

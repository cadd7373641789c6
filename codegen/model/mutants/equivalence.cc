// Both as trees over elements, and the prover.
#include "codegen/model/mutants/equivalence.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>

#include "codegen/expr/element_copy.h"
#include "codegen/expr/mutations.h"
#include "codegen/model/lowered/same_formula.h"
#include "codegen/model/pointwise/formula_elements.h"
#include "codegen/proof/equality.h"
#include "codegen/proof/evaluate.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();
constexpr long double kSpecial[] = {
    1.5L, -2, 0, kInfinity, -kInfinity, std::numeric_limits<long double>::quiet_NaN()};

bool same(long double a, long double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= 1e-9L * std::max(std::fabs(a), std::fabs(b));
}

ElementPoint special_point(const Schema& schema, std::mt19937_64& random) {
  ElementPoint point;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    point.arguments.push_back(kSpecial[random() % std::size(kSpecial)]);
    point.given.push_back(random() % 2 == 0);
    point.texts.emplace_back();
  }
  point.grad = kSpecial[random() % std::size(kSpecial)];
  point.result = kSpecial[random() % std::size(kSpecial)];
  return point;
}

// A proof is about finite arguments: tests give others, too.
bool equal_at_special(const ElementNode& right, const ElementNode& mutated, const Schema& schema) {
  constexpr int kPoints = 2000;
  std::mt19937_64 random{20};
  for (int i = 0; i < kPoints; ++i) {
    const ElementPoint point = special_point(schema, random);
    const auto value = [&](const ElementNode& tree) {
      return Evaluator(point, ErrorBounds::no).evaluate(tree).value;
    };
    if (!same(value(right), value(mutated))) return false;
  }
  return true;
}

bool equal(const ElementNode& right, const ElementNode& mutated, const Schema& schema,
           ElementArena& arena) {
  const Equality found = prove_equal(right, mutated, arena);
  return found.how == Equality::How::everywhere && !found.but_at_kinks &&
         equal_at_special(right, mutated, schema);
}

bool is_equal_expression(const Operator& op, const Mutant& mutant) {
  ElementArena arena;
  ElementCopier copier(arena, Simplify::no);
  Node right = copier.copy(*op.elements->expr);
  Node of = copier.copy(*mutant.of_element), by = copier.copy(*mutant.element);
  return equal(*right, *replace(*right, *of, *by, arena), op.schema, arena);
}

bool is_equal_formula(const Operator& op, const Mutant& mutant) {
  ElementArena arena;
  FormulaElements elements(arena, op.schema, FormulaElements::Depth::whole);
  Node right = elements.convert(*mutant.of_formula);
  Node mutated = elements.convert(*mutant.formula);
  return elements.opaque().empty() && equal(*right, *mutated, op.schema, arena);
}

}  // namespace

bool is_proved_equal(const Operator& op, const Mutant& mutant) {
  if (mutant.of_element != nullptr && op.elements->expr != nullptr)
    return is_equal_expression(op, mutant);
  if (mutant.of_formula == nullptr) return false;
  return is_same_formula(*mutant.of_formula, *mutant.formula) || is_equal_formula(op, mutant);
}

}  // namespace opweave::codegen

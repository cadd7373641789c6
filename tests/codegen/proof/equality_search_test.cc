// A seeded search: what is proved equal is so in numbers, whatever was rewritten; and true rewrites
// are proved.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "codegen/expr/element_print.h"
#include "codegen/proof/equality.h"
#include "codegen/proof/evaluate.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;
using Op = ElementOp;

constexpr int kCases = 1500;
constexpr uint16_t kArguments = 2;

class Grower {
 public:
  Grower(ElementArena& arena, uint64_t seed) : arena_(arena), random_(seed) {}

  size_t below(size_t count) { return random_() % count; }

  Node tree(int depth) {
    if (depth == 0 || below(6) == 0) return leaf();
    constexpr Op kUnary[] = {Op::exp,  Op::log,     Op::sqrt,   Op::abs,    Op::sin,
                             Op::tanh, Op::sigmoid, Op::negate, Op::square, Op::rsqrt};
    constexpr Op kBinary[] = {Op::add, Op::subtract, Op::multiply, Op::divide, Op::maximum};
    switch (below(5)) {
      case 0:
        return unary(kUnary[below(std::size(kUnary))], tree(depth - 1));
      case 1:
        return arena_.apply(Op::select, {condition(), tree(depth - 1), tree(depth - 1)});
      default:
        return binary(kBinary[below(std::size(kBinary))], tree(depth - 1), tree(depth - 1));
    }
  }

  // The same, written otherwise.
  Node rewritten(Node node) {
    if (node->operands.empty() || node->type == ElementType::boolean) return same(node);
    if (node->op == Op::select) {
      return arena_.apply(Op::select, {arena_.apply(Op::logical_not, {&node->operand(0)}),
                                       rewritten(&node->operand(2)), rewritten(&node->operand(1))});
    }
    std::vector<Node> parts;
    for (Node operand : node->operands) parts.push_back(rewritten(operand));
    return same(operation(node->op, parts));
  }

  // The same where both are finite, but not finite in the same places: or so it looks.
  Node narrowed(Node node) {
    Node part = tree(1);
    const auto log = [&] { return unary(Op::log, part); };
    switch (below(7)) {
      case 0:
        return unary(Op::exp, unary(Op::log, node));
      case 1:
        return binary(Op::multiply, unary(Op::sqrt, node), unary(Op::sqrt, node));
      case 2:
        return binary(Op::pow, binary(Op::pow, node, number(0.5)), number(2));
      case 3:
        return binary(Op::add, node, binary(Op::multiply, number(0), log()));
      case 4:
        return binary(Op::multiply, node, binary(Op::divide, part, part));
      case 5:
        return binary(Op::add, node, binary(Op::divide, number(0), part));
      default:
        return binary(Op::add, node, binary(Op::subtract, log(), log()));
    }
  }

 private:
  Node number(double value) { return arena_.literal(value, true); }
  Node unary(Op op, Node x) {
    // Towers of exponentials leave what numbers can hold.
    if (op == Op::exp) x = arena_.apply(Op::tanh, {x});
    return arena_.apply(op, {x});
  }
  Node binary(Op op, Node x, Node y) { return arena_.apply(op, {x, y}); }
  Node leaf() {
    constexpr double kNumbers[] = {0, 1, 2, -1, 0.5, 3};
    if (below(4) == 0) return number(kNumbers[below(std::size(kNumbers))]);
    return arena_.argument(static_cast<uint16_t>(below(kArguments)), ElementType::value, false,
                           false);
  }
  Node condition() {
    constexpr Op kTests[] = {Op::less, Op::greater, Op::less_equal, Op::equal};
    return binary(kTests[below(std::size(kTests))], leaf(), leaf());
  }

  Node same(Node node) {
    switch (below(5)) {
      case 0:
        return binary(Op::multiply, node, number(1));
      case 1:
        return arena_.apply(Op::negate, {arena_.apply(Op::negate, {node})});
      case 2:
        return binary(Op::add, number(0), node);
      default:
        return node;
    }
  }

  Node operation(Op op, const std::vector<Node>& of) {
    switch (op) {
      case Op::add:
      case Op::multiply:
      case Op::maximum:
        return binary(op, of[1], of[0]);
      case Op::subtract:
        return binary(Op::add, arena_.apply(Op::negate, {of[1]}), of[0]);
      case Op::divide:
        return binary(Op::multiply, of[0], arena_.apply(Op::reciprocal, {of[1]}));
      case Op::square:
        return binary(Op::multiply, of[0], of[0]);
      case Op::abs:
        return binary(Op::maximum, arena_.apply(Op::negate, {of[0]}), of[0]);
      case Op::rsqrt:
        return arena_.apply(Op::reciprocal, {arena_.apply(Op::sqrt, {of[0]})});
      default:
        return arena_.apply(op, of);
    }
  }

  ElementArena& arena_;
  std::mt19937_64 random_;
};

struct Numbers {
  Evaluated first, second;
  bool certain = false;  // rounding decides nothing
};

Numbers numbers_at(const ElementNode& a, const ElementNode& b, long double x, long double y) {
  const ElementPoint point{.arguments = {x, y}, .given = {true, true}, .texts = {"", ""}};
  Numbers found{Evaluator(point).evaluate(a), Evaluator(point).evaluate(b)};
  const auto is_certain = [](const Evaluated& of) {
    return !std::isfinite(of.value) || of.error <= 1e-9L * (1 + std::fabs(of.value));
  };
  found.certain = is_certain(found.first) && is_certain(found.second);
  return found;
}

// A point where what was proved is wrong, as text.
std::string refutation(const ElementNode& a, const ElementNode& b, const Equality& equality) {
  // Of few digits, so that differences of equals are zero.
  constexpr long double kValues[] = {0, 1, -1, 0.5L, 2, 3, -2, 0.375L, -1.625L, 2.75L};
  for (const long double x : kValues) {
    for (const long double y : kValues) {
      const Numbers found = numbers_at(a, b, x, y);
      if (!found.certain) continue;
      const bool finite = std::isfinite(found.first.value);
      const bool same_place = finite == std::isfinite(found.second.value);
      const bool same_value = !finite || !same_place || equality.but_at_kinks ||
                              std::fabs(found.first.value - found.second.value) <=
                                  1e-6L * (1 + std::fabs(found.first.value));
      const bool everywhere = equality.how == Equality::How::everywhere;
      if ((everywhere && !same_place) || !same_value)
        return std::to_string(static_cast<double>(x)) + ", " +
               std::to_string(static_cast<double>(y));
    }
  }
  return "";
}

const std::vector<std::string> kNames = {"x", "y"};

struct Counts {
  int everywhere = 0, where_finite = 0, not_proved = 0;
  int told_apart = 0;  // of `where_finite`: numbers show it, too
  void add(const Equality& equality) {
    everywhere += equality.how == Equality::How::everywhere;
    where_finite += equality.how == Equality::How::where_finite;
    not_proved += equality.how == Equality::How::not_proved;
  }
};

template <typename Rewrite>
Counts search(uint64_t seed, Rewrite&& rewrite) {
  Counts counts;
  for (int i = 0; i < kCases; ++i) {
    ElementArena arena;
    Grower grower(arena, seed + static_cast<uint64_t>(i));
    Node tree = grower.tree(3);
    Node other = rewrite(grower, tree);
    const Equality equality = prove_equal(*tree, *other, arena);
    counts.add(equality);
    if (equality.how == Equality::How::not_proved) continue;
    CAPTURE(i);
    CAPTURE(print(*tree, kNames));
    CAPTURE(print(*other, kNames));
    CHECK(refutation(*tree, *other, equality) == "");
    if (equality.how != Equality::How::where_finite) continue;
    Equality claimed = equality;
    claimed.how = Equality::How::everywhere;
    counts.told_apart += refutation(*tree, *other, claimed).empty() ? 0 : 1;
  }
  return counts;
}

TEST_CASE("rewrites that change where it is finite are never equalities everywhere") {
  const Counts counts =
      search(1000, [](Grower& grower, Node tree) { return grower.narrowed(tree); });
  MESSAGE(counts.everywhere << " everywhere, " << counts.where_finite << " where both are finite, "
                            << counts.not_proved << " not proved, " << counts.told_apart
                            << " told apart by numbers");
  CHECK(counts.where_finite > kCases / 3);
  CHECK(counts.told_apart > counts.where_finite * 8 / 10);
}

TEST_CASE("any two trees that are proved equal are so in numbers") {
  search(500'000, [](Grower& grower, Node) { return grower.tree(2); });
}

TEST_CASE("true rewrites are not refused") {
  const Counts counts =
      search(100'000, [](Grower& grower, Node tree) { return grower.rewritten(tree); });
  MESSAGE(counts.everywhere << " everywhere, " << counts.where_finite << " where both are finite, "
                            << counts.not_proved << " not proved");
  // What is made of an infinite value is not followed: x / (1 / y) at y = 0.
  CHECK(counts.everywhere > kCases * 8 / 10);
  CHECK(counts.not_proved < kCases / 20);
}

}  // namespace
}  // namespace opweave::codegen

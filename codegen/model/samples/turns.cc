// What turns is found in the trees, and its zeros are searched for in numbers.
#include "codegen/model/samples/turns.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "codegen/expr/differentiate.h"
#include "codegen/expr/element_walk.h"

namespace opweave::codegen {
namespace {

using Node = const ElementNode*;

// Between these a change of sign is looked for.
constexpr long double kGrid[] = {-1e6L, -1e3L, -100, -30, -10, -3, -1,  -0.1L, -1e-3L, 0,
                                 1e-3L, 0.1L,  1,    3,   10,  30, 100, 1e3L,  1e6L};

bool is_argument(Node node, uint16_t argument) {
  return node != nullptr && node->op == ElementOp::argument && node->index == argument;
}

// How far what turns is from there, by the value of one argument.
class Gap {
 public:
  Gap(Node left, Node right, const ElementPoint& point, uint16_t argument)
      : left_(left), right_(right), point_(point), argument_(argument) {}

  long double operator()(long double value) {
    set_value(point_, argument_, value);
    Evaluator evaluator(point_, ErrorBounds::no);
    const long double left = evaluator.evaluate(*left_).value;
    return right_ == nullptr ? left : left - evaluator.evaluate(*right_).value;
  }

  // By the rule of false position, which finds what is linear at once, the end that stays with half
  // its weight.
  long double zero_between(long double low, long double high, long double at_low,
                           long double at_high) {
    constexpr int kMostSteps = 60;
    for (int i = 0; i < kMostSteps; ++i) {
      const long double middle = low - at_low * (high - low) / (at_high - at_low);
      const long double here = (*this)(middle);
      if (here == 0 || middle == low || middle == high || !std::isfinite(here)) return middle;
      const bool is_low = (here < 0) == (at_low < 0);
      (is_low ? at_high : at_low) /= 2;
      (is_low ? low : high) = middle;
      (is_low ? at_low : at_high) = here;
    }
    return low;
  }

 private:
  Node left_, right_;
  ElementPoint point_;
  uint16_t argument_;
};

void add_zeros(Gap gap, std::set<long double>& found) {
  long double before = kGrid[0], at_before = gap(before);
  for (const long double value : kGrid) {
    const long double here = gap(value);
    if (here == 0) found.insert(value);
    if (at_before * here < 0 && std::isfinite(at_before * here))
      found.insert(gap.zero_between(before, value, at_before, here));
    before = value;
    at_before = here;
  }
}

bool is_linear(const ElementNode& tree) {
  bool linear = true;
  walk(tree, [&](const ElementNode& node) {
    switch (node.op) {
      case ElementOp::argument:
      case ElementOp::literal:
      case ElementOp::add:
      case ElementOp::subtract:
      case ElementOp::negate:
      case ElementOp::to_value:
        break;
      default:
        linear = false;
    }
  });
  return linear;
}

// The highest place between two, where there is one.
long double highest_between(Gap& gap, long double sign, long double low, long double high) {
  constexpr int kSteps = 60;
  for (int i = 0; i < kSteps; ++i) {
    const long double third = (high - low) / 3;
    const bool rises = sign * gap(low + third) < sign * gap(high - third);
    (rises ? low : high) += rises ? third : -third;
  }
  return (low + high) / 2;
}

// A function may reach beyond a number for a moment, as sin(x) > 0.999 does.
void add_extremes(Gap gap, std::set<long double>& found) {
  constexpr long double kReach = 8, kStep = 0.25L;
  long double first = gap(-kReach), second = gap(-kReach + kStep);
  for (long double x = -kReach + 2 * kStep; x <= kReach; x += kStep) {
    const long double third = gap(x);
    for (const long double sign : {1.0L, -1.0L}) {
      const bool is_extreme = sign * first < sign * second && sign * third <= sign * second;
      if (is_extreme && sign * second < 0)
        found.insert(highest_between(gap, sign, x - 2 * kStep, x));
    }
    first = second;
    second = third;
  }
}

}  // namespace

void set_value(ElementPoint& point, uint16_t argument, long double value) {
  if (argument == kGradIndex) {
    point.grad = value;
    return;
  }
  point.arguments[argument] = value;
  point.given[argument] = true;
}

std::set<uint16_t> arguments_of(const ElementNode& tree) {
  std::set<uint16_t> found;
  walk(tree, [&](const ElementNode& node) {
    if (node.op == ElementOp::argument) found.insert(node.index);
  });
  return found;
}

Turns::Turns(const std::vector<const ElementNode*>& trees) {
  std::unordered_set<const ElementNode*> seen;
  for (const ElementNode* tree : trees)
    walk(*tree, seen, [&](const ElementNode& node) { note(node); });
}

void Turns::note(const ElementNode& node) {
  switch (node.op) {
    case ElementOp::less:
    case ElementOp::less_equal:
    case ElementOp::greater:
    case ElementOp::greater_equal:
    case ElementOp::equal:
    case ElementOp::not_equal:
    case ElementOp::maximum:
    case ElementOp::minimum:
      return add(&node.operand(0), &node.operand(1));
    case ElementOp::abs:
    case ElementOp::sign:
    case ElementOp::relu:
    case ElementOp::to_boolean:
      return add(&node.operand(0), nullptr);
    case ElementOp::copysign:
      return add(&node.operand(1), nullptr);
    default:
      return;
  }
}

void Turns::add(Node left, Node right) {
  Turn turn{left, right, {}, {0}};
  for (Node side : {left, right}) {
    if (side == nullptr) continue;
    turn.reads.merge(arguments_of(*side));
    walk(*side, [&](const ElementNode& node) {
      if (node.op == ElementOp::literal) turn.numbers.insert({node.number, -node.number});
    });
  }
  reads_.insert(turn.reads.begin(), turn.reads.end());
  turns_.push_back(std::move(turn));
}

std::set<long double> Turns::numbers(uint16_t argument) const {
  std::set<long double> found;
  for (const Turn& turn : turns_) {
    if (turn.reads.contains(argument)) found.insert(turn.numbers.begin(), turn.numbers.end());
  }
  return found;
}

std::set<long double> Turns::along(const ElementPoint& point, uint16_t argument) const {
  std::set<long double> found;
  for (const auto& [left, right, reads, numbers] : turns_) {
    if (!reads.contains(argument)) continue;
    const bool is_left = is_argument(left, argument), is_right = is_argument(right, argument);
    Node other = is_left ? right : is_right ? left : nullptr;
    const bool is_alone = other != nullptr && !arguments_of(*other).contains(argument);
    if (is_alone) {
      found.insert(Evaluator(point, ErrorBounds::no).evaluate(*other).value);
    } else if (!(is_left && right == nullptr)) {
      const Gap gap(left, right, point, argument);
      add_zeros(gap, found);
      if (!is_linear(*left) || (right != nullptr && !is_linear(*right))) add_extremes(gap, found);
    }
  }
  std::erase_if(found, [](long double value) { return !std::isfinite(value); });
  return found;
}

}  // namespace opweave::codegen

// The comparison at a point: which gradient is nearer to the slope of the expression.
#include "codegen/model/gradients/gradient_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opweave::codegen {
namespace {

constexpr int kDrawn = 400;
constexpr int kCompared = 120;
constexpr long double kRelative = 1e-9L;  // softplus leaves out 1e-10

long double value(const ElementNode& tree, const ElementPoint& point) {
  return Evaluator(point, ErrorBounds::no).evaluate(tree).value;
}

long double value_in_floats(const ElementNode& tree, const ElementPoint& point) {
  return Evaluator(point, ErrorBounds::no, Precision::float64).evaluate(tree).value;
}

uint64_t way_of(const ElementNode& tree, const ElementPoint& point) {
  Evaluator evaluator(point, ErrorBounds::no);
  evaluator.evaluate(tree);
  return evaluator.way();
}

}  // namespace

std::optional<Counterexample> GradientComparison::search(SamplePoints& samples) {
  for (int i = 0; i < kDrawn && points_ < kCompared; ++i) {
    bool counts = false;
    if (const auto found = compare(samples.next(), counts)) return found;
    points_ += counts ? 1 : 0;
  }
  return search(samples.edges(), true);
}

std::optional<Counterexample> GradientComparison::search_edges(SamplePoints& samples) const {
  return search(samples.edges(), false);
}

std::optional<Counterexample> GradientComparison::search(const std::vector<EdgePoint>& edges,
                                                         bool inside) const {
  for (const EdgePoint& edge : edges) {
    bool counts = false;
    if (edge.inside != inside) continue;
    if (const auto found = compare(edge.point, counts)) return found;
  }
  return std::nullopt;
}

std::optional<Counterexample> GradientComparison::compare(ElementPoint point, bool& counts) const {
  constexpr long double kNone = std::numeric_limits<long double>::quiet_NaN();
  point.result = value(*expr_, point);
  Counterexample found{point, value_in_floats(*given_, point), value_in_floats(*derived_, point),
                       kNone};
  const bool defined =
      std::isfinite(value_in_floats(*expr_, point)) && std::isfinite(found.derived);
  if (!defined) return std::nullopt;
  if (!std::isfinite(found.given)) return found;
  counts = true;
  found.given = value(*given_, point);
  found.derived = value(*derived_, point);
  const long double size = std::max(std::fabs(found.given), std::fabs(found.derived));
  const long double apart = std::fabs(found.given - found.derived);
  if (!(apart > kRelative * size + 1e-15L) || !std::isfinite(apart)) return std::nullopt;
  if (apart <= 64 * rounding(point) || is_near_kink(point)) return std::nullopt;
  const Evaluated slope = quotient(point);
  found.difference = slope.value;
  const long double off = std::fabs(found.given - slope.value);
  const bool worse = off > 4 * slope.error && off > std::fabs(found.derived - slope.value);
  return worse ? std::optional(found) : std::nullopt;
}

// How far rounding may have moved both gradients.
long double GradientComparison::rounding(const ElementPoint& point) const {
  return Evaluator(point).evaluate(*given_).error + Evaluator(point).evaluate(*derived_).error;
}

long double GradientComparison::step(const ElementPoint& point) const {
  return 1e-3L * std::max(1.0L, std::fabs(point.arguments[argument_]));
}

ElementPoint GradientComparison::moved(ElementPoint point, long double by) const {
  point.arguments[argument_] += by;
  return point;
}

// Conventions rule at kinks and jumps: the quotient of differences knows nothing there.
bool GradientComparison::is_near_kink(const ElementPoint& point) const {
  const long double h = 2 * step(point);
  return std::ranges::any_of(std::initializer_list<Node>{expr_, given_, derived_}, [&](Node tree) {
    const uint64_t way = way_of(*tree, point);
    return way != way_of(*tree, moved(point, h)) || way != way_of(*tree, moved(point, -h));
  });
}

// Central differences, extrapolated twice.
Evaluated GradientComparison::quotient(const ElementPoint& point) const {
  const auto at = [&](long double h) {
    return (value(*expr_, moved(point, h)) - value(*expr_, moved(point, -h))) / (2 * h);
  };
  const long double h = step(point);
  const long double wide = at(h), middle = at(h / 2), narrow = at(h / 4);
  const long double once = (4 * middle - wide) / 3, again = (4 * narrow - middle) / 3;
  const long double twice = (16 * again - once) / 15;
  constexpr long double kEpsilon = std::numeric_limits<long double>::epsilon();
  const long double rounded = 64 * kEpsilon * std::fabs(value(*expr_, point)) / h;
  return {twice * point.grad, (std::fabs(twice - again) + rounded) * std::fabs(point.grad)};
}

}  // namespace opweave::codegen

// The comparison at a point: which gradient is nearer to the slope of the expression.
#include "codegen/model/gradients/gradient_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opweave::codegen {
namespace {

constexpr long double kNoSlope = std::numeric_limits<long double>::quiet_NaN();
constexpr int kDrawn = 400;
constexpr int kCompared = 120;
constexpr long double kRelative = 1e-9L;  // softplus leaves out 1e-10
// A formula may lose digits that the derivative keeps: so many of its value, or what is nothing
// beside the gradient that comes in.
constexpr long double kLost = 1e-6L, kNothing = 1e-12L;
constexpr long double kLeast = 1e-306L;  // smaller numbers have no digits left in float64

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
  for (const auto& points : {samples.decisive(), samples.turning()}) {
    for (const ElementPoint& point : points) {
      bool counts = false;
      if (const auto found = compare(point, counts)) return found;
    }
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
  point.result = value(*expr_, point);
  if (const auto found = compare_finite(point)) return found;
  ElementPoint no_gradient = point;  // which is no reason to be infinite
  no_gradient.grad = 0;
  if (const auto found = compare_finite(no_gradient)) return found;
  const Counterexample found{point, value(*given_, point), value(*derived_, point), kNoSlope};
  counts = is_defined(point);
  return counts && is_apart(found) ? refute(found) : std::nullopt;
}

bool GradientComparison::is_defined(const ElementPoint& point) const {
  return std::isfinite(value_in_floats(*expr_, point)) &&
         std::isfinite(value_in_floats(*derived_, point));
}

// Where the derivative is finite in float64 the formula has to be.
std::optional<Counterexample> GradientComparison::compare_finite(const ElementPoint& point) const {
  const long double given = value_in_floats(*given_, point);
  if (std::isfinite(given) || !is_defined(point)) return std::nullopt;
  return Counterexample{point, given, value_in_floats(*derived_, point), kNoSlope};
}

// By more than rounding explains.
bool GradientComparison::is_apart(const Counterexample& found) const {
  const long double size = std::max(std::fabs(found.given), std::fabs(found.derived));
  const long double apart = std::fabs(found.given - found.derived);
  if (!(apart > kRelative * size) || !std::isfinite(apart) || size < kLeast) return false;
  const long double lost = 64 * Evaluator(found.point).evaluate(*given_).error;
  const long double most = std::max(kLost * size, kNothing * std::fabs(found.point.grad));
  const long double rounded = 64 * Evaluator(found.point).evaluate(*derived_).error;
  return apart > rounded + std::min(lost, most);
}

// The slope of the expression says which of the two is wrong. Beside tiny arguments a wide step
// knows nothing of what a narrow one sees, and the other way round where rounding is greater.
std::optional<Counterexample> GradientComparison::refute(Counterexample found) const {
  const long double size = std::fabs(found.point.arguments[argument_]);
  bool has_slope = false;
  for (const long double step : {1e-3L * std::max(1.0L, size), 1e-3L * size}) {
    if (step == 0 || is_near_kink(found.point, step)) continue;
    const Evaluated slope = quotient(found.point, step);
    const long double off = std::fabs(found.given - slope.value);
    has_slope |= std::isfinite(off);
    found.difference = slope.value;
    if (off > 4 * slope.error && off > std::fabs(found.derived - slope.value)) return found;
  }
  found.difference = kNoSlope;
  return !has_slope && is_beside_derived(found) ? std::optional(found) : std::nullopt;
}

// At a kink the choice is the author's where the derivative itself jumps, and nowhere else.
bool GradientComparison::is_beside_derived(const Counterexample& found) const {
  const long double size = std::fabs(found.point.arguments[argument_]);
  const long double step = size == 0 ? 0x1p-60L : size * 0x1p-40L;
  const long double unit = std::max(std::fabs(found.derived), std::fabs(found.given));
  const long double most = kLost * unit + kNothing * std::fabs(found.point.grad);
  const auto off_by = [&](long double by, long double from) {
    return std::fabs(value(*derived_, moved(found.point, by)) - from);
  };
  const bool goes_on = off_by(step, found.derived) <= most && off_by(-step, found.derived) <= most;
  return goes_on && std::fabs(found.given - found.derived) > 4 * most;
}

ElementPoint GradientComparison::moved(ElementPoint point, long double by) const {
  point.arguments[argument_] += by;
  return point;
}

// At kinks and jumps of the expression the quotient of differences knows nothing. Those that the
// formula alone has are its own.
bool GradientComparison::is_near_kink(const ElementPoint& point, long double step) const {
  const long double h = 2 * step;
  return std::ranges::any_of(std::initializer_list<Node>{expr_, derived_}, [&](Node tree) {
    const uint64_t way = way_of(*tree, point);
    return way != way_of(*tree, moved(point, h)) || way != way_of(*tree, moved(point, -h));
  });
}

// Central differences, extrapolated twice.
Evaluated GradientComparison::quotient(const ElementPoint& point, long double step) const {
  const auto at = [&](long double h) {
    return (value(*expr_, moved(point, h)) - value(*expr_, moved(point, -h))) / (2 * h);
  };
  const long double wide = at(step), middle = at(step / 2), narrow = at(step / 4);
  const long double once = (4 * middle - wide) / 3, again = (4 * narrow - middle) / 3;
  const long double twice = (16 * again - once) / 15;
  constexpr long double kEpsilon = std::numeric_limits<long double>::epsilon();
  const long double rounded = 64 * kEpsilon * std::fabs(value(*expr_, point)) / step;
  return {twice * point.grad, (std::fabs(twice - again) + rounded) * std::fabs(point.grad)};
}

}  // namespace opweave::codegen

// Points where something may end: of the domains, of floats, and of what the trees say themselves.
#include <algorithm>
#include <cmath>
#include <limits>

#include "codegen/model/samples/sample_points.h"

namespace opweave::codegen {
namespace {

constexpr long double kInfinity = std::numeric_limits<long double>::infinity();

// From what most formulas bear to what few do: exp overflows, a square does not, then it does.
constexpr long double kSizes[] = {1e3L, 1e8L, 1e30L, 1e300L};

// So near to 0 or 1 formulas may clamp a probability.
constexpr long double kClamped = 1e-9L;

// What may be asked of one domain or another.
std::vector<long double> edge_values(const std::set<long double>& literals) {
  std::vector<long double> values = {0, 1, kInfinity};
  for (const long double size : kSizes) values.insert(values.end(), {size, 1 / size});
  for (const long double literal : literals) {
    if (literal == 0 || !std::isfinite(literal)) continue;
    for (const long double factor : {1.0L, 0.98L, 1.02L}) values.push_back(literal * factor);
  }
  const size_t count = values.size();
  for (size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  return values;
}

bool is_end(Domain domain, long double value) {
  switch (domain) {
    case Domain::positive:
      return value == 0;
    case Domain::prob:
      return value >= 0 && value <= 1;
    case Domain::unit:
      return std::fabs(value) == 1;
    case Domain::ge1:
      return value == 1;
    default:
      return domain == Domain::small;  // a range that is easy to draw from: no function ends there
  }
}

}  // namespace

bool is_inside(Domain domain, long double value) {
  switch (domain) {
    case Domain::positive:
      return value > 0;
    case Domain::unit:
      return std::fabs(value) < 1;
    case Domain::prob:
      return std::fabs(value - 0.5L) <= 0.5L - kClamped;
    case Domain::ge1:
      return value > 1;
    case Domain::nonzero:
      return value != 0;
    case Domain::integer:
    case Domain::below:
    case Domain::boolean:
      return value == 0 || value == 1;
    case Domain::small:
      return std::fabs(value) <= 0.5L;
    default:
      return true;
  }
}

void SamplePoints::add_edge(size_t argument, const SampleCall* call, Domain domain,
                            long double value, std::vector<EdgePoint>& found) {
  const auto& arguments = op_.schema.arguments;
  EdgePoint one{drawn(call), std::isfinite(value) && is_inside(domain, value)}, all = one;
  one.point.arguments[argument] = value;
  found.push_back(one);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].type.is_tensor_like() && domain_of(arguments[i], call) == domain)
      all.point.arguments[i] = value;
  }
  found.push_back(all);
}

bool SamplePoints::holds(uint16_t argument, long double value) const {
  const auto domain = domain_of(op_.schema.arguments[argument], nullptr);
  return !domain || is_inside(*domain, value) || is_end(*domain, value);
}

std::vector<EdgePoint> SamplePoints::edges() {
  constexpr int kTimes = 3;  // for different values of the other arguments
  const std::vector<long double> values = edge_values(literals_);
  std::vector<EdgePoint> found;
  const auto& arguments = op_.schema.arguments;
  for (size_t i = 0; i < arguments.size() * kTimes; ++i) {
    const SampleCall* call = any_call();
    const size_t argument = i / kTimes;
    if (!arguments[argument].type.is_tensor_like()) continue;
    const auto domain = domain_of(arguments[argument], call);
    if (!domain) continue;
    for (const long double value : values) {
      if (is_inside(*domain, value) || is_end(*domain, value))
        add_edge(argument, call, *domain, value, found);
    }
  }
  return found;
}

}  // namespace opweave::codegen

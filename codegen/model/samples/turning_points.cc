// Points where trees turn, and between such places: drawn values rarely lie there.
#include <algorithm>
#include <cmath>

#include "codegen/expr/differentiate.h"
#include "codegen/model/samples/sample_points.h"

namespace opweave::codegen {
namespace {

// What is tried of everything, whatever turns.
constexpr long double kElements[] = {0, 1, -1, 0.5L, -0.5L, 2, -2, 3};
constexpr long double kNumbers[] = {0,     1,      -1, 0.5L, -0.5L, 2,     -2.5L, 3,
                                    1e-3L, -1e-3L, 10, -10,  1e3L,  -1e3L, 1e6L,  -1e6L};
constexpr long double kGradients[] = {1, -1, -2.5L, 1e-3L, 1e3L, -1e3L, 1e6L};

template <size_t size>
std::set<long double> set_of(const long double (&values)[size]) {
  return {std::begin(values), std::end(values)};
}

// Between every two neighbours, and beyond the first and the last.
std::vector<long double> with_places_between(const std::set<long double>& values) {
  std::vector<long double> found(values.begin(), values.end());
  for (auto at = values.begin(); at != values.end() && std::next(at) != values.end(); ++at)
    found.push_back((*at + *std::next(at)) / 2);
  if (values.empty()) return found;
  for (const long double end : {*values.begin() - 1, *values.rbegin() + 1}) found.push_back(end);
  return found;
}

}  // namespace

bool SamplePoints::may_be(uint16_t argument, const SampleCall* call, long double value) const {
  if (argument == kGradIndex) return true;
  const Argument& asked = op_.schema.arguments[argument];
  const bool is_whole = std::trunc(value) == value;
  if (asked.type.base == BaseType::boolean) return value == 0 || value == 1;
  if (asked.type.base == BaseType::integer && !is_whole) return false;
  const auto domain = domain_of(asked, call);
  if (domain == Domain::integer) return is_whole;
  if (asked.type.is_tensor_like()) return domain && is_inside(*domain, value);
  const Role role = op_.policies->role(argument);
  if (role == Role::probability) return value >= 0 && value <= 1;
  const bool is_number = role == Role::number || role == Role::unsaid;
  return is_number && required_.may_vary(argument) && (!domain || is_inside(*domain, value));
}

// What may decide something whatever the other arguments are.
std::vector<long double> SamplePoints::noted_values(uint16_t argument) const {
  const bool is_tensor =
      argument != kGradIndex && op_.schema.arguments[argument].type.is_tensor_like();
  std::set<long double> values = turns_.numbers(argument);
  std::vector<long double> found = with_places_between(values);
  const std::set<long double> others = argument == kGradIndex ? set_of(kGradients)
                                       : is_tensor            ? set_of(kElements)
                                                              : set_of(kNumbers);
  found.insert(found.end(), others.begin(), others.end());
  return found;
}

// And where something turns at the point itself, or may be equal to something else.
std::vector<long double> SamplePoints::turning_values(const ElementPoint& point,
                                                      uint16_t argument) const {
  std::set<long double> values = turns_.along(point, argument);
  if (turns_.reads(argument)) {
    for (const uint16_t other : varied_) {
      const long double value = other == kGradIndex ? point.grad : point.arguments[other];
      if (other != argument && turns_.reads(other)) values.insert({value, -value});
    }
  }
  values.merge(turns_.numbers(argument));
  std::vector<long double> found = with_places_between(values);
  const std::vector<long double> noted = noted_values(argument);
  found.insert(found.end(), noted.begin(), noted.end());
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  // The first of them that tells a difference is shown: plain ones before others.
  std::ranges::stable_sort(found, {},
                           [](long double value) { return std::fabs(std::fabs(value) - 1); });
  return found;
}

ElementPoint SamplePoints::mixed(const SampleCall* call) {
  ElementPoint point = drawn(call);
  for (const uint16_t argument : varied_) {
    const std::vector<long double> values = noted_values(argument);
    const long double value = values[below(values.size())];
    if (below(3) > 0 && may_be(argument, call, value)) set_value(point, argument, value);
  }
  return point;
}

void SamplePoints::add_turning(uint16_t argument, bool is_mixed, std::vector<ElementPoint>& found) {
  const SampleCall* call = any_call();
  ElementPoint point = is_mixed ? mixed(call) : drawn(call);
  for (const long double value : turning_values(point, argument)) {
    if (!may_be(argument, call, value)) continue;
    set_value(point, argument, value);
    if (required_.admit(point)) found.push_back(point);
  }
}

// Conditions may hold of several arguments together.
void SamplePoints::add_mixed(std::vector<ElementPoint>& found) {
  constexpr size_t kPerArgument = 80;
  if (turns_.arguments() < 2) return;
  for (size_t i = 0; i < kPerArgument * std::min<size_t>(turns_.arguments(), 5); ++i) {
    ElementPoint point = mixed(any_call());
    if (required_.admit(point)) found.push_back(std::move(point));
  }
}

// Where two are zero or one together, powers, quotients and products with logarithms end.
void SamplePoints::add_pairs(std::vector<ElementPoint>& found) {
  constexpr long double kEnds[] = {0, 1, -1};
  for (size_t i = 0; i + 1 < varied_.size(); ++i) {
    for (size_t j = i + 1; j + 1 < varied_.size(); ++j) {
      for (const long double first : kEnds) {
        for (const long double second : kEnds)
          add_pair({varied_[i], first}, {varied_[j], second}, found);
      }
    }
  }
}

void SamplePoints::add_pair(std::pair<uint16_t, long double> first,
                            std::pair<uint16_t, long double> second,
                            std::vector<ElementPoint>& found) {
  const SampleCall* call = any_call();
  ElementPoint point = drawn(call);
  for (const auto& [argument, value] : {first, second}) {
    if (!may_be(argument, call, value)) return;
    set_value(point, argument, value);
  }
  if (required_.admit(point)) found.push_back(std::move(point));
}

std::vector<ElementPoint> SamplePoints::turning() {
  std::vector<ElementPoint> found;
  for (const uint16_t argument : varied_) {
    add_turning(argument, false, found);
    add_turning(argument, true, found);
  }
  add_pairs(found);
  add_mixed(found);
  return found;
}

}  // namespace opweave::codegen

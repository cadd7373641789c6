// Computed as a kernel does, beside what is true: first what the processor knows, then a library.
#include "codegen/proof/digits.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace opweave::codegen {
namespace {

// A formula may lose this many times the last digit: more operations than most have, each of which
// rounds, and two decimal digits.
constexpr long double kLost = 1000;
// Of arguments, what functions of the kernels may be off by.
constexpr long double kBeside = 4;

long double epsilon_of(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::float32 ? static_cast<long double>(0x1p-23L) : 0x1p-52L;
}

long double largest_of(Arithmetic arithmetic) {
  return arithmetic == Arithmetic::float32
             ? static_cast<long double>(std::numeric_limits<float>::max())
             : static_cast<long double>(std::numeric_limits<double>::max());
}

bool is_near(long double a, long double b, long double within) {
  return a == b || std::fabs(a - b) <= within;
}

}  // namespace

long double DigitCheck::allowed(const ElementPoint& point, Arithmetic arithmetic, long double exact,
                                long double unit, Arithmetic by) const {
  const long double epsilon = epsilon_of(arithmetic);
  long double explained = kLost * epsilon * std::max(std::fabs(exact), unit);
  for (const uint16_t argument : arguments_) {
    for (const long double step : {kBeside * epsilon, -kBeside * epsilon}) {
      ElementPoint beside = point;
      beside.arguments[argument] *= 1 + step;
      // In few digits the step would be rounded away.
      const long double there = tape_.values(beside, by, Arithmetic::extended).back();
      explained += kLost / 16 * std::fabs(there - exact);
    }
  }
  return explained;
}

std::optional<LostDigits> DigitCheck::at(const ElementPoint& point, Arithmetic arithmetic,
                                         long double unit) const {
  const long double epsilon = epsilon_of(arithmetic);
  const long double computed = tape_.values(point, arithmetic, arithmetic).back();
  const long double extended = tape_.values(point, Arithmetic::extended, arithmetic).back();
  // Nor has the value a place.
  if (!(std::fabs(extended) < largest_of(arithmetic) / 16)) return std::nullopt;
  // Where two arithmetics agree, both are right.
  if (is_near(computed, extended, kLost * epsilon * std::max(std::fabs(extended), unit)))
    return std::nullopt;
  const long double about = allowed(point, arithmetic, extended, unit, Arithmetic::extended);
  if (is_near(computed, extended, about)) return std::nullopt;
  const auto exact = precise_values(tape_, point, arithmetic);
  const long double value = exact.back();
  if (!(std::fabs(value) < largest_of(arithmetic) / 16)) return std::nullopt;
  if (is_near(computed, value, kLost * epsilon * std::max(std::fabs(value), unit)))
    return std::nullopt;
  const long double explained = allowed(point, arithmetic, value, unit, Arithmetic::precise);
  if (std::isnan(explained) || is_near(computed, value, explained)) return std::nullopt;
  return LostDigits{arithmetic, point, computed, value,
                    culprit(tape_.values(point, arithmetic, arithmetic), exact, arithmetic)};
}

// The first step that is far off though its operands are not.
const ElementNode* DigitCheck::culprit(const std::vector<long double>& computed,
                                       const std::vector<long double>& exact,
                                       Arithmetic arithmetic) const {
  const long double epsilon = epsilon_of(arithmetic);
  for (size_t i = 0; i < computed.size(); ++i) {
    if (!is_near(computed[i], exact[i], kLost / 8 * epsilon * std::fabs(exact[i])))
      return tape_.steps()[i].node;
  }
  return tape_.steps().back().node;
}

}  // namespace opweave::codegen

// Points beside the real line, and differences in both directions.
#include "codegen/model/gradients/complex_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opweave::codegen {
namespace {

using Complex = ComplexNumber;

constexpr int kCompared = 60;
constexpr long double kRelative = 1e-6L;

bool is_finite(const Complex& x) { return std::isfinite(x.real()) && std::isfinite(x.imag()); }

// What may be a complex number is turned off the real line.
ComplexPoint turned(const Operator& op, const ElementPoint& point, int turn) {
  ComplexPoint made{.arguments = {}, .grad = std::polar(1.3L, 0.8L), .result = 0, .other = point};
  for (size_t i = 0; i < point.arguments.size(); ++i) {
    const BaseType type = op.schema.arguments[i].type.base;
    const bool may_be = type == BaseType::tensor || type == BaseType::scalar;
    const long double angle =
        may_be ? 0.4L + 0.9L * static_cast<long double>(turn) + 1.7L * static_cast<long double>(i)
               : 0;
    made.arguments.push_back(point.arguments[i] * std::polar(1.0L, angle));
  }
  return made;
}

// Re(conj(grad) * f) by both parts of the argument.
Complex difference(const ElementNode& expr, const ComplexPoint& point, uint16_t argument) {
  const long double step = 1e-5L * std::max(1.0L, std::abs(point.arguments[argument]));
  const auto at = [&](Complex by) {
    ComplexPoint moved = point;
    moved.arguments[argument] += by;
    return (std::conj(point.grad) * complex_value(expr, moved)).real();
  };
  const auto slope = [&](Complex by) { return (at(by) - at(-by)) / (2 * step); };
  return {slope(step), slope(Complex(0, step))};
}

}  // namespace

std::optional<ComplexCounterexample> compare_complex(const Operator& op, const ElementNode& expr,
                                                     const ElementNode& given,
                                                     const ElementNode& derived, uint16_t argument,
                                                     SamplePoints& samples) {
  for (int i = 0; i < kCompared; ++i) {
    ComplexPoint point = turned(op, samples.next(), i);
    const Complex first = complex_value(given, point), second = complex_value(derived, point);
    const Complex slope = difference(expr, point, argument);
    const long double size = std::max({std::abs(first), std::abs(second), std::abs(slope)});
    const long double off = std::abs(first - slope);
    if (!is_finite(first) || !is_finite(second) || !is_finite(slope)) continue;
    if (std::abs(first - second) > kRelative * size && off > kRelative * size &&
        off > 100 * std::abs(second - slope))
      return ComplexCounterexample{std::move(point), first, second, slope};
  }
  return std::nullopt;
}

std::string complex_text(const Complex& value) {
  const auto real = static_cast<double>(value.real()),
             imaginary = static_cast<double>(value.imag());
  if (imaginary == 0) return fmt::format("{:.6g}", real);
  return fmt::format("{:.6g} {} {:.6g}i", real, imaginary < 0 ? '-' : '+', std::fabs(imaginary));
}

}  // namespace opweave::codegen

// Numbers and names in the shape that readers know.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "codegen/math/math.h"

namespace opweave::codegen {
namespace {

struct Greek {
  std::string_view word, letter;
};
constexpr Greek kGreek[] = {{"alpha", "α"},   {"beta", "β"},    {"gamma", "γ"}, {"delta", "δ"},
                            {"eps", "ε"},     {"epsilon", "ε"}, {"lambd", "λ"}, {"lambda", "λ"},
                            {"lambda_", "λ"}, {"mu", "μ"},      {"rho", "ρ"},   {"sigma", "σ"},
                            {"theta", "θ"},   {"pi", "π"}};

constexpr int kLargestDenominator = 32;

struct Ratio {
  int64_t above = 0, below = 1;
};

// But for the rounding of the last digit.
bool is_close(double a, double b) { return std::fabs(a - b) <= 4e-16 * std::fabs(b); }

// The fraction of small numbers that is this double, if there is one.
std::optional<Ratio> ratio_of(double value) {
  if (std::trunc(value) == value && std::fabs(value) < 1e6) return Ratio{std::llround(value), 1};
  for (int64_t below = 2; below <= kLargestDenominator; ++below) {
    const double above = std::round(value * static_cast<double>(below));
    if (std::fabs(above) <= 100 && is_close(above / static_cast<double>(below), value))
      return Ratio{std::llround(above), below};
  }
  return std::nullopt;
}

Math plain(std::string text) { return make_math(MathKind::number, std::move(text)); }
Math pi() { return make_math(MathKind::name, "π"); }
Math root_of(Math of) { return make_math(MathKind::root, {std::move(of)}); }
Math over(Math above, Math below) {
  return make_math(MathKind::fraction, {std::move(above), std::move(below)});
}
Math logarithm(const char* of) {
  return make_math(MathKind::call, {make_math(MathKind::name, "ln"), plain(of)});
}

// Constants that expressions spell out in digits.
struct Known {
  double value;
  Math (*make)();
};
const Known kKnown[] = {
    {3.141592653589793, [] { return pi(); }},
    {2.718281828459045, [] { return make_math(MathKind::name, "e"); }},
    {0.6931471805599453, [] { return logarithm("2"); }},
    {2.302585092994046, [] { return logarithm("10"); }},
    {1.4426950408889634, [] { return over(plain("1"), logarithm("2")); }},
    {0.7071067811865476, [] { return over(plain("1"), root_of(plain("2"))); }},
    {1.4142135623730951, [] { return root_of(plain("2")); }},
    {1.1283791670955126, [] { return over(plain("2"), root_of(pi())); }},
    {0.886226925452758, [] { return over(root_of(pi()), plain("2")); }},
    {0.7978845608028654, [] { return root_of(over(plain("2"), pi())); }},
    {0.3989422804014327,
     [] {
       return over(plain("1"), root_of(make_math(MathKind::product, {plain("2"), pi()})));
     }},
    {0.017453292519943295, [] { return over(pi(), plain("180")); }},
    {57.29577951308232, [] { return over(plain("180"), pi()); }},
};

const Known* find_known(double value) {
  for (const Known& known : kKnown) {
    if (is_close(std::fabs(value), known.value)) return &known;
  }
  return nullptr;
}

// `1e-12` as a power of ten, other numbers by their digits.
Math decimal(double value) {
  std::string text = fmt::format("{:.15g}", value);
  if (!is_close(std::atof(text.c_str()), value)) text = fmt::format("{}", value);
  const size_t exponent = text.find('e');
  if (exponent == std::string::npos) return plain(text);
  const int power = std::atoi(text.c_str() + exponent + 1);
  Math power_of_ten = make_math(MathKind::power, {plain("10"), math_number(power)});
  const std::string digits = text.substr(0, exponent);
  if (digits == "1") return power_of_ten;
  return make_math(MathKind::product, {plain(digits), power_of_ten});
}

}  // namespace

Math make_math(MathKind kind, std::string text, std::vector<Math> parts) {
  return std::make_shared<const MathNode>(MathNode{kind, std::move(text), std::move(parts)});
}

Math make_math(MathKind kind, std::vector<Math> parts) {
  return make_math(kind, std::string(), std::move(parts));
}

bool is_plain_number(double value) {
  return std::isfinite(value) && (ratio_of(value) || find_known(value) == nullptr);
}

Math math_number(double value) {
  if (std::isnan(value)) return make_math(MathKind::name, "NaN");
  if (std::signbit(value) && value != 0) return make_math(MathKind::minus, {math_number(-value)});
  if (std::isinf(value)) return make_math(MathKind::name, "∞");
  if (const auto ratio = ratio_of(value)) {
    Math above = plain(fmt::format("{}", ratio->above));
    if (ratio->below == 1) return above;
    return over(std::move(above), plain(fmt::format("{}", ratio->below)));
  }
  if (const Known* known = find_known(value)) return known->make();
  return decimal(value);
}

Math math_name(std::string_view name) {
  for (const Greek& greek : kGreek) {
    if (name == greek.word) return make_math(MathKind::name, std::string(greek.letter));
  }
  return make_math(MathKind::name, std::string(name));
}

}  // namespace opweave::codegen

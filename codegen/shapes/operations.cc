// Operations on sizes, numbers, texts and dtypes.
#include "codegen/shapes/operations.h"

namespace opweave::codegen {
namespace {

Value of_sizes(std::string_view symbol, const Size& a, const Size& b) {
  if (symbol == "+") return {a + b};
  if (symbol == "-") return {a - b};
  if (symbol == "*") return {a * b};
  if (symbol == "==") return {equal(a, b)};
  if (symbol == "!=") return {negated(equal(a, b))};
  if (symbol == "<") return {less(a, b)};
  if (symbol == "<=") return {less_or_equal(a, b)};
  if (symbol == ">") return {less(b, a)};
  if (symbol == ">=") return {less_or_equal(b, a)};
  return {Unknown()};
}

Value of_reals(std::string_view symbol, double a, double b) {
  if (symbol == "+") return {a + b};
  if (symbol == "-") return {a - b};
  if (symbol == "*") return {a * b};
  if (symbol == "<") return {Condition::of(a < b)};
  if (symbol == "<=") return {Condition::of(a <= b)};
  if (symbol == ">") return {Condition::of(a > b)};
  if (symbol == ">=") return {Condition::of(a >= b)};
  if (symbol == "==") return {Condition::of(a == b)};
  if (symbol == "!=") return {Condition::of(a != b)};
  return {Unknown()};
}

Value equality(std::string_view symbol, bool equal) {
  return {Condition::of(equal == (symbol == "=="))};
}

}  // namespace

std::optional<double> real_number(const Value& value) {
  if (const auto* number = value.as<double>()) return *number;
  const auto whole = value.as<Size>() ? value.as<Size>()->number() : std::nullopt;
  return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

Value operation(std::string_view symbol, const Value& a, const Value& b) {
  if (a.as<Size>() && b.as<Size>()) return of_sizes(symbol, *a.as<Size>(), *b.as<Size>());
  if (const auto x = real_number(a), y = real_number(b); x && y) return of_reals(symbol, *x, *y);
  const bool compares = symbol == "==" || symbol == "!=";
  if (!compares || a.is.index() != b.is.index()) return {Unknown()};
  if (const auto* text = a.as<std::string>())
    return equality(symbol, *text == *b.as<std::string>());
  if (const auto* dtype = a.as<DtypeName>()) {
    const std::string& other = b.as<DtypeName>()->name;
    if (dtype->name.empty() || other.empty()) return {Unknown()};
    return equality(symbol, dtype->name == other);
  }
  return {Unknown()};
}

}  // namespace opweave::codegen

// The reasons, by the rules of schema::parse_number.
#include "codegen/syntax/number_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "schema/text_scanner.h"

namespace opweave::codegen {
namespace {

std::string_view without_sign(std::string_view text) {
  return text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text;
}

bool is_made_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

}  // namespace

bool looks_like_number(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (digits.empty()) return false;
  const bool point = digits[0] == '.' && digits.size() > 1 && schema::is_digit(digits[1]);
  return point || schema::is_digit(digits[0]);
}

std::string number_problem(std::string_view text) {
  const std::string_view digits = without_sign(text);
  const bool whole = !digits.empty() && is_made_of(digits, "0123456789");
  if (digits.size() > 1 && digits[0] == '0' && schema::is_digit(digits[1])) {
    const size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    return fmt::format("'{}' has a zero in front: write {}", text, digits.substr(first));
  }
  if (whole)
    return fmt::format("'{}' is beyond the range of int64; with a point it is a float", text);
  const bool decimal = is_made_of(digits, "0123456789.eE+-") && schema::is_digit(digits.back());
  if (decimal) return fmt::format("'{}' is no number, or beyond the range of float64", text);
  return fmt::format("'{}' is not a number", text);
}

}  // namespace opweave::codegen

// The reasons, by the rules of parse_number.
#include "schema/number_text.h"

#include <algorithm>

#include "schema/constant_parser.h"
#include "schema/text_scanner.h"

namespace opweave::schema {
namespace {

std::string_view without_sign(std::string_view text) {
  return text.starts_with('-') || text.starts_with('+') ? text.substr(1) : text;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

bool is_made_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

}  // namespace

bool looks_like_number(std::string_view text) {
  const std::string_view digits = without_sign(text);
  if (digits.empty()) return false;
  const bool point = digits[0] == '.' && digits.size() > 1 && is_digit(digits[1]);
  return point || is_digit(digits[0]);
}

std::string_view bad_number(std::string_view text) {
  const bool list = text.starts_with('[');
  size_t begin = list ? 1 : 0;
  while (begin < text.size()) {
    begin = std::min(text.find_first_not_of(' ', begin), text.size());
    const size_t end = std::min(text.find_first_of(" ,)]", begin), text.size());
    const std::string_view number = text.substr(begin, end - begin);
    if (looks_like_number(number) && !parse_number(number)) return number;
    if (!list || end == text.size() || text[end] != ',') return {};
    begin = end + 1;
  }
  return {};
}

std::string number_problem(std::string_view text) {
  const std::string_view digits = without_sign(text);
  const bool whole = !digits.empty() && is_made_of(digits, "0123456789");
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) {
    const size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
    return quoted(text) + " has a zero in front: write " + std::string(digits.substr(first));
  }
  if (text.starts_with('+') && digits.size() > 0)
    return quoted(text) + " has a needless sign: write " + std::string(digits);
  if (whole) return quoted(text) + " is beyond the range of int64; with a point it is a float";
  const bool decimal = is_made_of(digits, "0123456789.eE+-") && is_digit(digits.back());
  if (decimal) return quoted(text) + " is no number, or beyond the range of float64";
  return quoted(text) + " is not a number";
}

}  // namespace opweave::schema

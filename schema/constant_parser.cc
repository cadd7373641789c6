// Parser of constants.
#include "schema/constant_parser.h"

#include <charconv>
#include <limits>

namespace opweave::schema {
namespace {

Constant make(Constant::Kind kind, std::string_view text) {
  Constant constant;
  constant.kind = kind;
  constant.text = text;
  return constant;
}

std::optional<Constant> parse_string(TextScanner& scan) {
  uint32_t begin = scan.position();
  char quote = scan.peek();
  scan.take(std::string_view(&quote, 1));
  std::string contents;
  while (!scan.at_end() && scan.peek() != quote) {
    if (scan.take("\\") && scan.at_end()) return {};
    contents += scan.peek();
    scan.rewind(scan.position() + 1);
  }
  if (scan.at_end()) return {};
  scan.rewind(scan.position() + 1);
  Constant constant = make(Constant::Kind::string, scan.from(begin));
  constant.string = std::move(contents);
  return constant;
}

// Lists hold single values: no type of the schema language nests lists.
std::optional<Constant> parse_single(TextScanner& scan);

std::optional<Constant> parse_list(TextScanner& scan) {
  uint32_t begin = scan.position();
  Constant constant;
  constant.kind = Constant::Kind::list;
  scan.take("[");
  scan.skip_blanks();
  if (!scan.take("]")) {
    do {
      scan.skip_blanks();
      std::optional<Constant> item = parse_single(scan);
      if (!item) return {};
      constant.items.push_back(std::move(*item));
      scan.skip_blanks();
    } while (scan.take(","));
    if (!scan.take("]")) return {};
  }
  constant.text = scan.from(begin);
  return constant;
}

Constant word_constant(std::string_view word) {
  if (word == "None") return make(Constant::Kind::none, word);
  if (word == "True" || word == "False") {
    Constant constant = make(Constant::Kind::boolean, word);
    constant.boolean = word == "True";
    return constant;
  }
  Constant constant = make(Constant::Kind::symbol, word);
  constant.string = word;
  return constant;
}

std::optional<Constant> parse_single(TextScanner& scan) {
  char c = scan.peek();
  if (c == '"' || c == '\'') return parse_string(scan);
  if (is_identifier_start(c)) {
    std::string_view word = scan.take_identifier();
    if (std::optional<Constant> number = parse_number(word)) return number;
    return word_constant(word);
  }
  uint32_t begin = scan.position();
  scan.take("-");
  char last = '\0';
  scan.take_while([&](char next) {
    bool sign_of_exponent = (next == '-' || next == '+') && (last == 'e' || last == 'E');
    last = next;
    return is_identifier_char(next) || next == '.' || sign_of_exponent;
  });
  return parse_number(scan.from(begin));
}

// `0777` would be octal to one reader and 777 to the next.
bool has_idle_zero(std::string_view digits) {
  return digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]);
}

bool is_whole(std::string_view digits) {
  return digits.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::optional<Constant> parse_constant(TextScanner& scan) {
  return scan.peek() == '[' ? parse_list(scan) : parse_single(scan);
}

std::optional<Constant> parse_number(std::string_view text) {
  const char* begin = text.data();
  const char* end = begin + text.size();
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (has_idle_zero(digits)) return {};
  Constant constant = make(Constant::Kind::integer, text);
  auto integer = std::from_chars(begin, end, constant.integer);
  if (integer.ec == std::errc() && integer.ptr == end && !text.empty()) {
    constant.real = static_cast<double>(constant.integer);
    return constant;
  }
  constant.kind = Constant::Kind::real;
  if (text == "inf" || text == "-inf") {
    double infinity = std::numeric_limits<double>::infinity();
    constant.real = text == "inf" ? infinity : -infinity;
    return constant;
  }
  // from_chars also takes `nan` and `infinity`, which are no numbers here.
  // Whole numbers beyond int64 are none either: they would be read as others.
  if (digits.empty() || is_whole(digits) || !(is_digit(digits[0]) || digits[0] == '.')) return {};
  auto real = std::from_chars(begin, end, constant.real);
  if (real.ec != std::errc() || real.ptr != end) return {};
  return constant;
}

}  // namespace opweave::schema

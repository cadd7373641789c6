// Recursive-descent parser of schema strings.
#include "schema/schema.h"

#include <algorithm>
#include <charconv>

#include "schema/constant_parser.h"
#include "schema/number_text.h"
#include "schema/object_types.h"
#include "schema/text_scanner.h"

namespace opweave::schema {
namespace {

// How many bytes spell the character that a text begins with, as far as UTF-8 says.
size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return std::min(bytes, text.size());
}

// Each parse_ function returns false after noting the problem; the first one ends the schema.
class Parser {
 public:
  Parser(std::string_view text, ParseOptions options)
      : text_(text), options_(options), scan_(text) {}

  std::variant<Schema, Problem> parse() {
    const bool good = parse_name() && parse_arguments() && expect("->", "after the arguments") &&
                      parse_returns() && parse_end() && check_canonical();
    if (!good) return std::move(problem_);
    return std::move(schema_);
  }

 private:
  using Kind = Problem::Kind;

  bool fail(std::string message) { return fail(here(), std::move(message)); }
  bool fail(Range range, const std::string& message, Kind kind = Kind::syntax) {
    problem_ = {.kind = kind, .range = range, .message = in_schema() + message};
    return false;
  }
  bool fail_beside(Range first, Range range, const std::string& message, Kind kind) {
    fail(range, message, kind);
    problem_.note = "the first is here";
    problem_.note_range = first;
    return false;
  }
  std::string in_schema() const {
    return schema_.base_name.empty() ? "" : "in the schema of '" + schema_.full_name() + "': ";
  }
  Range since(uint32_t begin) const { return {begin, scan_.position()}; }
  // The character at the cursor, or the place behind the last one.
  Range here() const {
    const size_t size = scan_.at_end() ? 0 : character_bytes(scan_.rest());
    return {scan_.position(), scan_.position() + static_cast<uint32_t>(size)};
  }
  bool expect(std::string_view token, std::string_view where) {
    scan_.skip_blanks();
    if (scan_.take(token)) return true;
    const std::string_view rest = scan_.rest();
    const std::string found =
        rest.empty() ? "the end" : "'" + std::string(rest.substr(0, character_bytes(rest))) + "'";
    return fail("expected '" + std::string(token) + "' " + std::string(where) + ", found " + found);
  }

  bool parse_name() {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    schema_.base_name = scan_.take_identifier();
    while (options_.namespaces && !schema_.base_name.empty() && scan_.take("::")) {
      const std::string_view name = scan_.take_identifier();
      if (name.empty()) return fail("expected a name after '::'");
      schema_.base_name += "::" + std::string(name);
    }
    if (schema_.base_name.empty()) return fail("expected the name of an operator");
    if (scan_.take(".")) {
      schema_.overload_name = scan_.take_while(is_identifier_char);
      if (schema_.overload_name.empty()) return fail("expected an overload name after '.'");
    }
    schema_.name_range = since(begin);
    return true;
  }

  bool parse_arguments() {
    if (!expect("(", "after the name of the operator")) return false;
    scan_.skip_blanks();
    if (scan_.take(")")) return true;
    std::optional<Range> star;
    do {
      scan_.skip_blanks();
      if (scan_.peek() == '*') {
        if (star) return fail_beside(*star, here(), "a second '*' among the arguments", {});
        star = here();
        scan_.take("*");
      } else if (!parse_argument(star.has_value())) {
        return false;
      }
      scan_.skip_blanks();
    } while (scan_.take(","));
    return expect(")", "or ',' after an argument");
  }

  bool parse_argument(bool keyword_only) {
    const uint32_t begin = scan_.position();
    Argument argument;
    argument.keyword_only = keyword_only;
    if (!parse_type(argument.type)) return false;
    argument.type_range = since(begin);
    scan_.skip_blanks();
    const uint32_t name_begin = scan_.position();
    argument.name = scan_.take_identifier();
    if (argument.name.empty()) {
      return fail("expected a name after the type '" + print(argument.type) + "'");
    }
    argument.name_range = since(name_begin);
    scan_.skip_blanks();
    if (scan_.take("=") && !parse_default(argument)) return false;
    argument.range = since(begin);
    const auto same = std::ranges::find(schema_.arguments, argument.name, &Argument::name);
    if (same != schema_.arguments.end()) {
      return fail_beside(same->name_range, argument.name_range,
                         "a second argument named '" + argument.name + "'",
                         Kind::duplicate_argument);
    }
    schema_.arguments.push_back(std::move(argument));
    return true;
  }

  bool parse_default(Argument& argument) {
    const uint32_t begin = scan_.position();
    argument.default_value = parse_constant(scan_);
    argument.default_range = since(begin);
    if (argument.default_value) return true;
    scan_.rewind(begin);
    if (const std::string_view bad = bad_number(scan_.rest()); !bad.empty()) {
      const auto at = static_cast<uint32_t>(bad.data() - text_.data());
      return fail({at, at + static_cast<uint32_t>(bad.size())},
                  "the default of '" + argument.name + "': " + number_problem(bad));
    }
    return fail("expected a default value for '" + argument.name + "'");
  }

  bool parse_type(Type& type) {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    const std::string_view name = scan_.take_identifier();
    if (name.empty()) return fail("expected a type");
    const std::optional<BaseType> base = base_type_from_name(name);
    if (base && *base < BaseType::object) {
      type.base = *base;
      type.symbolic = name.starts_with("Sym");
    } else if (const ObjectType* object = find_object_type(name)) {
      type.base = BaseType::object;
      type.object = object->name;
    } else if (base) {  // one of PyTorch's, which no operator here has
      type.base = *base;
    } else {
      const std::string text(name);
      fail(since(begin), "unknown type '" + text + "'", Kind::unknown_type);
      problem_.unknown = text;
      return false;
    }
    if (scan_.take("(") && !parse_alias(type.alias.emplace())) return false;
    return parse_suffixes(type);
  }

  bool parse_suffixes(Type& type) {
    bool optional = scan_.take("?");
    if (scan_.take("[")) {
      type.list = true;
      type.element_optional = optional;
      const std::string_view digits = scan_.take_while(is_digit);
      if (!digits.empty() && !parse_size(digits, type)) {
        return fail(since(scan_.position() - static_cast<uint32_t>(digits.size())),
                    "the size of a list must be from 1 to 64, not " + std::string(digits));
      }
      if (!scan_.take("]")) return fail("expected ']' after the size of a list");
      optional = scan_.take("?");
    }
    type.optional = optional;
    return true;
  }

  static bool parse_size(std::string_view digits, Type& type) {
    int64_t size = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size);
    type.size = size;
    return parsed.ec == std::errc() && size >= 1 && size <= 64;
  }

  bool parse_alias(Alias& alias) {
    if (!parse_sets(alias.before)) return false;
    alias.write = scan_.take("!");
    scan_.skip_blanks();
    if (scan_.take("->")) {
      scan_.skip_blanks();
      if (!parse_sets(alias.after)) return false;
    }
    return expect(")", "at the end of an alias annotation");
  }

  bool parse_sets(std::vector<std::string>& sets) {
    do {
      const std::string_view set = scan_.take("*") ? "*" : scan_.take_identifier();
      if (set.empty()) return fail("expected the name of an alias set, such as 'a'");
      sets.emplace_back(set);
    } while (scan_.take("|"));
    return true;
  }

  bool parse_returns() {
    scan_.skip_blanks();
    schema_.returns_parenthesised = scan_.take("(");
    if (!schema_.returns_parenthesised) return parse_return();
    scan_.skip_blanks();
    if (scan_.take(")")) return true;
    do {
      if (!parse_return()) return false;
      scan_.skip_blanks();
    } while (scan_.take(","));
    return expect(")", "or ',' after a return");
  }

  bool parse_return() {
    scan_.skip_blanks();
    const uint32_t begin = scan_.position();
    Return result;
    if (!parse_type(result.type)) return false;
    const uint32_t end = scan_.position();
    scan_.skip_blanks();
    const uint32_t name_begin = scan_.position();
    result.name = scan_.take_identifier();
    if (result.name.empty()) scan_.rewind(end);
    result.range = since(begin);
    if (!result.name.empty()) result.name_range = since(name_begin);
    schema_.returns.push_back(std::move(result));
    return true;
  }

  bool parse_end() {
    scan_.skip_blanks();
    return scan_.at_end() || fail("unexpected text after the schema");
  }

  // One spelling for one schema: it is what makes the tree lossless.
  bool check_canonical() {
    if (!options_.canonical) return true;
    const std::string canonical = print(schema_);
    if (canonical == text_) return true;
    const auto at =
        static_cast<size_t>(std::ranges::mismatch(canonical, text_).in2 - text_.begin());
    const std::string name = schema_.full_name();
    problem_ = {.kind = Kind::not_canonical,
                .range = {static_cast<uint32_t>(at), static_cast<uint32_t>(at)},
                .message = "the schema of '" + name + "' is not in its canonical spelling",
                .note = "write it: " + canonical};
    return false;
  }

  std::string_view text_;
  ParseOptions options_;
  TextScanner scan_;
  Schema schema_;
  Problem problem_;
};

}  // namespace

std::variant<Schema, Problem> parse_schema(std::string_view text, ParseOptions options) {
  return Parser(text, options).parse();
}

std::string print_argument(const Argument& argument) {
  std::string out = print(argument.type) + " " + argument.name;
  if (argument.default_value) out += "=" + argument.default_value->text;
  return out;
}

}  // namespace opweave::schema

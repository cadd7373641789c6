// Recursive-descent parser and printer of schema strings.
#include "codegen/syntax/schema.h"

#include <fmt/format.h>

#include <charconv>

#include "codegen/diagnostics/suggest.h"
#include "codegen/diagnostics/utf8.h"
#include "codegen/syntax/constant_parser.h"
#include "codegen/syntax/scanner.h"

namespace opweave::codegen {
namespace {

// Each parse_ function returns false after reporting; the first error ends the schema.
class SchemaParser {
 public:
  SchemaParser(const LocatedText& text, DiagnosticSink& sink)
      : text_(text), scan_(text), sink_(sink) {}

  std::optional<Schema> parse() {
    schema_.span = text_.whole();
    if (!parse_name() || !parse_arguments() || !parse_arrow() || !parse_returns()) return {};
    scan_.skip_blanks();
    if (!scan_.at_end()) {
      fail("unexpected text after the schema");
      return {};
    }
    if (!check_canonical()) return {};
    return std::move(schema_);
  }

 private:
  bool fail(std::string message) { return fail(scan_.here(), std::move(message)); }
  bool fail(Span span, const std::string& message) {
    sink_.error(Code::schema_syntax, span, in_schema() + message);
    return false;
  }
  std::string in_schema() const {
    return schema_.base_name.empty() ? ""
                                     : fmt::format("in the schema of '{}': ", schema_.full_name());
  }
  bool expect(std::string_view token, std::string_view where) {
    scan_.skip_blanks();
    if (scan_.take(token)) return true;
    const std::string_view rest = scan_.rest();
    std::string found =
        rest.empty() ? "the end" : fmt::format("'{}'", rest.substr(0, first_character(rest).bytes));
    return fail(fmt::format("expected '{}' {}, found {}", token, where, found));
  }

  bool parse_name() {
    scan_.skip_blanks();
    uint32_t begin = scan_.position();
    schema_.base_name = scan_.take_identifier();
    if (schema_.base_name.empty()) return fail("expected the name of an operator");
    if (scan_.take(".")) {
      schema_.overload_name = scan_.take_while(is_identifier_char);
      if (schema_.overload_name.empty()) return fail("expected an overload name after '.'");
    }
    schema_.name_span = scan_.span_from(begin);
    return true;
  }

  bool parse_arguments() {
    if (!expect("(", "after the name of the operator")) return false;
    scan_.skip_blanks();
    if (scan_.take(")")) return true;
    Span star;
    do {
      scan_.skip_blanks();
      if (scan_.peek() == '*') {
        if (star) return report_second_star(star);
        star = scan_.here();
        scan_.take("*");
      } else if (!parse_argument(static_cast<bool>(star))) {
        return false;
      }
      scan_.skip_blanks();
    } while (scan_.take(","));
    return expect(")", "or ',' after an argument");
  }

  bool report_second_star(Span first) {
    sink_.error(Code::schema_syntax, scan_.here(), in_schema() + "a second '*' among the arguments")
        .note(first, "the first is here");
    return false;
  }

  bool parse_argument(bool keyword_only) {
    uint32_t begin = scan_.position();
    Argument argument;
    argument.keyword_only = keyword_only;
    if (!parse_type(argument.type)) return false;
    argument.type_span = scan_.span_from(begin);
    scan_.skip_blanks();
    uint32_t name_begin = scan_.position();
    argument.name = scan_.take_identifier();
    if (argument.name.empty()) {
      return fail(fmt::format("expected a name after the type '{}'", print(argument.type)));
    }
    argument.name_span = scan_.span_from(name_begin);
    scan_.skip_blanks();
    if (scan_.take("=") && !parse_default(argument)) return false;
    argument.span = scan_.span_from(begin);
    if (schema_.find_argument(argument.name) >= 0) return report_duplicate(argument);
    schema_.arguments.push_back(std::move(argument));
    return true;
  }

  bool report_duplicate(const Argument& argument) {
    const Argument& first = schema_.arguments[schema_.find_argument(argument.name)];
    sink_
        .error(Code::duplicate_argument, argument.name_span,
               fmt::format("{}a second argument named '{}'", in_schema(), argument.name))
        .note(first.name_span, "the first is here");
    return false;
  }

  bool parse_default(Argument& argument) {
    uint32_t begin = scan_.position();
    argument.default_value = parse_constant(scan_);
    argument.default_span = scan_.span_from(begin);
    if (argument.default_value) return true;
    scan_.rewind(begin);
    return fail(fmt::format("expected a default value for '{}'", argument.name));
  }

  bool parse_type(Type& type) {
    scan_.skip_blanks();
    uint32_t begin = scan_.position();
    std::string_view name = scan_.take_identifier();
    if (name.empty()) return fail("expected a type");
    std::optional<BaseType> base = base_type_from_name(name);
    if (!base) {
      sink_
          .error(Code::unknown_type, scan_.span_from(begin),
                 fmt::format("{}unknown type '{}'", in_schema(), name))
          .suggest(closest(name, schema_type_names()));
      return false;
    }
    type.base = *base;
    type.symbolic = name.starts_with("Sym");
    if (scan_.take("(") && !parse_alias(type.alias.emplace())) return false;
    return parse_suffixes(type);
  }

  bool parse_suffixes(Type& type) {
    bool optional = scan_.take("?");
    if (scan_.take("[")) {
      type.list = true;
      type.element_optional = optional;
      std::string_view digits = scan_.take_while(is_digit);
      if (!digits.empty() && !parse_size(digits, type)) {
        const auto size = static_cast<uint32_t>(digits.size());
        return fail(scan_.span_from(scan_.position() - size),
                    fmt::format("the size of a list must be from 1 to 64, not {}", digits));
      }
      if (!scan_.take("]")) return fail("expected ']' after the size of a list");
      optional = scan_.take("?");
    }
    type.optional = optional;
    return true;
  }

  bool parse_size(std::string_view digits, Type& type) {
    int64_t size = 0;
    auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), size);
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
      std::string_view set = scan_.take("*") ? "*" : scan_.take_identifier();
      if (set.empty()) return fail("expected the name of an alias set, such as 'a'");
      sets.emplace_back(set);
    } while (scan_.take("|"));
    return true;
  }

  bool parse_arrow() { return expect("->", "after the arguments"); }

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
    uint32_t begin = scan_.position();
    Return result;
    if (!parse_type(result.type)) return false;
    uint32_t end = scan_.position();
    scan_.skip_blanks();
    const uint32_t name_begin = scan_.position();
    result.name = scan_.take_identifier();
    if (result.name.empty()) scan_.rewind(end);
    result.span = scan_.span_from(begin);
    if (!result.name.empty()) result.name_span = scan_.span_from(name_begin);
    schema_.returns.push_back(std::move(result));
    return true;
  }

  // One spelling for one schema: it is what makes the tree lossless.
  bool check_canonical() {
    std::string canonical = print(schema_);
    if (canonical == text_.text) return true;
    size_t at = 0;
    while (at < canonical.size() && at < text_.text.size() && canonical[at] == text_.text[at]) ++at;
    at = character_start(text_.text, std::min(at, text_.text.size()));
    const size_t size =
        at < text_.text.size() ? first_character(text_.text.substr(at)).bytes : size_t{0};
    sink_
        .error(
            Code::schema_not_canonical,
            text_.span(static_cast<uint32_t>(at), static_cast<uint32_t>(at + size)),
            fmt::format("the schema of '{}' is not in its canonical spelling", schema_.full_name()))
        .note({}, fmt::format("write it: {}", canonical));
    return false;
  }

  LocatedText text_;
  Scanner scan_;
  DiagnosticSink& sink_;
  Schema schema_;
};

void print_arguments(const Schema& schema, std::string& out) {
  bool keyword_only = false;
  for (const Argument& argument : schema.arguments) {
    if (!out.ends_with('(')) out += ", ";
    if (argument.keyword_only && !keyword_only) out += "*, ";
    keyword_only = argument.keyword_only;
    out += print(argument);
  }
}

}  // namespace

std::string Schema::full_name() const {
  return overload_name.empty() ? base_name : base_name + "." + overload_name;
}

int Schema::find_argument(std::string_view name) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

std::optional<Schema> parse_schema(const LocatedText& text, DiagnosticSink& sink) {
  return SchemaParser(text, sink).parse();
}

std::string print(const Argument& argument) {
  std::string out = print(argument.type) + " " + argument.name;
  if (argument.default_value) out += "=" + argument.default_value->text;
  return out;
}

std::string print(const Schema& schema) {
  std::string out = schema.full_name() + "(";
  print_arguments(schema, out);
  out += ") -> ";
  if (schema.returns_parenthesised) out += '(';
  for (size_t i = 0; i < schema.returns.size(); ++i) {
    const Return& result = schema.returns[i];
    if (i > 0) out += ", ";
    out += print(result.type);
    if (!result.name.empty()) out += " " + result.name;
  }
  if (schema.returns_parenthesised) out += ')';
  return out;
}

}  // namespace opweave::codegen

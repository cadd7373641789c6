// Schema strings (`add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`) as trees.
// The generator, which reads them in files, and the runtime, where programs define operators, have
// this parser in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "schema/constant.h"
#include "schema/type.h"

namespace opweave::schema {

// Bytes of the text.
struct Range {
  uint32_t begin = 0, end = 0;
};

struct Argument {
  Type type;
  std::string name;
  std::optional<Constant> default_value;
  bool keyword_only = false;
  Range range;          // `Tensor(a!) self`, default included
  Range type_range;     // `Tensor(a!)`
  Range name_range;     // `self`
  Range default_range;  // `1` of `Scalar alpha=1`
};

struct Return {
  Type type;
  std::string name;  // empty if it has none
  Range range;
  Range name_range;
};

// Keyword-only arguments come last, as in the string.
struct Schema {
  std::string base_name;      // `add`, `add_`, `mine::add`
  std::string overload_name;  // `Tensor`; may be empty
  std::vector<Argument> arguments;
  std::vector<Return> returns;
  // `-> (Tensor, Tensor)`; one return may be written either way
  bool returns_parenthesised = false;
  Range name_range;

  std::string full_name() const {  // `add.Tensor`, or `add`
    return overload_name.empty() ? base_name : base_name + "." + overload_name;
  }
};

// What is wrong with a text.
struct Problem {
  enum class Kind : uint8_t { syntax, unknown_type, duplicate_argument, not_canonical };
  Kind kind = Kind::syntax;
  Range range;
  std::string message;
  std::string note = {};     // empty if there is nothing to add
  Range note_range = {};     // where to look for it; empty: nowhere
  std::string unknown = {};  // of unknown_type: the name
};

struct ParseOptions {
  bool namespaces = false;  // `mine::f`
  bool canonical = false;   // print(schema) has to be the text, to the letter
};

std::variant<Schema, Problem> parse_schema(std::string_view text, ParseOptions options);

// Of this Schema, or one that knows more about its arguments.
std::string print_argument(const Argument& argument);
template <class S>
std::string print_schema(const S& schema) {
  std::string out = schema.full_name() + "(";
  bool keyword_only = false;
  for (const auto& argument : schema.arguments) {
    if (!out.ends_with('(')) out += ", ";
    if (argument.keyword_only && !keyword_only) out += "*, ";
    keyword_only = argument.keyword_only;
    out += print_argument(argument);
  }
  out += ") -> ";
  if (schema.returns_parenthesised) out += '(';
  for (size_t i = 0; i < schema.returns.size(); ++i) {
    if (i > 0) out += ", ";
    out += print(schema.returns[i].type);
    if (!schema.returns[i].name.empty()) out += " " + schema.returns[i].name;
  }
  if (schema.returns_parenthesised) out += ')';
  return out;
}
inline std::string print(const Schema& schema) { return print_schema(schema); }

}  // namespace opweave::schema

// Schema strings in files: the trees of schema/schema.h, which know where in the file they stand.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/located_text.h"
#include "schema/constant.h"
#include "schema/schema.h"
#include "schema/type.h"

namespace opweave::codegen {

using schema::Alias;
using schema::base_type_name;
using schema::BaseType;
using schema::Constant;
using schema::print;
using schema::Type;

struct Argument : schema::Argument {
  Span span;          // `Tensor(a!) self`, default included
  Span type_span;     // `Tensor(a!)`
  Span name_span;     // `self`
  Span default_span;  // `1` of `Scalar alpha=1`
};

struct Return : schema::Return {
  Span span;
  Span name_span;
};

// Immutable after parsing. Keyword-only arguments come last, as in the string.
struct Schema {
  std::string base_name;      // `add`, `add_`
  std::string overload_name;  // `Tensor`; may be empty
  std::vector<Argument> arguments;
  std::vector<Return> returns;
  bool returns_parenthesised =
      false;  // `-> (Tensor, Tensor)`; one return may be written either way
  Span span;
  Span name_span;

  std::string full_name() const;  // `add.Tensor`, or `add`
  // Index of the argument with this name, or -1.
  int find_argument(std::string_view name) const;
};

// Reports what is wrong and returns nothing if the string cannot be read. A schema that is
// returned prints back to the text it came from, to the letter.
std::optional<Schema> parse_schema(const LocatedText& text, DiagnosticSink& sink);
std::string print(const Schema& schema);
std::string print(const Argument& argument);

// All that a schema may name: base types and objects.
std::vector<std::string_view> schema_type_names();

}  // namespace opweave::codegen

// Schema strings (`add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`) as trees.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/constant.h"
#include "codegen/syntax/located_text.h"
#include "codegen/syntax/type.h"

namespace opweave::codegen {

struct Argument {
  Type type;
  std::string name;
  std::optional<Constant> default_value;
  bool keyword_only = false;
  Span span;          // `Tensor(a!) self`, default included
  Span type_span;     // `Tensor(a!)`
  Span name_span;     // `self`
  Span default_span;  // `1` of `Scalar alpha=1`
};

struct Return {
  Type type;
  std::string name;  // empty if it has none
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

}  // namespace opweave::codegen

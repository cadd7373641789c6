// Mathematics as a reader sees it: what an operator computes and its gradients, in a tree that is
// printed as MathML or as one line of text. It knows nothing of tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace opweave::codegen {

enum class MathKind : uint8_t {
  number,    // text
  name,      // text: a variable, or a function on its own
  quote,     // text: a string
  words,     // text: `otherwise`, `none`
  equals,    // parts: both sides of a definition
  either,    // parts: joined by `or`
  both,      // parts: joined by `and`
  negated,   // parts[0] is not so
  relation,  // text: `<`, `≠`; parts: both sides
  infix,     // text: `mod`, `&`; parts: both sides
  sum,       // parts: terms; those of MathKind::minus are subtracted
  minus,     // parts[0] with the other sign
  product,   // parts: factors
  fraction,  // parts: above, below
  power,     // parts: base, exponent
  index,     // parts: base, subscript
  root,      // parts[0]
  absolute,
  overline,  // parts[0], a conjugate
  floor,
  ceiling,
  call,          // parts: the function, its arguments
  access,        // parts: a value, the arguments; text: what is asked of it
  cases,         // parts: value, condition, value, condition, ..., value otherwise
  truth,         // parts: a condition; 1 if it holds and 0 if not
  list,          // parts: elements
  tuple,         // parts: values
  keyword,       // text: the name of an argument; parts: its value
  partial,       // parts: of what, by what
  differential,  // of parts[0]
};

struct MathNode;
using Math = std::shared_ptr<const MathNode>;

struct MathNode {
  MathKind kind;
  std::string text;
  std::vector<Math> parts;

  const MathNode& part(size_t i) const { return *parts[i]; }
};

Math make_math(MathKind kind, std::string text, std::vector<Math> parts = {});
Math make_math(MathKind kind, std::vector<Math> parts);

// A number as people write it: 1/3, ln 2, √π.
Math math_number(double value);
// Whether that is written in digits, and not as one of the constants that have a name.
bool is_plain_number(double value);
// Of an argument: Greek where that is usual (`alpha` is α).
Math math_name(std::string_view name);

// On one line, in Unicode.
std::string math_text(const MathNode& node);
// A <math> element of presentation MathML; `display` for a line of its own.
std::string math_ml(const MathNode& node, bool display = false);
// Text as that of an element or of a quoted attribute, in HTML and XML.
std::string escaped_markup(std::string_view text);

}  // namespace opweave::codegen

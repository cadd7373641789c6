// The expression language as written: trees with spans, no types yet. See docs/yaml.md for the
// grammar.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/located_text.h"

namespace opweave::codegen {

enum class SyntaxKind : uint8_t {
  number,       // text: `2`, `0.5`, `1e-3`
  string,       // text without its quotes
  identifier,   // text: also `true`, `false`, `none`
  unary,        // text: operator; operands: 1
  binary,       // text: operator; operands: 2
  conditional,  // operands: condition, then, otherwise
  call,         // text: function name; operands: arguments
  method_call,  // text: method name; operands: receiver, then arguments
  index,        // operands: value, index
  list,         // operands: elements
  group,        // operands: what stands in the parentheses
};

struct SyntaxNode {
  SyntaxKind kind;
  std::string_view text;
  std::vector<const SyntaxNode*> operands;
  // Of calls, parallel to operands: the keyword of `k=v`, or empty.
  std::vector<std::string_view> keywords;
  std::vector<Span> keyword_spans;
  Span span;
  Span name_span;  // of `text`: the operator, the function's name
  uint16_t depth = 1;
};

// Owns the nodes of the trees of one run.
using SyntaxArena = std::deque<SyntaxNode>;

// What says the same as an attribute of Python's tensors (`shape`); empty if nothing is known.
std::string_view attribute_hint(std::string_view name);

// Null if the text is not an expression; the reason has been reported.
const SyntaxNode* parse_expression(const LocatedText& text, SyntaxArena& arena,
                                   DiagnosticSink& sink);
// The canonical spelling: one blank around binary operators and after commas.
std::string print(const SyntaxNode& node);

}  // namespace opweave::codegen

// `conv2d(x: [N, 3, H, W], w: [64, 3, 3, 3], stride=2)`: a call with unknown sizes, as people write
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/located_text.h"

namespace opweave::codegen {

// A value: a call, a list, a number, a name (an unknown size, `true`, `none`, a dtype) or quoted
// text.
struct QueryNode {
  enum class Kind : uint8_t { call, list, number, name, text };
  struct Item;

  Kind kind = Kind::name;
  std::string text;   // the operator, the number, the name, the text
  std::string dtype;  // of a list that is a tensor: `[N, 3]:float64`
  std::vector<Item> items;
  Span span;
};

// An argument of a call: `stride=2` names it; so does `stride: 2`, unless no argument has one of
// the names of the call that stand before a colon: `x: [N]` is then a tensor's name for the reader.
struct QueryNode::Item {
  std::string name;
  bool is_keyword = false;  // with `=`
  Span name_span;
  QueryNode value;
};

// Nothing if the text is no call; the reason has been reported.
std::optional<QueryNode> parse_query(const LocatedText& text, DiagnosticSink& sink);

}  // namespace opweave::codegen

// The C++ expressions of PyTorch's formulas as trees.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/located_text.h"

namespace opweave::codegen::torch {

struct CppNode;
struct CppType;

// One part of a qualified name: `get<0>` of `std::get<0>`.
struct CppSegment {
  std::string_view text;
  Span span;
  bool is_template = false;
  std::vector<CppType> arguments;
};

// `grad`, `at::where`, `std::tuple<Tensor, Tensor>`
struct CppName {
  bool global = false;  // begins with `::`
  std::vector<CppSegment> segments;
  Span span;

  bool is_qualified() const { return global || segments.size() > 1; }
  const CppSegment& last() const { return segments.back(); }
};

// `const Tensor&`. As an argument of a template it may be a number instead.
struct CppType {
  bool is_const = false;
  CppName name;
  std::string_view suffix;  // `&`, `*`, `&&`
  std::string_view number;  // of a template argument that is none: `0`
};

struct CppParameter {
  CppType type;
  std::string_view name;
};

// `[captures](parameters) -> type { return value; }`; the value is the node's operand.
struct CppLambda {
  std::vector<std::string> captures;
  std::vector<CppParameter> parameters;
  std::optional<CppType> returns;
};

enum class CppKind : uint8_t {
  number,       // text: `2`, `0.`, `1e-3`
  string,       // text: with its quotes
  name,         // name
  unary,        // text: operator; operands: 1
  binary,       // text: operator; operands: 2
  conditional,  // operands: condition, then, otherwise
  call,         // operands: what is called, then arguments
  member,       // text: name of the member; operands: the object; arrow: `->`
  index,        // operands: value, index
  braces,       // operands: elements; name: the type before them, or null
  group,        // operands: what stands in the parentheses
  lambda,       // lambda; operands: the value that it returns
};

struct CppNode {
  CppKind kind;
  std::string_view text;
  std::string_view comment;  // `/*training=*/` before it
  bool arrow = false;
  const CppName* name = nullptr;
  const CppLambda* lambda = nullptr;
  std::vector<const CppNode*> operands;
  Span span;
  Span name_span;  // of `text`: the operator, the member's name
  uint16_t depth = 1;
};

// Owns the trees of one run.
struct CppArena {
  std::deque<CppNode> nodes;
  std::deque<CppName> names;
  std::deque<CppLambda> lambdas;
};

// Null if the text is not an expression of this part of C++; the construct that stopped it has been
// reported.
const CppNode* parse_cpp(const LocatedText& text, CppArena& arena, DiagnosticSink& sink);

// The canonical spelling: one blank around binary operators and after commas, none elsewhere. It
// has the tokens and comments of the text that was parsed.
std::string print(const CppNode& node);
std::string print(const CppName& name);
std::string print(const CppType& type);

// Whether two texts differ in blanks alone (outside of strings).
bool same_tokens(std::string_view a, std::string_view b);

}  // namespace opweave::codegen::torch

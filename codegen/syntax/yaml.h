// YAML as a tree that knows where everything stands.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/located_text.h"

namespace opweave::codegen {

struct YamlNode {
  enum class Kind : uint8_t { null, scalar, sequence, map };
  struct Entry {
    LocatedText key;
    const YamlNode* value = nullptr;
  };

  Kind kind = Kind::null;
  bool quoted = false;  // of a scalar: never a number or a truth value
  LocatedText text;     // of a scalar
  Span span;            // of a list or mapping: where it begins
  std::vector<const YamlNode*> items;
  std::vector<Entry> entries;

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }
};

// Owns trees, and the texts of scalars that are not spelled in the file as they read.
struct YamlArena {
  std::deque<YamlNode> nodes;
  std::deque<std::string> texts;
  std::deque<std::vector<uint32_t>> offsets;
};

// The one document of a file; a null node if it is empty. Null pointer if it is not YAML, or has
// a construct that the operator files do not use; the reason has been reported.
const YamlNode* parse_yaml(const Source& source, YamlArena& arena, DiagnosticSink& sink);
// The same through yaml-cpp, whatever is in the file. parse_yaml asks it for what plain_yaml.h does
// not read.
const YamlNode* parse_full_yaml(const Source& source, YamlArena& arena, DiagnosticSink& sink);

// `a list`, `a mapping`, `a value`, `nothing`: for messages.
std::string_view kind_name(const YamlNode& node);

}  // namespace opweave::codegen

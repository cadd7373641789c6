// The keys `let`, `require` and `result` of one entry as they are written.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/entries/fields.h"
#include "codegen/syntax/located_text.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

// What one result looks like.
struct OutputEntry {
  LocatedText name;                 // empty: the operator's only result
  std::optional<LocatedText> size;  // an expression for all sizes
  std::vector<LocatedText> sizes;   // or one for each
  bool listed = false;              // the second it is
  std::optional<LocatedText> dtype, device, strides, offset, when;
  Span span;
};

struct RuleEntry {
  std::vector<std::pair<LocatedText, LocatedText>> locals;        // name, value
  std::vector<std::pair<LocatedText, LocatedText>> requirements;  // condition, message
  std::vector<OutputEntry> outputs;
  std::optional<LocatedText> like;  // one formula for several results
  bool data = false;
  bool calls = false;  // what the kernel calls refuses what is wrong
  std::optional<Span> let_key, require_key, result_key;  // where they are given

  bool given() const { return let_key || require_key || result_key; }
};

// Each reads the value of its key; everything wrong is reported.
void read_let(const LocatedText& key, const YamlNode& value, Fields& fields, RuleEntry& entry);
void read_require(const LocatedText& key, const YamlNode& value, Fields& fields, RuleEntry& entry);
void read_result(const LocatedText& key, const YamlNode& value, size_t results, Fields& fields,
                 RuleEntry& entry);

}  // namespace opweave::codegen

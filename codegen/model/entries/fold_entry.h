// The keys `over`, `axes`, `where` and a mapping `expr` of one entry as they are written.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/model/entries/fields.h"
#include "codegen/syntax/located_text.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

struct FoldEntry {
  using Named = std::vector<std::pair<LocatedText, LocatedText>>;

  std::optional<LocatedText> axis;  // the name that `over` gives to what is folded
  std::optional<LocatedText> over;  // which dimensions these are
  std::vector<LocatedText> dims;    // or a list of them
  Named axes;                       // argument, along which axes its elements lie; name, dimension
  Named values;                     // of `where`: name, expression
  Named results;                    // of `expr`: result, expression
  std::optional<Span> over_key, axes_key, where_key;  // where they are given

  bool given() const { return key().has_value(); }
  const std::optional<Span>& key() const { return over_key ? over_key : axes_key; }
};

// Each reads the value of its key; everything wrong is reported.
void read_over(const LocatedText& key, const YamlNode& value, Fields& fields, FoldEntry& entry);
void read_axes(const LocatedText& key, const YamlNode& value, Fields& fields, FoldEntry& entry);
void read_where(const LocatedText& key, const YamlNode& value, Fields& fields, FoldEntry& entry);
// Of an expression for each result.
void read_results(const LocatedText& key, const YamlNode& value, Fields& fields, FoldEntry& entry);

}  // namespace opweave::codegen

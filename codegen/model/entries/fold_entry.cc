// Reading of what an entry that folds says.
#include "codegen/model/entries/fold_entry.h"

#include <fmt/format.h>

namespace opweave::codegen {
namespace {

void read_pairs(const LocatedText& key, const YamlNode& value, std::string_view wanted,
                Fields& fields, FoldEntry::Named& pairs) {
  if (!value.is_map()) return fields.wrong_kind(key, value, wanted);
  if (value.entries.empty()) return fields.empty(key, value);
  for (const auto& [name, field] : value.entries) {
    if (const std::optional<LocatedText> text = fields.text(name, *field))
      pairs.emplace_back(name, *text);
  }
}

void read_dims(const LocatedText& key, const YamlNode& value, Fields& fields, FoldEntry& entry) {
  if (!value.is_sequence()) {
    entry.over = fields.text(key, value);
    return;
  }
  if (value.items.empty()) return fields.empty(key, value);
  for (const YamlNode* item : value.items) {
    if (const std::optional<LocatedText> dim = fields.text(key, *item)) entry.dims.push_back(*dim);
  }
}

}  // namespace

void read_over(const LocatedText& key, const YamlNode& value, Fields& fields, FoldEntry& entry) {
  entry.over_key = key.whole();
  if (!value.is_map()) return read_dims(key, value, fields, entry);
  if (value.entries.empty()) return fields.empty(key, value);
  if (value.entries.size() > 1)
    return fields.wrong_kind(key, value, "one name for all the dimensions that are folded");
  entry.axis = value.entries[0].key;
  read_dims(value.entries[0].key, *value.entries[0].value, fields, entry);
}

void read_axes(const LocatedText& key, const YamlNode& value, Fields& fields, FoldEntry& entry) {
  entry.axes_key = key.whole();
  read_pairs(key, value, "a mapping from arguments to their axes, and from names to dimensions",
             fields, entry.axes);
}

void read_where(const LocatedText& key, const YamlNode& value, Fields& fields, FoldEntry& entry) {
  entry.where_key = key.whole();
  read_pairs(key, value, "a mapping from names to expressions", fields, entry.values);
}

void read_results(const LocatedText& key, const YamlNode& value, Fields& fields, FoldEntry& entry) {
  read_pairs(key, value, "an expression, or a mapping from results to expressions", fields,
             entry.results);
}

}  // namespace opweave::codegen

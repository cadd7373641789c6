// Reading of `let`, `require` and `result`.
#include "codegen/model/entries/rule_entry.h"

#include <algorithm>

#include "codegen/model/entries/keys.h"
#include "codegen/syntax/yaml_places.h"

namespace opweave::codegen {
namespace {

std::span<const Key> output_keys() { return operator_keys().find("result")->fields; }

using Pairs = std::vector<std::pair<LocatedText, LocatedText>>;

void read_pairs(const LocatedText& key, const YamlNode& value, std::string_view wanted,
                Fields& fields, Pairs& pairs) {
  if (!value.is_map()) return fields.wrong_kind(key, value, wanted);
  for (const YamlNode::Entry& field : value.entries) {
    if (std::optional<LocatedText> text = fields.text(field.key, *field.value)) {
      pairs.emplace_back(field.key, *text);
    }
  }
}

// A list, one expression for each size, or one expression for all.
void read_sizes(const LocatedText& key, const YamlNode& value, Fields& fields,
                OutputEntry& output) {
  if (!value.is_sequence()) {
    output.size = fields.text(key, value);
    return;
  }
  output.listed = true;
  for (const YamlNode* item : value.items) {
    if (!item->is_scalar()) return fields.wrong_kind(key, *item, "an expression for each size");
    output.sizes.push_back(item->text);
  }
}

bool is_output_key(const YamlNode::Entry& field) {
  return std::ranges::count(output_keys(), field.key.text, &Key::name) != 0;
}

OutputEntry read_output(const LocatedText& key, const YamlNode& value, Fields& fields) {
  OutputEntry output;
  output.span = extent(value);
  if (!value.is_map()) {
    read_sizes(key, value, fields, output);
    return output;
  }
  for (const YamlNode::Entry& field : value.entries) {
    if (!is_output_key(field)) {
      std::vector<std::string_view> known;
      for (const Key& key : output_keys()) known.push_back(key.name);
      fields.unknown_key(field.key, known);
    } else if (field.key.text == "sizes") {
      read_sizes(field.key, *field.value, fields, output);
    } else {
      std::optional<LocatedText>& to = field.key.text == "dtype"     ? output.dtype
                                       : field.key.text == "device"  ? output.device
                                       : field.key.text == "strides" ? output.strides
                                       : field.key.text == "offset"  ? output.offset
                                                                     : output.when;
      to = fields.text(field.key, *field.value);
    }
  }
  return output;
}

}  // namespace

void read_let(const LocatedText& key, const YamlNode& value, Fields& fields, RuleEntry& entry) {
  entry.let_key = key.whole();
  if (value.is_map() && value.entries.empty()) return fields.empty(key, value);
  read_pairs(key, value, "a mapping from names to expressions", fields, entry.locals);
}

void read_require(const LocatedText& key, const YamlNode& value, Fields& fields, RuleEntry& entry) {
  entry.require_key = key.whole();
  entry.calls = value.is_scalar() && value.text.text == words::kRequire[0];
  if (entry.calls) return;
  read_pairs(key, value, "'calls', or a mapping from conditions to messages", fields,
             entry.requirements);
}

void read_result(const LocatedText& key, const YamlNode& value, size_t results, Fields& fields,
                 RuleEntry& entry) {
  entry.result_key = key.whole();
  if (value.is_scalar() && value.text.text == "data") {
    entry.data = true;
    return;
  }
  if (results == 1) {
    entry.outputs.push_back(read_output(key, value, fields));
    return;
  }
  if (value.is_scalar()) {
    entry.like = fields.text(key, value);
    return;
  }
  if (!value.is_map())
    return fields.wrong_kind(key, value, "a mapping from results to their rules");
  for (const YamlNode::Entry& field : value.entries) {
    OutputEntry output = read_output(field.key, *field.value, fields);
    output.name = field.key;
    entry.outputs.push_back(std::move(output));
  }
}

}  // namespace opweave::codegen

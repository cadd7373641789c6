// Where two YAML trees of one file differ.
#pragma once

#include <string>

#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

inline bool same_text(const LocatedText& a, const LocatedText& b) {
  if (a.text != b.text || a.source != b.source) return false;
  for (uint32_t i = 0; i <= a.text.size(); ++i) {
    if (a.file_offset(i) != b.file_offset(i)) return false;
  }
  return true;
}

// The text and place of the first difference, or nothing.
inline std::string first_difference(const YamlNode& a, const YamlNode& b) {
  auto differs = [&](std::string_view what) {
    return std::string(what) + " at byte " + std::to_string(a.span.begin) + " and " +
           std::to_string(b.span.begin);
  };
  if (a.kind != b.kind) return differs("kinds");
  if (!(a.span == b.span)) return differs("spans");
  if (a.quoted != b.quoted) return differs("quotes");
  if (!same_text(a.text, b.text)) return differs("texts");
  if (a.items.size() != b.items.size() || a.entries.size() != b.entries.size())
    return differs("sizes");
  std::string found;
  for (size_t i = 0; i < a.items.size() && found.empty(); ++i)
    found = first_difference(*a.items[i], *b.items[i]);
  for (size_t i = 0; i < a.entries.size() && found.empty(); ++i) {
    if (!same_text(a.entries[i].key, b.entries[i].key)) return differs("keys");
    found = first_difference(*a.entries[i].value, *b.entries[i].value);
  }
  return found;
}

}  // namespace opweave::codegen

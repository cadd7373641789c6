// Places of YAML nodes.
#include "codegen/syntax/yaml_places.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/utf8.h"

namespace opweave::codegen {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// Behind the quote that closes the one at `at`, or the end.
size_t skip_quoted(std::string_view text, size_t at) {
  const size_t close = text.find(text[at], at + 1);
  return close == std::string_view::npos ? text.size() : close + 1;
}

// Behind the bracket that closes the one at `at`, or the end.
size_t skip_brackets(std::string_view text, size_t at) {
  int depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = skip_quoted(text, at);
      continue;
    }
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    ++at;
    if (depth == 0) break;
  }
  return at;
}

Span before(const Span& place) {
  const std::string_view text = place.source->text().substr(0, place.begin);
  const size_t last = text.find_last_not_of(kBlanks);
  if (last == std::string_view::npos) return place;
  const auto begin = static_cast<uint32_t>(character_start(text, last));
  return {place.source, begin, static_cast<uint32_t>(last + 1)};
}

}  // namespace

Span extent(const YamlNode& node) {
  if (!node.span) return node.span;
  if (node.is_null()) return before(node.span);
  if (node.is_scalar()) return node.span;
  const std::string_view text = node.span.source->text();
  const char first = node.span.begin < text.size() ? text[node.span.begin] : '\0';
  if (first == '[' || first == '{') {
    const size_t end = skip_brackets(text, node.span.begin);
    return {node.span.source, node.span.begin, static_cast<uint32_t>(end)};
  }
  return node.entries.empty() ? node.span : node.entries[0].key.whole();
}

Span word_at(const Source& source, uint32_t begin) {
  const size_t end = std::min(source.text().find_first_of(kBlanks, begin), source.text().size());
  return {&source, begin, static_cast<uint32_t>(std::max<size_t>(begin, end))};
}

std::string describe(const YamlNode& node) {
  constexpr size_t kLongest = 30;
  if (!node.is_scalar()) return std::string(kind_name(node));
  const std::string_view text = node.text.text.substr(0, node.text.text.find('\n'));
  if (text.size() <= kLongest) return fmt::format("the text '{}'", text);
  return fmt::format("the text '{}...'", text.substr(0, character_start(text, kLongest)));
}

}  // namespace opweave::codegen

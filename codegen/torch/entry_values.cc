// Readers of single values.
#include "codegen/torch/entry_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/model/entries/fields.h"
#include "codegen/syntax/yaml_places.h"
#include "codegen/torch/yaml_kinds.h"

namespace opweave::codegen::torch {
namespace {

Span place(const LocatedText& key, const YamlNode& value) {
  return value.is_null() ? key.whole() : extent(value);
}

std::string joined(const std::vector<LocatedText>& words) {
  std::string text;
  for (const LocatedText& word : words) text += (text.empty() ? "" : ", ") + std::string(word.text);
  return text;
}

}  // namespace

std::vector<LocatedText> split_at(const LocatedText& text, std::string_view separator) {
  std::vector<LocatedText> pieces;
  size_t begin = 0;
  while (true) {
    const size_t end = std::min(text.text.find(separator, begin), text.text.size());
    pieces.push_back(slice(text, begin, end - begin));
    if (end == text.text.size()) return pieces;
    begin = end + separator.size();
  }
}

LocatedText trimmed(const LocatedText& text) {
  const size_t first = text.text.find_first_not_of(" \n\t");
  if (first == std::string_view::npos) return slice(text, 0, 0);
  return slice(text, first, text.text.find_last_not_of(" \n\t") - first + 1);
}

Span place_of(const LocatedText& text) {
  if (!text.text.empty()) return text.whole();
  const uint32_t at = text.file_offset(0);
  return {text.source, at, at + 1};
}

std::string EntryValues::named(std::string_view key) const {
  return owner_.empty() ? fmt::format("'{}'", key) : fmt::format("'{}' of '{}'", key, owner_);
}

void EntryValues::wrong_kind(const LocatedText& key, const YamlNode& value, std::string_view wanted,
                             const std::string& advice) {
  auto& diagnostic = sink_.error(
      Code::wrong_kind, place(key, value),
      fmt::format("{} must be {}, not {}", named(key.text), wanted, describe_value(value)));
  if (!advice.empty()) diagnostic.note({}, advice);
}

Diagnostic& EntryValues::bad_value(const LocatedText& key, const YamlNode& value,
                                   const std::string& what) {
  return sink_.error(Code::bad_value, place(key, value),
                     fmt::format("{} {}", named(key.text), what));
}

void EntryValues::bad_word(std::string_view key, const LocatedText& word,
                           std::span<const std::string_view> allowed) {
  sink_
      .error(Code::bad_value, place_of(word),
             fmt::format("{} cannot be '{}'", named(key), word.text))
      .suggest(closest(word.text, allowed))
      .note({}, fmt::format("it can be: {}", fmt::join(allowed, ", ")));
}

std::optional<LocatedText> EntryValues::text(const LocatedText& key, const YamlNode& value,
                                             std::string_view example) {
  if (yaml_kind(value) == YamlKind::text) return value.text;
  wrong_kind(key, value, "a text", fmt::format("write it as: {}: {}", key.text, example));
  return {};
}

std::optional<bool> EntryValues::boolean(const LocatedText& key, const YamlNode& value) {
  if (yaml_kind(value) == YamlKind::truth) return yaml_truth(value.text.text);
  const bool quoted = value.is_scalar() && value.quoted;
  wrong_kind(key, value, "True or False", quoted ? "leave the quotes out" : "");
  return {};
}

std::optional<std::vector<LocatedText>> EntryValues::texts(const LocatedText& key,
                                                           const YamlNode& value,
                                                           std::string_view example) {
  if (!value.is_sequence()) {
    wrong_kind(key, value, "a list", fmt::format("write it as: {}: [{}]", key.text, example));
    return {};
  }
  std::vector<LocatedText> texts;
  for (const YamlNode* item : value.items) {
    if (yaml_kind(*item) == YamlKind::text) {
      texts.push_back(item->text);
      continue;
    }
    sink_.error(Code::wrong_kind, place(key, *item),
                fmt::format("{} must be a list of texts, and has {} in it", named(key.text),
                            describe_value(*item)));
    return {};
  }
  return texts;
}

std::optional<std::vector<LocatedText>> EntryValues::words(
    const LocatedText& key, const YamlNode& value, std::span<const std::string_view> allowed) {
  const auto given = text(key, value, fmt::format("{}", fmt::join(allowed, ", ")));
  if (!given) return {};
  const auto is_allowed = [&](const LocatedText& word) {
    return std::ranges::find(allowed, word.text) != allowed.end();
  };
  std::vector<LocatedText> exact = split_at(*given, ", ");
  if (std::ranges::all_of(exact, is_allowed)) return exact;
  const std::vector<LocatedText> words = split_words(*given);
  const auto wrong = std::ranges::find_if_not(words, is_allowed);
  if (wrong != words.end()) {
    bad_word(key.text, *wrong, allowed);
  } else if (words.empty()) {
    bad_word(key.text, *given, allowed);
  } else {
    bad_value(key, value, "has words with something else than a comma and one blank between them")
        .suggest(joined(words));
  }
  return {};
}

}  // namespace opweave::codegen::torch

// Readers of single YAML values.
#include "codegen/model/entries/fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/diagnostics/suggest.h"
#include "codegen/syntax/yaml_places.h"

namespace opweave::codegen {

LocatedText slice(const LocatedText& text, size_t begin, size_t size) {
  LocatedText part = text;
  part.text = text.text.substr(begin, size);
  if (text.offsets) {
    // The table of offsets stays whole: `shift` is where this part begins in it.
    part.shift += static_cast<uint32_t>(begin);
  } else {
    part.origin += static_cast<uint32_t>(begin);
  }
  return part;
}

std::vector<LocatedText> split_words(const LocatedText& text) {
  std::vector<LocatedText> words;
  size_t begin = 0;
  while (begin <= text.text.size()) {
    size_t end = std::min(text.text.find(',', begin), text.text.size());
    size_t first = text.text.find_first_not_of(" \n", begin);
    if (first != std::string_view::npos && first < end) {
      size_t last = text.text.find_last_not_of(" \n", end - 1);
      words.push_back(slice(text, first, last - first + 1));
    }
    begin = end + 1;
  }
  return words;
}

std::optional<LocatedText> idle_comma(const LocatedText& text) {
  const std::string_view all = text.text;
  for (size_t begin = 0; begin <= all.size();) {
    const size_t end = std::min(all.find(',', begin), all.size());
    const bool blank = all.substr(begin, end - begin).find_first_not_of(" \n") == all.npos;
    if (blank && (end < all.size() || begin > 0))
      return slice(text, end < all.size() ? end : begin - 1, 1);
    begin = end + 1;
  }
  return std::nullopt;
}

std::string Fields::named(std::string_view key) const {
  return owner_.empty() ? fmt::format("'{}'", key) : fmt::format("'{}' of '{}'", key, owner_);
}

void Fields::wrong_kind(const LocatedText& key, const YamlNode& value, std::string_view wanted) {
  const Span span = value.is_null() ? key.whole() : extent(value);
  sink_.error(Code::wrong_kind, span,
              fmt::format("{} must be {}, not {}", named(key.text), wanted, describe(value)));
}

std::optional<LocatedText> Fields::text(const LocatedText& key, const YamlNode& value) {
  if (value.is_scalar() && !value.text.text.empty()) return value.text;
  wrong_kind(key, value, "a text");
  return {};
}

std::optional<bool> Fields::boolean(const LocatedText& key, const YamlNode& value) {
  if (!value.is_scalar()) {
    wrong_kind(key, value, "true or false");
    return {};
  }
  std::string_view text = value.text.text;
  bool is_true = text == "true" || text == "True";
  if (is_true || text == "false" || text == "False") return is_true;
  constexpr std::string_view kAllowed[] = {"true", "false"};
  bad_value(value.text, key.text, kAllowed);
  return {};
}

std::optional<std::vector<LocatedText>> Fields::words(const LocatedText& key,
                                                      const YamlNode& value) {
  std::optional<std::vector<LocatedText>> words = listed(key, value);
  if (!words) return words;
  if (words->empty()) return empty(key, value), std::nullopt;
  if (value.is_scalar() && !check_commas(value.text, named(key.text))) return std::nullopt;
  std::vector<LocatedText> distinct;
  for (const LocatedText& word : *words) {
    const auto first = std::ranges::find(distinct, word.text, &LocatedText::text);
    if (first == distinct.end()) {
      distinct.push_back(word);
      continue;
    }
    sink_
        .error(Code::bad_value, word.whole(),
               fmt::format("{} names '{}' twice", named(key.text), word.text))
        .note(first->whole(), "the first is here");
  }
  return distinct;
}

bool Fields::check_commas(const LocatedText& text, const std::string& what) {
  const std::optional<LocatedText> comma = idle_comma(text);
  if (!comma) return true;
  sink_.error(Code::bad_value, comma->whole(),
              fmt::format("{} has no name on one side of this comma", what));
  return false;
}

void Fields::empty(const LocatedText& key, const YamlNode& value) {
  const bool has_place = !value.is_scalar() || !value.text.text.empty();
  sink_
      .error(Code::bad_value, has_place ? extent(value) : key.whole(),
             fmt::format("{} names nothing", named(key.text)))
      .note({}, "leave the key out where there is nothing to say");
}

std::optional<std::vector<LocatedText>> Fields::listed(const LocatedText& key,
                                                       const YamlNode& value) {
  if (value.is_scalar()) return split_words(value.text);
  if (!value.is_sequence()) {
    wrong_kind(key, value, "a list of names");
    return {};
  }
  std::vector<LocatedText> words;
  for (const YamlNode* item : value.items) {
    if (!item->is_scalar()) {
      wrong_kind(key, *item, "a list of names");
      return {};
    }
    words.push_back(item->text);
  }
  return words;
}

std::optional<size_t> Fields::word(const LocatedText& key, const YamlNode& value,
                                   std::span<const std::string_view> allowed) {
  const std::optional<LocatedText> given = text(key, value);
  if (!given) return {};
  const auto found = std::ranges::find(allowed, given->text);
  if (found != allowed.end()) return found - allowed.begin();
  bad_value(*given, key.text, allowed);
  return {};
}

void Fields::bad_value(const LocatedText& value, std::string_view key,
                       std::span<const std::string_view> allowed) {
  bad_value(value, key, allowed, closest(value.text, allowed));
}

void Fields::bad_value(const LocatedText& value, std::string_view key,
                       std::span<const std::string_view> allowed, std::string meant) {
  const Span span =
      value.text.empty() ? Span{value.source, value.origin, value.origin + 1} : value.whole();
  sink_.error(Code::bad_value, span, fmt::format("{} cannot be '{}'", named(key), value.text))
      .suggest(std::move(meant))
      .note({}, fmt::format("it can be: {}", fmt::join(allowed, ", ")));
}

void Fields::unknown_key(const LocatedText& key, const std::vector<std::string_view>& allowed) {
  const std::string where = owner_.empty() ? "" : fmt::format(" in the entry of '{}'", owner_);
  sink_.error(Code::unknown_key, key.whole(), fmt::format("unknown key '{}'{}", key.text, where))
      .suggest(closest(key.text, allowed))
      .note({}, fmt::format("the keys are: {}", fmt::join(allowed, ", ")));
}

}  // namespace opweave::codegen

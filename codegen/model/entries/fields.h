// Typed reading of YAML values, with a diagnostic for whatever is not as it should be.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen {

class Fields {
 public:
  explicit Fields(DiagnosticSink& sink) : sink_(sink) {}

  // What the keys belong to, for messages: `'f'`, an operator. Empty: not known.
  void set_owner(std::string owner) { owner_ = std::move(owner); }
  const std::string& owner() const { return owner_; }

  // Nothing is returned only after a report.
  std::optional<LocatedText> text(const LocatedText& key, const YamlNode& value);
  std::optional<bool> boolean(const LocatedText& key, const YamlNode& value);
  // A list, or one string with commas: one word at least, none of them twice.
  std::optional<std::vector<LocatedText>> words(const LocatedText& key, const YamlNode& value);

  // The place of a word among those that are allowed.
  std::optional<size_t> word(const LocatedText& key, const YamlNode& value,
                             std::span<const std::string_view> allowed);

  // `'dtypes' of 'f' cannot be 'flaot64'`
  void bad_value(const LocatedText& value, std::string_view key,
                 std::span<const std::string_view> allowed);
  void bad_value(const LocatedText& value, std::string_view key,
                 std::span<const std::string_view> allowed, std::string meant);
  void unknown_key(const LocatedText& key, const std::vector<std::string_view>& allowed);
  void wrong_kind(const LocatedText& key, const YamlNode& value, std::string_view wanted);
  // Whether there is a name on both sides of every comma; an error otherwise.
  bool check_commas(const LocatedText& text, const std::string& what);
  // Of a list or mapping that has nothing in it.
  void empty(const LocatedText& key, const YamlNode& value);
  // `'dtypes' of 'f'`
  std::string named(std::string_view key) const;

 private:
  std::optional<std::vector<LocatedText>> listed(const LocatedText& key, const YamlNode& value);

  DiagnosticSink& sink_;
  std::string owner_;
};

// The pieces between commas, without blanks around them.
std::vector<LocatedText> split_words(const LocatedText& text);
// The first comma without a word on one of its sides.
std::optional<LocatedText> idle_comma(const LocatedText& text);
// A part of a located text.
LocatedText slice(const LocatedText& text, size_t begin, size_t size);

}  // namespace opweave::codegen

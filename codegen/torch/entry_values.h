// Reads values of native_functions.yaml as PyTorch's generator does, and says what it takes
// instead.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/diagnostics/diagnostic.h"
#include "codegen/syntax/yaml.h"

namespace opweave::codegen::torch {

class EntryValues {
 public:
  explicit EntryValues(DiagnosticSink& sink) : sink_(sink) {}

  void set_owner(std::string owner) { owner_ = std::move(owner); }
  const std::string& owner() const { return owner_; }
  DiagnosticSink& sink() const { return sink_; }

  // Nothing is returned only after a report. `example` is a value that the key takes, for messages.
  std::optional<LocatedText> text(const LocatedText& key, const YamlNode& value,
                                  std::string_view example);
  std::optional<bool> boolean(const LocatedText& key, const YamlNode& value);
  std::optional<std::vector<LocatedText>> texts(const LocatedText& key, const YamlNode& value,
                                                std::string_view example);
  // `a, b`: words with a comma and one blank between them, each of them allowed.
  std::optional<std::vector<LocatedText>> words(const LocatedText& key, const YamlNode& value,
                                                std::span<const std::string_view> allowed);

  // `'variants' of 'f' must be a text, not a list`
  void wrong_kind(const LocatedText& key, const YamlNode& value, std::string_view wanted,
                  const std::string& advice);
  // `'variants' of 'f' cannot be 'metod'`
  void bad_word(std::string_view key, const LocatedText& word,
                std::span<const std::string_view> allowed);
  // Of a value in whole.
  Diagnostic& bad_value(const LocatedText& key, const YamlNode& value, const std::string& what);
  // `'dtypes' of 'f'`
  std::string named(std::string_view key) const;

 private:
  DiagnosticSink& sink_;
  std::string owner_;
};

// The pieces between separators, blanks and all.
std::vector<LocatedText> split_at(const LocatedText& text, std::string_view separator);
// Without blanks at both ends.
LocatedText trimmed(const LocatedText& text);
// What is at fault: of an empty text the place where it stands.
Span place_of(const LocatedText& text);

}  // namespace opweave::codegen::torch

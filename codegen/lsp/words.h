// Pieces of a text, and the words in it.
#pragma once

#include <cstdint>
#include <string_view>

namespace opweave::codegen::lsp {

// Bytes [begin, end) of a text.
struct Range {
  uint32_t begin = 0;
  uint32_t end = 0;

  // The end counts: that is where the cursor stands behind a word.
  bool contains(uint32_t offset) const { return begin <= offset && offset <= end; }
  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

constexpr bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The word that `offset` is in, or at the end of.
constexpr Range word_around(std::string_view text, uint32_t offset) {
  Range word{offset, offset};
  while (word.begin > 0 && is_word(text[word.begin - 1])) --word.begin;
  while (word.end < text.size() && is_word(text[word.end])) ++word.end;
  return word;
}

}  // namespace opweave::codegen::lsp

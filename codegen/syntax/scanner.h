// A cursor over a located text: the small steps that hand-written parsers share.
#pragma once

#include <string_view>

#include "codegen/diagnostics/utf8.h"
#include "codegen/syntax/located_text.h"

namespace opweave::codegen {

inline bool is_identifier_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_identifier_char(char c) { return is_identifier_start(c) || is_digit(c); }

class Scanner {
 public:
  explicit Scanner(const LocatedText& text) : text_(text) {}

  uint32_t position() const { return at_; }
  void rewind(uint32_t position) { at_ = position; }
  bool at_end() const { return at_ >= text_.text.size(); }
  char peek() const { return at_end() ? '\0' : text_.text[at_]; }
  std::string_view rest() const { return text_.text.substr(at_); }
  std::string_view from(uint32_t begin) const { return text_.text.substr(begin, at_ - begin); }

  bool take(std::string_view token) {
    if (!rest().starts_with(token)) return false;
    at_ += static_cast<uint32_t>(token.size());
    return true;
  }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n') ++at_;
  }
  template <typename Predicate>
  std::string_view take_while(Predicate accept) {
    uint32_t begin = at_;
    while (!at_end() && accept(peek())) ++at_;
    return from(begin);
  }
  // An identifier, or empty.
  std::string_view take_identifier() {
    return is_identifier_start(peek()) ? take_while(is_identifier_char) : std::string_view();
  }

  Span span_from(uint32_t begin) const { return text_.span(begin, at_); }
  // The character at the cursor, or the place behind the last one.
  Span here() const {
    const size_t size = at_end() ? 0 : first_character(rest()).bytes;
    return text_.span(at_, at_ + static_cast<uint32_t>(size));
  }

 private:
  LocatedText text_;
  uint32_t at_ = 0;
};

}  // namespace opweave::codegen

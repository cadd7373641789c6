// A cursor over a text: the small steps that hand-written parsers share.
#pragma once

#include <cstdint>
#include <string_view>

namespace opweave::schema {

inline bool is_identifier_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_identifier_char(char c) { return is_identifier_start(c) || is_digit(c); }

class TextScanner {
 public:
  explicit TextScanner(std::string_view text) : text_(text) {}

  uint32_t position() const { return at_; }
  void rewind(uint32_t position) { at_ = position; }
  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  std::string_view rest() const { return text_.substr(at_); }
  std::string_view from(uint32_t begin) const { return text_.substr(begin, at_ - begin); }

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

 private:
  std::string_view text_;
  uint32_t at_ = 0;
};

}  // namespace opweave::schema

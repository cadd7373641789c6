// Aligns the value of a scalar with its spelling: quotes, escapes, folded and indented lines.
#include "codegen/syntax/scalar_map.h"

#include <utility>

namespace opweave::codegen {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// How many bytes of `raw` the escape at its beginning (a backslash) takes.
size_t escape_length(std::string_view raw) {
  if (raw.size() < 2) return raw.size();
  switch (raw[1]) {
    case 'x':
      return 4;
    case 'u':
      return 6;
    case 'U':
      return 10;
    default:
      return 2;
  }
}

class Aligner {
 public:
  Aligner(std::string_view raw, uint32_t begin) : raw_(raw), at_(begin) {}

  std::vector<uint32_t> align(std::string_view value) {
    std::vector<uint32_t> offsets;
    offsets.reserve(value.size() + 1);
    if (style() == '|' || style() == '>') skip_line();
    bool quoted = style() == '"' || style() == '\'';
    quote_ = quoted ? raw_[at_++] : '\0';
    for (char c : value) offsets.push_back(next(c));
    if (quoted) skip_folding(quote_);  // a closing quote on a line of its own
    offsets.push_back(at_);
    return offsets;
  }

 private:
  char style() const { return at_ < raw_.size() ? raw_[at_] : '\0'; }

  void skip_line() {
    while (at_ < raw_.size() && raw_[at_] != '\n') ++at_;
  }

  // The place of the next byte of the value; moves past what spells it.
  uint32_t next(char c) {
    if (escape_bytes_left_ > 0 && (static_cast<unsigned char>(c) & 0xC0) == 0x80) {
      return escape_start_;
    }
    escape_bytes_left_ = 0;
    skip_folding(c);
    if (at_ >= raw_.size()) return static_cast<uint32_t>(raw_.size());
    uint32_t here = at_;
    if (quote_ == '"' && raw_[at_] == '\\') return escape();
    if (quote_ == '\'' && raw_[at_] == '\'') {
      at_ += 2;
    } else if (raw_[at_] == c || is_blank(raw_[at_])) {
      ++at_;
    }
    return here;
  }

  // Line breaks and indentation that the value does not have, and escaped line breaks.
  void skip_folding(char c) {
    while (at_ < raw_.size()) {
      bool joins = quote_ == '"' && raw_.substr(at_, 2) == "\\\n";
      if (joins) {
        ++at_;
      } else if (is_blank(c) || !is_blank(raw_[at_])) {
        return;
      }
      ++at_;
    }
  }

  uint32_t escape() {
    escape_start_ = at_;
    escape_bytes_left_ = 1;
    at_ = static_cast<uint32_t>(std::min(raw_.size(), at_ + escape_length(raw_.substr(at_))));
    return escape_start_;
  }

  std::string_view raw_;
  uint32_t at_;
  char quote_ = '\0';
  uint32_t escape_start_ = 0;
  int escape_bytes_left_ = 0;
};

}  // namespace

LocatedText locate_scalar(const Source& source, uint32_t begin, bool quoted,
                          const std::string& value, YamlArena& arena) {
  std::string_view raw = source.text();
  uint32_t start = begin;
  bool in_quotes = quoted && start < raw.size() && (raw[start] == '"' || raw[start] == '\'');
  if (in_quotes) ++start;
  bool as_written = raw.substr(start).starts_with(value);
  if (in_quotes) {
    size_t end = start + value.size();
    as_written = as_written && end < raw.size() && raw[end] == raw[begin];
  }
  if (as_written) return {raw.substr(start, value.size()), &source, start, nullptr};
  const std::string& text = arena.texts.emplace_back(value);
  arena.offsets.push_back(Aligner(raw, begin).align(text));
  return {text, &source, begin, &arena.offsets.back()};
}

}  // namespace opweave::codegen

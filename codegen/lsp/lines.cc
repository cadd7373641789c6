// From bytes to UTF-16 units and back.
#include "codegen/lsp/lines.h"

#include <algorithm>

#include "codegen/diagnostics/utf8.h"

namespace opweave::codegen::lsp {
namespace {

uint32_t units(const Character& c) { return c.valid && c.code > 0xFFFF ? 2 : 1; }

}  // namespace

Lines::Lines(std::string_view text) : text_(text), starts_{0} {
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends = text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
    if (ends) starts_.push_back(static_cast<uint32_t>(i + 1));
  }
}

Place Lines::place(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(text_.size()));
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  Place place{static_cast<uint32_t>(after - starts_.begin() - 1), 0};
  for (uint32_t at = starts_[place.line]; at < offset && text_[at] != '\r';) {
    const Character c = first_character(text_.substr(at));
    place.character += units(c);
    at += static_cast<uint32_t>(c.bytes);
  }
  return place;
}

uint32_t Lines::offset(Place place) const {
  if (place.line >= starts_.size()) return static_cast<uint32_t>(text_.size());
  uint32_t at = starts_[place.line];
  uint32_t left = place.character;
  while (left > 0 && at < text_.size() && text_[at] != '\n' && text_[at] != '\r') {
    const Character c = first_character(text_.substr(at));
    if (units(c) > left) break;  // in the middle of a character
    left -= units(c);
    at += static_cast<uint32_t>(c.bytes);
  }
  return at;
}

}  // namespace opweave::codegen::lsp

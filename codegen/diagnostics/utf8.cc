// Decoding and measuring of UTF-8.
#include "codegen/diagnostics/utf8.h"

#include <algorithm>
#include <iterator>

namespace opweave::codegen {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Range {
  char32_t first, last;
};

bool contains(const Range* begin, const Range* end, char32_t code) {
  const Range* found = std::lower_bound(
      begin, end, code, [](const Range& range, char32_t value) { return range.last < value; });
  return found != end && found->first <= code;
}

// The blocks of combining marks, joiners and variation selectors.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},  {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},  {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};

// The blocks of wide characters (Unicode's East Asian Width W and F).
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},  {0x2E80, 0x303E}, {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},  {0xA960, 0xA97F}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF},
    {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Too long a spelling, half of a surrogate pair, or beyond Unicode.
bool is_forbidden(char32_t code, size_t bytes) {
  if (bytes == 3 && code < 0x800) return true;
  if (bytes == 4 && code < 0x10000) return true;
  return (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF;
}

// Controls of Unicode's bidirectional algorithm, and what is never drawn. Joiners make letters and
// emoji.
constexpr Range kHidden[] = {{0x061C, 0x061C}, {0x180E, 0x180E}, {0x200B, 0x200B},
                             {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
                             {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};

bool is_control(char32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

bool is_hidden(char32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') return false;
  return is_control(code) || contains(std::begin(kHidden), std::end(kHidden), code);
}

}  // namespace

Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t bytes = length_of(lead);
  if (bytes == 1) return {lead, 1, true};
  if (bytes == 0 || bytes > text.size()) return {};
  char32_t code = lead & (0xFFu >> (bytes + 1));
  for (size_t i = 1; i < bytes; ++i) {
    if (!continues(text[i])) return {};
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  return is_forbidden(code, bytes) ? Character{} : Character{code, bytes, true};
}

std::optional<size_t> find_bad_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Character c = first_character(text.substr(at));
    if (!c.valid) return at;
    at += c.bytes;
  }
  return std::nullopt;
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) at += first_character(text.substr(at)).bytes;
  return count;
}

std::optional<size_t> find_hidden(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte >= ' ' && byte < 0x7F) {
      ++at;
      continue;
    }
    const Character c = first_character(text.substr(at));
    if (c.valid && is_hidden(c.code)) return at;
    at += c.bytes;
  }
  return {};
}

size_t character_start(std::string_view text, size_t at) {
  at = std::min(at, text.size());
  for (size_t back = 0; back < 4 && back <= at; ++back) {
    const size_t start = at - back;
    if (start < text.size() && continues(text[start])) continue;
    const bool covers =
        back == 0 || (start < text.size() && first_character(text.substr(start)).bytes > back);
    return covers ? start : at;
  }
  return at;
}

int display_width(char32_t code) {
  if (contains(std::begin(kZeroWidth), std::end(kZeroWidth), code)) return 0;
  return contains(std::begin(kWide), std::end(kWide), code) ? 2 : 1;
}

size_t display_width(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Character c = first_character(text);
    width += c.valid ? static_cast<size_t>(display_width(c.code)) : 1;
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_character(text);
    const bool shown = c.valid && !is_hidden(c.code) && c.code != '\r';
    out += shown ? text.substr(0, c.bytes) : kReplacement;
    text.remove_prefix(c.bytes);
  }
  return out;
}

}  // namespace opweave::codegen

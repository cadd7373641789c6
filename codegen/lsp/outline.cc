// Reading lines by their indentation.
#include "codegen/lsp/outline.h"

#include <algorithm>

namespace opweave::codegen::lsp {
namespace {

constexpr std::string_view kBlanks = " \t\r";

struct Line {
  uint32_t begin = 0;
  uint32_t end = 0;      // without the end of the line
  uint32_t content = 0;  // the first character that is no blank
};

Range trimmed(std::string_view text, uint32_t begin, uint32_t end) {
  while (begin < end &&
         (kBlanks.find(text[begin]) != std::string_view::npos || text[begin] == '\n'))
    ++begin;
  while (end > begin &&
         (kBlanks.find(text[end - 1]) != std::string_view::npos || text[end - 1] == '\n'))
    --end;
  return {begin, end};
}

class OutlineReader {
 public:
  explicit OutlineReader(std::string_view text) : text_(text) {}

  Outline read() {
    for (uint32_t at = 0; at < text_.size();) {
      const uint32_t end = static_cast<uint32_t>(std::min(text_.find('\n', at), text_.size()));
      Line line{at, end, at};
      while (line.content < end && text_[line.content] == ' ') ++line.content;
      read_line(line);
      at = end + 1;
    }
    return std::move(outline_);
  }

 private:
  void read_line(const Line& line) {
    const std::string_view content = text_.substr(line.content, line.end - line.content);
    const uint32_t indent = line.content - line.begin;
    if (trimmed(text_, line.begin, line.end).begin >= line.end || content.starts_with('#')) return;
    const bool dash = content == "-" || content.starts_with("- ");
    if (dash && (outline_.entries.empty() || indent <= dash_)) return begin_entry(line, indent);
    if (outline_.entries.empty()) return;
    outline_.entries.back().range.end = line.end;
    if (indent <= indent_) return read_field(line.content, line.end);
    continue_value(line);
  }

  void begin_entry(const Line& line, uint32_t indent) {
    dash_ = indent;
    uint32_t begin = line.content + 1;
    while (begin < line.end && text_[begin] == ' ') ++begin;
    // The keys of an entry stand below its first one.
    indent_ = begin < line.end ? begin - line.begin : indent + 2;
    outline_.entries.push_back({{line.begin, line.end}, {}});
    if (begin < line.end) read_field(begin, line.end);
  }

  void read_field(uint32_t begin, uint32_t end) {
    uint32_t colon = begin;
    while (colon < end && !(text_[colon] == ':' && is_blank(colon + 1))) ++colon;
    Field field{trimmed(text_, begin, colon), {colon, colon}};
    if (colon < end) field.value = trimmed(text_, colon + 1, end);
    outline_.entries.back().fields.push_back(field);
    const std::string_view key = field.key.of(text_);
    if (outline_.keys == nullptr && key == "func") outline_.keys = &operator_keys();
    if (outline_.keys == nullptr && key == "name") outline_.keys = &derivative_keys();
  }

  void continue_value(const Line& line) {
    std::vector<Field>& fields = outline_.entries.back().fields;
    if (!fields.empty()) fields.back().value.end = trimmed(text_, line.begin, line.end).end;
  }

  bool is_blank(uint32_t at) const {
    return at >= text_.size() || text_[at] == '\n' ||
           kBlanks.find(text_[at]) != std::string_view::npos;
  }

  std::string_view text_;
  Outline outline_;
  uint32_t dash_ = 0;    // where the dashes of entries stand
  uint32_t indent_ = 0;  // where the keys of the entry stand
};

}  // namespace

const Field* Entry::find(std::string_view text, std::string_view key) const {
  const auto found =
      std::ranges::find_if(fields, [&](const Field& field) { return field.key.of(text) == key; });
  return found == fields.end() ? nullptr : &*found;
}

const Entry* Outline::entry_at(uint32_t offset) const {
  const auto after =
      std::ranges::upper_bound(entries, offset, {}, [](const Entry& e) { return e.range.begin; });
  return after == entries.begin() ? nullptr : &*(after - 1);
}

Outline outline_of(std::string_view text) { return OutlineReader(text).read(); }

Range name_of(const Entry& entry, std::string_view text) {
  const Field* field = entry.find(text, "func");
  if (field == nullptr) field = entry.find(text, "name");
  if (field == nullptr) return {};
  Range name = field->value;
  if (name.begin < name.end && (text[name.begin] == '"' || text[name.begin] == '\'')) ++name.begin;
  name.end = name.begin;
  while (name.end < field->value.end && (is_word(text[name.end]) || text[name.end] == '.'))
    ++name.end;
  return name;
}

}  // namespace opweave::codegen::lsp

// A recursive descent over lines and their indentation. Null from any function means: give up.
#include "codegen/syntax/plain_yaml.h"

#include <algorithm>

#include "codegen/diagnostics/utf8.h"
#include "codegen/syntax/scalar_map.h"
#include "codegen/syntax/scanner.h"

namespace opweave::codegen {
namespace {

constexpr int kMaxDepth = 32;
// Looking for a repeated key compares all of them; longer mappings are not ours.
constexpr size_t kMaxEntries = 64;
constexpr size_t kMaxKey = 1000;  // YAML has 1024
constexpr std::string_view kIndicators = ",[]{}#&*!|>'\"%@`";

bool is_null_word(std::string_view text) {
  return text == "~" || text == "null" || text == "Null" || text == "NULL";
}

std::string_view trim_end(std::string_view text) {
  const size_t last = text.find_last_not_of(' ');
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// No tabs, carriage returns, byte order mark or hidden characters, and UTF-8.
bool is_ordinary(std::string_view text) {
  auto is_ordinary = [](char c) { return static_cast<unsigned char>(c) >= ' ' || c == '\n'; };
  return !text.empty() && (text[0] & 0x80) == 0 && std::ranges::all_of(text, is_ordinary) &&
         !find_bad_utf8(text) && !find_hidden(text);
}

class PlainReader {
 public:
  PlainReader(const Source& source, YamlArena& arena)
      : source_(source), arena_(arena), text_(source.text()) {}

  const YamlNode* read() {
    if (!is_ordinary(text_) || !to_content() || at_end()) return nullptr;
    const YamlNode* root = block(column());
    return root && at_end() ? root : nullptr;
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\n';
  }
  uint32_t column() const { return at_ - line_start_; }
  bool is_dash() const { return peek() == '-' && (peek(1) == ' ' || peek(1) == '\n'); }
  void skip_spaces() {
    while (peek() == ' ') ++at_;
  }
  std::string_view rest_of_line() const {
    return text_.substr(at_, std::min(text_.find('\n', at_), text_.size()) - at_);
  }

  // From behind a value (or the beginning of a line) over blanks, comments and empty lines to the
  // next content. False if there is something else on the line.
  bool to_content() {
    while (!at_end()) {
      const uint32_t before = at_;
      skip_spaces();
      if (at_end()) return true;
      if (peek() == '#' && (at_ > before || at_ == line_start_)) {
        at_ += static_cast<uint32_t>(rest_of_line().size());
      } else if (peek() != '\n') {
        return fresh_line(before);
      }
      if (!at_end()) ++at_;
      line_start_ = at_;
    }
    return true;
  }
  bool fresh_line(uint32_t before) const { return before == line_start_; }

  YamlNode& make(YamlNode::Kind kind) {
    YamlNode& node = arena_.nodes.emplace_back();
    node.kind = kind;
    node.span = {&source_, at_, at_ + 1};
    return node;
  }

  const YamlNode* block(uint32_t indent) {
    if (++depth_ > kMaxDepth) return nullptr;
    const YamlNode* node = is_dash() ? sequence(indent) : mapping(indent);
    --depth_;
    return node;
  }

  const YamlNode* sequence(uint32_t indent) {
    YamlNode& node = make(YamlNode::Kind::sequence);
    while (!at_end() && column() == indent && is_dash()) {
      ++at_;
      skip_spaces();
      const YamlNode* item = line_key_size() > 0 ? block(column()) : value_on_line(indent);
      if (!item) return nullptr;
      node.items.push_back(item);
    }
    return at_end() || column() <= indent ? &node : nullptr;
  }

  const YamlNode* mapping(uint32_t indent) {
    YamlNode& node = make(YamlNode::Kind::map);
    while (!at_end() && column() == indent && !is_dash()) {
      if (!(begins_quoted() ? take_quoted_key(node) : take_key(node, line_key_size())))
        return nullptr;
      skip_spaces();
      const bool below = peek() == '\n' || peek() == '#';
      const YamlNode* value = below ? value_below(indent) : value_on_line(indent);
      if (!value) return nullptr;
      node.entries.back().value = value;
    }
    if (node.entries.empty()) return nullptr;
    return at_end() || column() <= indent ? &node : nullptr;
  }

  // How many bytes the key of a mapping has that begins here; 0 if none does.
  size_t key_size() const {
    if (!is_identifier_start(peek())) return 0;
    size_t size = 1;
    auto in_key = [](char c) { return is_identifier_char(c) || c == ' ' || c == ',' || c == '.'; };
    while (in_key(peek(size))) ++size;
    const bool ends = peek(size) == ':' && (peek(size + 1) == ' ' || peek(size + 1) == '\n');
    return ends && peek(size - 1) != ' ' && size < 256 ? size : 0;
  }

  // The same on a line of its own, where it may be any plain text: a condition.
  size_t line_key_size() const {
    if (const size_t size = key_size(); size > 0 || !begins_plain()) return size;
    const std::string_view line = rest_of_line();
    const size_t end =
        std::min(line.find(": "), line.ends_with(':') ? line.size() - 1 : line.size());
    const std::string_view key = line.substr(0, end);
    const bool fits = end < line.size() && end < kMaxKey && !key.ends_with(' ');
    return fits && key.find(" #") == std::string_view::npos ? end : 0;
  }

  bool may_add(const YamlNode& map, std::string_view key) const {
    const bool repeated = std::ranges::any_of(
        map.entries, [&](const YamlNode::Entry& entry) { return entry.key.text == key; });
    return !repeated && !is_null_word(key) && map.entries.size() < kMaxEntries;
  }

  bool take_key(YamlNode& map, size_t size) {
    const std::string_view key = text_.substr(at_, size);
    if (size == 0 || !may_add(map, key)) return false;
    map.entries.emplace_back().key = {key, &source_, at_};
    at_ += static_cast<uint32_t>(size) + 1;
    return true;
  }

  bool begins_quoted() const { return peek() == '"' || peek() == '\''; }

  bool take_quoted_key(YamlNode& map) {
    const uint32_t line = line_start_, begin = at_;
    const YamlNode* key = quoted(column());
    const bool ends = key && line == line_start_ && at_ - begin < kMaxKey && peek() == ':' &&
                      (peek(1) == ' ' || peek(1) == '\n');
    if (!ends || !may_add(map, key->text.text)) return false;
    map.entries.emplace_back().key = key->text;
    ++at_;
    return true;
  }

  // Behind `key:` at the end of a line.
  const YamlNode* value_below(uint32_t indent) {
    if (peek() == '#') at_ += static_cast<uint32_t>(rest_of_line().size());
    if (!to_content() || at_end()) return nullptr;
    const bool inside = column() > indent || (column() == indent && is_dash());
    return inside ? block(column()) : nullptr;
  }

  // A value that ends on this line, unless it is quoted.
  const YamlNode* value_on_line(uint32_t indent) {
    const YamlNode* node = nullptr;
    if (peek() == '[' || peek() == '{') {
      node = flow();
    } else if (peek() == '"' || peek() == '\'') {
      node = quoted(indent);
    } else {
      node = plain();
    }
    const bool ends = node && to_content() && (at_end() || column() <= indent);
    return ends ? node : nullptr;
  }

  const YamlNode* scalar(std::string_view value) {
    if (value.empty() || is_null_word(value)) return nullptr;
    YamlNode& node = make(YamlNode::Kind::scalar);
    node.text = {value, &source_, at_};
    node.span = node.text.whole();
    at_ += static_cast<uint32_t>(value.size());
    return &node;
  }

  bool begins_plain() const {
    const char c = peek();
    if (c == '-' || c == '?' || c == ':') return peek(1) != ' ' && peek(1) != '\n';
    return c != ' ' && c != '\n' && kIndicators.find(c) == std::string_view::npos;
  }

  const YamlNode* plain() {
    if (!begins_plain()) return nullptr;
    const std::string_view line = rest_of_line();
    const std::string_view value = trim_end(line.substr(0, line.find(" #")));
    if (value.ends_with(':') || value.find(": ") != std::string_view::npos) return nullptr;
    return scalar(value);
  }

  // Until the closing quote; a line break is a blank. Of escapes only quotes, backslashes and line
  // breaks are ours.
  const YamlNode* quoted(uint32_t indent) {
    const char quote = peek();
    const uint32_t begin = at_++;
    std::string value;
    while (peek() != quote) {
      if (at_end()) return nullptr;
      if (peek() == '\\') {
        const char c = peek(1);
        if (quote != '"' || (c != '"' && c != '\\' && c != 'n')) return nullptr;
        value += c == 'n' ? '\n' : c;
        at_ += 2;
      } else if (peek() == '\n') {
        if (!fold(indent, value)) return nullptr;
      } else {
        value += text_[at_++];
      }
    }
    ++at_;
    if (peek() == quote) return nullptr;
    return &quoted_node(begin, value);
  }

  YamlNode& quoted_node(uint32_t begin, const std::string& value) {
    YamlNode& node = make(YamlNode::Kind::scalar);
    node.quoted = true;
    node.text = locate_scalar(source_, begin, true, value, arena_);
    node.span = value.empty() ? Span{&source_, begin, begin + 1} : node.text.whole();
    return node;
  }

  // A line break inside of quotes, and the blanks around it. Empty lines are not ours.
  bool fold(uint32_t indent, std::string& value) {
    value = trim_end(value);
    line_start_ = ++at_;
    skip_spaces();
    value += ' ';
    return column() > indent && !at_end() && peek() != '\n';
  }

  const YamlNode* flow() {
    if (++depth_ > kMaxDepth) return nullptr;
    const bool is_map = peek() == '{';
    YamlNode& node = make(is_map ? YamlNode::Kind::map : YamlNode::Kind::sequence);
    const char closing = is_map ? '}' : ']';
    ++at_;
    skip_spaces();
    while (peek() != closing || !node.items.empty() || !node.entries.empty()) {
      if (!(is_map ? flow_entry(node) : flow_item(node))) return nullptr;
      skip_spaces();
      if (peek() == closing) break;
      if (peek() != ',') return nullptr;
      ++at_;
      skip_spaces();
    }
    ++at_;
    --depth_;
    return &node;
  }

  bool flow_item(YamlNode& list) {
    const YamlNode* item = flow_value();
    if (item) list.items.push_back(item);
    return item != nullptr;
  }

  bool flow_entry(YamlNode& map) {
    const std::string_view key = text_.substr(at_, key_size());
    if (key.find(',') != std::string_view::npos || !take_key(map, key_size())) return false;
    skip_spaces();
    map.entries.back().value = flow_value();
    return map.entries.back().value != nullptr;
  }

  const YamlNode* flow_value() {
    if (peek() == '[' || peek() == '{') return flow();
    if (peek() == '"' || peek() == '\'') {
      const size_t end = rest_of_line().find(peek(), 1);
      return end == std::string_view::npos ? nullptr : quoted(column());
    }
    return begins_plain() ? plain_in_brackets() : nullptr;
  }

  // A colon belongs to it where a name follows at once: real():float32.
  const YamlNode* plain_in_brackets() {
    const std::string_view line = rest_of_line();
    const auto end_from = [&](size_t at) { return line.find_first_of(",[]{}#:?\"'\\", at); };
    const auto is_inside = [&](size_t at) {
      return at > 0 && at + 1 < line.size() && line[at] == ':' && is_identifier_start(line[at + 1]);
    };
    size_t size = end_from(0);
    while (size != std::string_view::npos && is_inside(size)) size = end_from(size + 1);
    const bool ends = size != std::string_view::npos &&
                      std::string_view(",]}").find(line[size]) != std::string_view::npos;
    return ends ? scalar(trim_end(line.substr(0, size))) : nullptr;
  }

  const Source& source_;
  YamlArena& arena_;
  std::string_view text_;
  uint32_t at_ = 0;
  uint32_t line_start_ = 0;
  int depth_ = 0;
};

}  // namespace

const YamlNode* parse_plain_yaml(const Source& source, YamlArena& arena) {
  return PlainReader(source, arena).read();
}

}  // namespace opweave::codegen

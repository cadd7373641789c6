// Builds YAML trees from yaml-cpp's events.
#include "codegen/syntax/yaml.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <istream>
#include <optional>
#include <streambuf>
#include <unordered_map>
#include <vector>

#include "codegen/diagnostics/utf8.h"
#include "codegen/syntax/plain_yaml.h"
#include "codegen/syntax/scalar_map.h"
#include "codegen/syntax/yaml_errors.h"
#include "codegen/syntax/yaml_places.h"

namespace opweave::codegen {
namespace {

// Reads a string in place; std::istringstream would copy it.
class ViewBuffer : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());
    setg(begin, begin, begin + text.size());
  }
};

// yaml-cpp skips a byte order mark without counting it, so we do.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

uint32_t mark_size(const Source& source) {
  return source.text().starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

// Where a mark of yaml-cpp is in the file.
uint32_t offset_of(const Source& source, const YAML::Mark& mark) {
  auto size = static_cast<int64_t>(source.text().size());
  return static_cast<uint32_t>(std::clamp<int64_t>(mark.pos + mark_size(source), 0, size));
}

std::string describe_hidden(char32_t code) {
  return fmt::format("the character U+{:04X} cannot be seen, or hides what follows it",
                     static_cast<uint32_t>(code));
}

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(const Source& source, YamlArena& arena, DiagnosticSink& sink)
      : source_(source), arena_(arena), sink_(sink) {}

  const YamlNode* root() const { return root_; }

  // The list or mapping in brackets that is being read, if there is one.
  std::optional<Span> open_bracket() const {
    for (auto open = stack_.rbegin(); open != stack_.rend(); ++open) {
      const std::string_view first = open->node->span.text();
      if (first == "[" || first == "{") return open->node->span;
    }
    return std::nullopt;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (!root_) return;
    // yaml-cpp sees another document wherever the first does not go on.
    const Span here = place(mark);
    const std::string_view first = here.text();
    if (first == "," || first == "]" || first == "}") {
      sink_.error(Code::yaml_syntax, here, fmt::format("not valid YAML: unexpected '{}'", first));
    } else {
      unsupported(mark, "a second document in one file");
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    begin(mark, "", anchor, YamlNode::Kind::null);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    unsupported(mark, "an alias");
    begin(mark, "", 0, YamlNode::Kind::null);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    YamlNode& node = begin(mark, tag, anchor, YamlNode::Kind::scalar);
    node.quoted = tag == "!";
    node.text = locate_scalar(source_, offset(mark), node.quoted, value, arena_);
    node.span = node.text.whole();
    if (node.quoted) check_closed(mark, node.text);
    if (node.text.text.empty()) node.span = place(mark);
    finish_key(node);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    stack_.push_back({&begin(mark, tag, anchor, YamlNode::Kind::sequence), false});
  }
  void OnSequenceEnd() override { stack_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    stack_.push_back({&begin(mark, tag, anchor, YamlNode::Kind::map), true});
  }
  void OnMapEnd() override {
    report_duplicates(*stack_.back().node);
    stack_.pop_back();
  }

 private:
  struct Open {
    YamlNode* node;
    bool expects_key;
  };

  uint32_t offset(const YAML::Mark& mark) const { return offset_of(source_, mark); }
  Span place(const YAML::Mark& mark) const {
    uint32_t at = offset(mark);
    return {&source_, at, std::min(at + 1, static_cast<uint32_t>(source_.text().size()))};
  }
  void unsupported(const YAML::Mark& mark, std::string_view what) {
    sink_.error(Code::yaml_feature, word_at(source_, offset(mark)),
                fmt::format("{} is not supported here", what));
  }

  // yaml-cpp takes the end of the file for the end of a quoted text.
  void check_closed(const YAML::Mark& mark, const LocatedText& text) {
    const std::string_view file = source_.text();
    const uint32_t begin = offset(mark), end = text.whole().end;
    const char quote = begin < file.size() ? file[begin] : '\0';
    if ((quote != '"' && quote != '\'') || (end < file.size() && file[end] == quote)) return;
    sink_.error(Code::yaml_syntax, place(mark),
                "not valid YAML: the text that begins here has no closing quote");
  }

  // Makes a node and hangs it where it belongs. A mapping's key is only registered by finish_key.
  YamlNode& begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YamlNode::Kind kind) {
    if (anchor) unsupported(mark, "an anchor");
    if (!tag.empty() && tag != "?" && tag != "!") unsupported(mark, "a tag");
    YamlNode& node = arena_.nodes.emplace_back();
    node.kind = kind;
    node.span = place(mark);
    attach(node, mark);
    return node;
  }

  void attach(YamlNode& node, const YAML::Mark& mark) {
    if (stack_.empty()) {
      if (!root_) root_ = &node;
      return;
    }
    Open& top = stack_.back();
    if (top.node->is_sequence()) {
      top.node->items.push_back(&node);
    } else if (!top.expects_key) {
      top.node->entries.back().value = &node;
      top.expects_key = true;
    } else {
      if (!node.is_scalar()) bad_key(node, mark);
      top.node->entries.emplace_back();
      top.expects_key = false;
      pending_key_ = &node;
    }
  }

  void finish_key(const YamlNode& node) {
    if (pending_key_ == &node) stack_.back().node->entries.back().key = node.text;
    pending_key_ = nullptr;
  }

  void bad_key(const YamlNode& node, const YAML::Mark& mark) {
    sink_.error(Code::wrong_kind, place(mark),
                fmt::format("a key must be a name, not {}", describe(node)));
  }

  // One message for a key, however often it is there.
  void report_duplicates(const YamlNode& map) {
    std::unordered_map<std::string_view, std::vector<const LocatedText*>> places;
    std::vector<std::string_view> repeated;
    for (const YamlNode::Entry& entry : map.entries) {
      if (!entry.key.source) continue;
      std::vector<const LocatedText*>& found = places[entry.key.text];
      found.push_back(&entry.key);
      if (found.size() == 2) repeated.push_back(entry.key.text);
    }
    for (const std::string_view key : repeated) report_duplicate(places[key]);
  }

  void report_duplicate(const std::vector<const LocatedText*>& places) {
    const std::string times =
        places.size() > 2 ? fmt::format(", given {} times", places.size()) : "";
    sink_
        .error(Code::duplicate_key, places[1]->whole(),
               fmt::format("duplicate key '{}'{}", places[1]->text, times))
        .note(places[0]->whole(), "first given here");
  }

  const Source& source_;
  YamlArena& arena_;
  DiagnosticSink& sink_;
  std::vector<Open> stack_;
  const YamlNode* root_ = nullptr;
  const YamlNode* pending_key_ = nullptr;
};

Span character_at(const Source& source, size_t at) {
  const std::string_view text = source.text();
  const size_t begin = character_start(text, at);
  const size_t end =
      begin < text.size() ? begin + first_character(text.substr(begin)).bytes : begin;
  return {&source, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
}

void report(const YAML::Exception& e, const Source& source, const TreeBuilder& builder,
            DiagnosticSink& sink) {
  const Span here = character_at(source, offset_of(source, e.mark));
  const std::optional<Span> bracket = builder.open_bracket();
  if (is_unknown_alias(e.msg)) {
    sink.error(Code::yaml_feature, word_at(source, here.begin), "an alias is not supported here");
    return;
  }
  if (!is_unclosed_bracket(e.msg) || !bracket) {
    sink.error(Code::yaml_syntax, here, explain_yaml_error(e.msg));
    return;
  }
  sink.error(Code::yaml_syntax, *bracket, explain_yaml_error(e.msg));
}

// A byte order mark is one only where the file begins.
bool check_hidden(const Source& source, DiagnosticSink& sink) {
  const size_t begin = mark_size(source);
  const std::optional<size_t> hidden = find_hidden(source.text().substr(begin));
  if (!hidden) return true;
  const Span span = character_at(source, begin + *hidden);
  sink.error(Code::encoding, span, describe_hidden(first_character(span.text()).code));
  return false;
}

// yaml-cpp reads other encodings too, and what is none: then no place would be right.
bool check_encoding(const Source& source, DiagnosticSink& sink) {
  const std::optional<size_t> bad = find_bad_utf8(source.text());
  const size_t zero = source.text().find('\0');
  if (!bad && zero == std::string_view::npos) return true;
  const size_t at = std::min(bad.value_or(zero), zero);
  const auto byte = static_cast<unsigned char>(source.text()[at]);
  sink.error(Code::encoding, character_at(source, at),
             fmt::format("the byte 0x{:02X} is not part of UTF-8 text", byte));
  return false;
}

}  // namespace

const YamlNode* parse_yaml(const Source& source, YamlArena& arena, DiagnosticSink& sink) {
  if (const YamlNode* root = parse_plain_yaml(source, arena)) return root;
  return parse_full_yaml(source, arena, sink);
}

const YamlNode* parse_full_yaml(const Source& source, YamlArena& arena, DiagnosticSink& sink) {
  size_t errors_before = sink.error_count();
  if (!check_encoding(source, sink) || !check_hidden(source, sink)) return nullptr;
  TreeBuilder builder(source, arena, sink);
  ViewBuffer buffer(source.text().substr(mark_size(source)));
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    // One document is enough; and yaml-cpp never gets past some errors.
    while (sink.error_count() == errors_before && parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& e) {
    report(e, source, builder, sink);
  }
  if (sink.error_count() > errors_before) return nullptr;
  return builder.root() ? builder.root() : &arena.nodes.emplace_back();
}

std::string_view kind_name(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::scalar:
      return "a value";
    case YamlNode::Kind::sequence:
      return "a list";
    case YamlNode::Kind::map:
      return "a mapping";
  }
  return "";
}

}  // namespace opweave::codegen

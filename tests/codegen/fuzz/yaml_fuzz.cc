// YAML: a tree whose places lie inside the file, or a reason.
#include "codegen/syntax/plain_yaml.h"
#include "tests/codegen/fuzz/property.h"
#include "tests/codegen/support/yaml_compare.h"

using namespace opweave::codegen;

namespace {

void check_span(const Span& span, const Source& source) {
  fuzz::require(
      span.source == &source && span.begin <= span.end && span.end <= source.text().size(),
      "spans lie inside the file");
}

void check_text(const LocatedText& text, const Source& source) {
  for (uint32_t i = 0; i <= text.text.size(); ++i) check_span(text.span(i, i), source);
}

void check(const YamlNode& node, const Source& source) {
  check_span(node.span, source);
  if (node.is_scalar()) check_text(node.text, source);
  for (const YamlNode* item : node.items) check(*item, source);
  for (const YamlNode::Entry& entry : node.entries) {
    check_text(entry.key, source);
    check(*entry.value, source);
  }
}

// What the fast reader takes reads the same through yaml-cpp.
void compare_readers(const Source& source) {
  YamlArena arena;
  DiagnosticSink sink;
  const YamlNode* plain = parse_plain_yaml(source, arena);
  if (plain == nullptr) return;
  const YamlNode* full = parse_full_yaml(source, arena, sink);
  fuzz::require(full != nullptr, "what is read is YAML", render_all(sink));
  const std::string difference = first_difference(*plain, *full);
  fuzz::require(difference.empty(), "both readers give the same tree", difference);
}

void test(std::string_view text) {
  const Source source("yaml", std::string(text));
  compare_readers(source);
  YamlArena arena;
  DiagnosticSink sink;
  const YamlNode* root = parse_yaml(source, arena, sink);
  if (root == nullptr) {
    fuzz::require_reason(sink);
  } else if (!sink.has_errors() &&
             !(root->is_null() && !root->span)) {  // an empty file has no places
    check(*root, source);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::for_files(data, size, test);
  return 0;
}

// YAML trees and the way from values back to the file.
#include "codegen/syntax/yaml.h"

#include <doctest/doctest.h>

#include "codegen/diagnostics/render.h"

namespace opweave::codegen {
namespace {

struct Parsed {
  explicit Parsed(std::string text) : source("t.yaml", std::move(text)) {
    root = parse_yaml(source, arena, sink);
  }
  // The bytes of the file behind the first occurrence of `part` in the value.
  std::string_view behind(const LocatedText& value, std::string_view part) const {
    size_t at = value.text.find(part);
    if (at == std::string_view::npos) return "?";
    return value.span(static_cast<uint32_t>(at), static_cast<uint32_t>(at + part.size())).text();
  }

  Source source;
  YamlArena arena;
  DiagnosticSink sink;
  const YamlNode* root = nullptr;
};

TEST_CASE("lists, mappings and values keep their places") {
  Parsed yaml("- a: 1\n  b: [x, y]\n-\n");
  REQUIRE(yaml.root);
  REQUIRE(yaml.root->is_sequence());
  REQUIRE(yaml.root->items.size() == 2);
  const YamlNode& map = *yaml.root->items[0];
  REQUIRE(map.is_map());
  CHECK(map.entries[0].key.text == "a");
  CHECK(map.entries[0].value->text.whole() == Span{&yaml.source, 5, 6});
  CHECK(map.entries[1].value->items[1]->text.text == "y");
  CHECK(yaml.root->items[1]->is_null());
}

TEST_CASE("plain values are not copied") {
  Parsed yaml("a: some words\n");
  const LocatedText& value = yaml.root->entries[0].value->text;
  CHECK(value.text.data() == yaml.source.text().data() + 3);
}

TEST_CASE("folded lines map to where they stand") {
  Parsed yaml("a: one two\n   three\n\n   four\n");
  const LocatedText& value = yaml.root->entries[0].value->text;
  CHECK(value.text == "one two three\nfour");
  CHECK(yaml.behind(value, "three") == "three");
  CHECK(yaml.behind(value, "four") == "four");
  CHECK(value.span(8, 13).begin == 14);
}

TEST_CASE("block scalars map to where they stand") {
  for (std::string style : {"|", ">", ">-", "|2-"}) {
    Parsed yaml("a: " + style + "\n  first line\n  second\n");
    REQUIRE(yaml.root);
    const LocatedText& value = yaml.root->entries[0].value->text;
    CHECK(yaml.behind(value, "first") == "first");
    CHECK(yaml.behind(value, "second") == "second");
  }
}

TEST_CASE("quotes and escapes map to where they stand") {
  Parsed single("a: 'it''s here'\n");
  CHECK(single.root->entries[0].value->text.text == "it's here");
  CHECK(single.root->entries[0].value->quoted);
  CHECK(single.behind(single.root->entries[0].value->text, "here") == "here");
  Parsed escaped("a: \"b\\u00e9c\\td \\\n   e\"\n");
  const LocatedText& value = escaped.root->entries[0].value->text;
  CHECK(value.text ==
        "b\xC3\xA9"
        "c\td e");
  CHECK(escaped.behind(value, "c") == "c");
  CHECK(escaped.behind(value, "\xC3\xA9") == "\\u00e9");
  CHECK(escaped.behind(value, "d") == "d");
  CHECK(escaped.behind(value, "e") == "e");
}

TEST_CASE("a byte order mark and carriage returns move nothing") {
  Parsed yaml("a: 1\r\nb: two\r\n");
  REQUIRE(yaml.root);
  CHECK(yaml.root->entries[1].value->text.whole().text() == "two");
  Parsed marked(
      "\xEF\xBB\xBF"
      "a: one\nb: two\n");
  REQUIRE(marked.root);
  CHECK(marked.root->entries[0].value->text.whole().text() == "one");
  CHECK(marked.root->entries[1].value->text.whole().text() == "two");
}

TEST_CASE("empty files are null") {
  for (std::string text : {"", "\n\n", "# only a comment\n", "---\n"}) {
    Parsed yaml(text);
    REQUIRE(yaml.root);
    CHECK(yaml.root->is_null());
    CHECK_FALSE(yaml.sink.has_errors());
  }
}

TEST_CASE("a repeated key names its first place") {
  Parsed yaml("a: 1\nb: 2\na: 3\n");
  CHECK(yaml.root == nullptr);
  CHECK(render(yaml.sink.all()[0]) ==
        "t.yaml:3:1: error[OW0004]: duplicate key 'a'\n    3 | a: 3\n      | ^\n"
        "t.yaml:1:1: note: first given here\n    1 | a: 1\n      | ^\n");
}

TEST_CASE("deep nesting is an error, not a crash") {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "[";
  Parsed yaml(text);
  CHECK(yaml.root == nullptr);
  CHECK(yaml.sink.has_errors());
}

TEST_CASE("bytes that are no text are an error or a value, never a crash") {
  std::string text = "a: ";
  for (int c = 0; c < 256; ++c) {
    Parsed yaml(text + static_cast<char>(c) + "\n- b");
    Parsed inside("x: 'a" + std::string(1, static_cast<char>(c)) + "b'");
  }
}

}  // namespace
}  // namespace opweave::codegen

// YAML trees and the way from values back to the file.
#include "codegen/syntax/yaml.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "codegen/diagnostics/render.h"
#include "codegen/syntax/plain_yaml.h"
#include "tests/codegen/support/yaml_compare.h"

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

// Whether the fast reader takes a text; then its tree has to be that of yaml-cpp.
bool is_plain(std::string text) {
  const Source source("t.yaml", std::move(text));
  YamlArena arena;
  DiagnosticSink sink;
  const YamlNode* plain = parse_plain_yaml(source, arena);
  const YamlNode* full = parse_full_yaml(source, arena, sink);
  if (plain == nullptr) return false;
  INFO(source.text());
  INFO(render_all(sink));
  REQUIRE(full);
  CHECK(first_difference(*plain, *full) == "");
  return true;
}

TEST_CASE("what operator files are made of is read without yaml-cpp") {
  CHECK(
      is_plain("- func: f(Tensor x, *, int[2]? y=[1, 2]) -> (Tensor a, bool)\n  variants: a, b\n"));
  CHECK(is_plain("# one\n\n- a: b # two\n  #three\n  c: d#e\n\n# four\n- a: -1.5\n"));
  CHECK(is_plain("- a: [x, 'y, z', \"w\", -2, []]\n  b: {c: [d, e], f: {}}\n"));
  CHECK(is_plain("- a:\n    b: c\n    d e, f.g: h\n  i:\n  - j\n  - k: l\n    m: n\n"));
  CHECK(is_plain("a: # comment\n  b: c"));
  CHECK(is_plain("- a: \"x ? y : z # w\"\n- b: ''\n- c: 'it \" is'\n- \"d\"\n"));
  CHECK(is_plain("- a: \"one  \n    two\n    three \"\n  b: ' x\n    '\n"));
  CHECK(is_plain("- a: x::y ? ?z :w `v` 50% @u\n"));
  CHECK(is_plain("a: k\xE1\xB5\x80 v\n"));
  CHECK(is_plain("- a\n- b\n"));
  CHECK(is_plain("'a': b\n\"c.d() == 2: e\": f\n"));
  CHECK(is_plain("a:\n  b.c() == 2 || d: e\n"));
  CHECK(is_plain("a: \"b \\\"c\\\" \\\\\"\n"));
  CHECK(is_plain("a: \"b:\\n  - c\\n\"\n"));
  CHECK(is_plain("a: b   \n"));
  CHECK(is_plain("- {a: real(2x3):float32, b: [integer():int64 , c:d:e]}\n"));
}

TEST_CASE("our own files are read without yaml-cpp, which takes 20 times as long") {
  for (const char* name : {"ops.yaml", "derivatives.yaml"}) {
    CAPTURE(name);
    std::ifstream file(name);
    std::ostringstream text;
    text << file.rdbuf();
    REQUIRE(text.str().size() > 1000);
    CHECK(is_plain(text.str()));
  }
}

TEST_CASE("the rest is left to yaml-cpp") {
  for (const std::string text : {"",
                                 "# c\n",
                                 "a:\n",
                                 "a: ~\n",
                                 "- a: b\n c: d\n",
                                 "a: b\n  c",
                                 "a: b: c\n",
                                 "a: b:\n",
                                 "a: |\n  b\n",
                                 "a: &x b\n",
                                 "a: !t b\n",
                                 "a: *x\n",
                                 "a: \"\\t\"\n",
                                 "a: 'b''c'\n",
                                 "a: \"b\n",
                                 "a:\tb\n",
                                 "a: b\r\n",
                                 "--- a\n",
                                 "%a\n",
                                 "a: 1\na: 2\n",
                                 "a: [b\n",
                                 "a: [b] c\n",
                                 "a: [b: c]\n",
                                 "a: [b:c d: e]\n",
                                 "a: [b:]\n",
                                 "a: [:b]\n",
                                 "a: [b:c",
                                 "a: [,]\n",
                                 "a: {b, c}\n",
                                 "a: [b, ]\n",
                                 "a: \"b\" c\n",
                                 "a: \"b\n\n  c\"\n",
                                 "a: \"b\nc\"\n",
                                 "- - a\n",
                                 "? a\n",
                                 "a : b\n",
                                 "- a: b\n-\n",
                                 "- a: b\nc: d\n"}) {
    INFO(text);
    CHECK_FALSE(is_plain(text));
  }
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

TEST_CASE("a key that is repeated often is told once, with a count") {
  std::string text = "a: 1\nb: 2\n";
  for (int i = 0; i < 50; ++i) text += "a: 3\n";
  Parsed yaml(text + "b: 4\n");
  REQUIRE(yaml.sink.all().size() == 2);
  CHECK(render(yaml.sink.all()[0]) ==
        "t.yaml:3:1: error[OW0004]: duplicate key 'a', given 51 times\n    3 | a: 3\n      | ^\n"
        "t.yaml:1:1: note: first given here\n    1 | a: 1\n      | ^\n");
  CHECK(yaml.sink.all()[1].message == "duplicate key 'b'");
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

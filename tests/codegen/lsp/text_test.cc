// The parts of the language server that know no operators: messages, places, documents, outlines.
#include <doctest/doctest.h>

#include "codegen/lsp/documents.h"
#include "codegen/lsp/lines.h"
#include "codegen/lsp/outline.h"
#include "codegen/lsp/transport.h"
#include "codegen/lsp/uri.h"

namespace opweave::codegen::lsp {
namespace {

std::vector<std::string> read_all(MessageReader& reader) {
  std::vector<std::string> found;
  while (auto message = reader.next())
    found.push_back(message->error.empty() ? message->body : "error: " + message->error);
  return found;
}
using Texts = std::vector<std::string>;

TEST_CASE("messages come in any pieces") {
  const std::string stream = framed("{\"a\": 1}") + framed("") + framed("é");
  CHECK(framed("é") == "Content-Length: 2\r\n\r\né");
  MessageReader whole;
  whole.feed(stream);
  CHECK(read_all(whole) == Texts{"{\"a\": 1}", "", "é"});
  MessageReader bytes;
  Texts found;
  for (char c : stream) {
    bytes.feed({&c, 1});
    for (std::string& text : read_all(bytes)) found.push_back(text);
  }
  CHECK(found == Texts{"{\"a\": 1}", "", "é"});
}

TEST_CASE("other headers and other letters") {
  MessageReader reader;
  reader.feed("Content-Type: x; charset=utf-8\r\ncontent-LENGTH:2\r\n\r\n{}");
  CHECK(read_all(reader) == Texts{"{}"});
}

TEST_CASE("a bad header costs its message alone") {
  for (const char* header : {"Content-Length: x\r\n\r\n", "Length: 2\r\n\r\n", "\r\n\r\n",
                             "Content-Length: 99999999999999999999999\r\n\r\n",
                             "Content-Length: -1\r\n\r\n", "Content-Length: 2x\r\n\r\n"}) {
    CAPTURE(header);
    MessageReader reader;
    reader.feed(header + std::string("{}") + framed("[1]") + framed("[2]"));
    CHECK(read_all(reader) == Texts{"error: a header has no Content-Length", "[1]", "[2]"});
  }
}

TEST_CASE("what has no end, and what is too long") {
  MessageReader endless;
  endless.feed(std::string(5000, 'x'));
  CHECK(read_all(endless) == Texts{"error: a header has no end"});
  endless.feed(framed("{}"));
  CHECK(read_all(endless) == Texts{"{}"});
  MessageReader large;
  large.feed("Content-Length: 300000000\r\n\r\nabc");
  CHECK(read_all(large) == Texts{"error: a message is too long"});
  const std::string chunk(1000000, 'x');
  for (int i = 0; i < 300; ++i) large.feed(i == 0 ? chunk.substr(3) : chunk);
  CHECK(read_all(large).empty());
  large.feed(framed("{}"));
  CHECK(read_all(large) == Texts{"{}"});
}

TEST_CASE("places count UTF-16 units") {
  const std::string text = "aé𝄞b\n\t字x\r\nlast\rcr";
  const Lines lines(text);
  CHECK(lines.place(0) == Place{0, 0});
  CHECK(lines.place(3) == Place{0, 2});  // behind é
  CHECK(lines.place(7) == Place{0, 4});  // behind the clef, which takes two units
  CHECK(lines.place(static_cast<uint32_t>(text.find('x'))) == Place{1, 2});
  CHECK(lines.place(static_cast<uint32_t>(text.find("cr"))) == Place{3, 0});
  CHECK(lines.place(1000) == Place{3, 2});
  for (uint32_t i = 0; i <= text.size(); ++i) {
    const Place place = lines.place(i);
    CAPTURE(i);
    CHECK(lines.place(lines.offset(place)) == place);
  }
  CHECK(lines.offset({0, 3}) == 3);   // in the middle of the clef: before it
  CHECK(lines.offset({0, 99}) == 8);  // behind the line: its end
  CHECK(lines.offset({9, 0}) == text.size());
}

TEST_CASE("places in what is not UTF-8") {
  const Lines lines("a\xFFz");
  CHECK(lines.place(2) == Place{0, 2});
  CHECK(lines.offset({0, 2}) == 2);
}

TEST_CASE("URIs") {
  CHECK(path_of_uri("file:///a/b%20c/%C3%A9.yaml") == "/a/b c/é.yaml");
  CHECK(path_of_uri("file://host/a") == "/a");
  CHECK(path_of_uri("untitled:Untitled-1") == "untitled:Untitled-1");
  CHECK(path_of_uri("file:///a%2") == "/a%2");
  CHECK(path_of_uri("file:///a%zz%") == "/a%zz%");
  CHECK(uri_of_path("/a/b c/é.yaml") == "file:///a/b%20c/%C3%A9.yaml");
  CHECK(uri_of_path("untitled:1") == "untitled:1");
}

// --- documents ---------------------------------------------------------------------------------

Json opened(const std::string& text) {
  return {{"textDocument", {{"uri", "file:///d/ops.yaml"}, {"version", 1}, {"text", text}}}};
}

Json edit(int version, Json changes) {
  return {{"textDocument", {{"uri", "file:///d/ops.yaml"}, {"version", version}}},
          {"contentChanges", std::move(changes)}};
}

Json change(int line, int from, int to_line, int to, const std::string& text) {
  return {{"range",
           {{"start", {{"line", line}, {"character", from}}},
            {"end", {{"line", to_line}, {"character", to}}}}},
          {"text", text}};
}

TEST_CASE("edits are applied in order") {
  Documents documents;
  documents.open(opened("one\n𝄞two\n"));
  CHECK(documents.change(edit(2, {change(1, 2, 1, 3, "T"), change(0, 0, 1, 0, "")})));
  const Document& document = *documents.find("/d/ops.yaml");
  CHECK(document.text == "𝄞Two\n");
  CHECK(document.version == 2);
  CHECK(documents.change(edit(3, {change(9, 0, 9, 0, "end")})));
  CHECK(document.text == "𝄞Two\nend");
  CHECK(documents.change(edit(4, Json::array({{{"text", "whole"}}}))));
  CHECK(document.text == "whole");
}

TEST_CASE("older versions and unknown documents are left alone") {
  Documents documents;
  documents.open(opened("a"));
  CHECK_FALSE(documents.change(edit(1, Json::array({{{"text", "b"}}}))));
  CHECK_FALSE(documents.change(edit(0, Json::array({{{"text", "b"}}}))));
  CHECK(documents.find("/d/ops.yaml")->text == "a");
  documents.close(opened(""));
  CHECK(documents.find("/d/ops.yaml") == nullptr);
  CHECK_FALSE(documents.change(edit(5, Json::array({{{"text", "b"}}}))));
}

TEST_CASE("a bad edit changes nothing") {
  Documents documents;
  documents.open(opened("a"));
  const Json good = {{"text", "b"}};
  for (const Json& bad : {change(0, 1, 0, 0, "x"), Json{{"range", 3}, {"text", "x"}},
                          Json{{"text", 3}}, Json::object(), change(-1, 0, 0, 0, "x")}) {
    CAPTURE(bad.dump());
    CHECK_THROWS_AS(documents.change(edit(2, {good, bad})), RpcError);
    CHECK(documents.find("/d/ops.yaml")->text == "a");
  }
  CHECK_THROWS_AS(documents.change(edit(2, "x")), RpcError);
  CHECK_THROWS_AS(documents.open(Json::array()), RpcError);
  CHECK_THROWS_AS(
      documents.open({{"textDocument", {{"uri", "u"}, {"text", ""}, {"version", "1"}}}}), RpcError);
}

TEST_CASE("large numbers are as far as one can go") {
  CHECK(number_member({{"line", 1u << 31}}, "line") == 1u << 31);
  CHECK(number_member({{"line", 1ull << 40}}, "line") == 0xFFFFFFFFu);
  CHECK_THROWS_AS(number_member({{"line", 1e300}}, "line"), RpcError);
}

// --- outlines ----------------------------------------------------------------------------------

TEST_CASE("entries and their keys, also in what is no YAML") {
  const std::string text =
      "# Operators.\n"
      "- func: f.Tensor(Tensor self) -> Tensor\n"
      "  expr: |\n"
      "    self +\n"
      "\n"
      "    1\n"
      "  # a comment\n"
      "  va\n"
      "- func: \"g(Tensor self) -> Tensor\"\n"
      "  samples: {self: [\n";
  const Outline outline = outline_of(text);
  REQUIRE(outline.entries.size() == 2);
  CHECK(outline.keys == &operator_keys());
  const Entry& f = outline.entries[0];
  CHECK(name_of(f, text).of(text) == "f.Tensor");
  REQUIRE(f.fields.size() == 3);
  CHECK(f.fields[1].value.of(text) == "|\n    self +\n\n    1");
  CHECK(f.fields[2].key.of(text) == "va");
  CHECK(name_of(outline.entries[1], text).of(text) == "g");
  CHECK(outline.entry_at(0) == nullptr);
  CHECK(outline.entry_at(60) == &f);
  CHECK(f.find(text, "doc") == nullptr);
}

TEST_CASE("what a file holds") {
  CHECK(outline_of("- name: f\n  self, other: grad\n").keys == &derivative_keys());
  CHECK(outline_of("name: cuda\n").keys == nullptr);
  CHECK(outline_of("").entries.empty());
  CHECK(outline_of("-\n").entries.size() == 1);
  const std::string indented = "  - name: f\n    self: grad\n  - name: g\n";
  CHECK(outline_of(indented).entries.size() == 2);
  CHECK(name_of(Entry(), "").end == 0);
}

TEST_CASE("words") {
  CHECK(word_around("a.bc(d", 3).of("a.bc(d") == "bc");
  CHECK(word_around("a.bc(d", 4).of("a.bc(d") == "bc");
  CHECK(word_around("( )", 1).of("( )").empty());
}

}  // namespace
}  // namespace opweave::codegen::lsp

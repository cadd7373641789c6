// Sources, positions, the text form of diagnostics, and suggestions.
#include <doctest/doctest.h>

#include "codegen/diagnostics/render.h"
#include "codegen/diagnostics/suggest.h"

namespace opweave::codegen {
namespace {

TEST_CASE("positions count lines and bytes from one") {
  Source source("a.yaml", "ab\n\ncd");
  CHECK(source.line_count() == 3);
  CHECK(source.position(0).line == 1);
  CHECK(source.position(1).column == 2);
  CHECK(source.position(3).line == 2);
  CHECK(source.position(5).line == 3);
  CHECK(source.position(5).column == 2);
  CHECK(source.position(6).column == 3);  // behind the end
  CHECK(source.line(3) == "cd");
}

TEST_CASE("lines end before a carriage return") {
  Source source("a.yaml", "ab\r\ncd\r\n");
  CHECK(source.line(1) == "ab");
  CHECK(source.line(2) == "cd");
}

TEST_CASE("joined spans cover both") {
  Source one("a", "0123456789"), two("b", "0123456789");
  Span first{&one, 2, 4}, last{&one, 6, 8};
  CHECK(join(first, last) == Span{&one, 2, 8});
  CHECK(join(last, first) == Span{&one, 2, 8});
  CHECK(join(first, Span{&two, 0, 1}) == first);
  CHECK(join(Span{}, last) == last);
}

TEST_CASE("an error shows place, code, message, line and caret") {
  Sources sources;
  const Source* source = sources.add("ops.yaml", "- one\n- func: f(Tenosr x)\n");
  DiagnosticSink sink;
  sink.error(Code::unknown_type, {source, 16, 22}, "unknown type 'Tenosr'")
      .suggest("Tensor")
      .note({source, 2, 5}, "somewhere else")
      .note({}, "nowhere");
  CHECK(render_all(sink) ==
        "ops.yaml:2:11: error[OW0102]: unknown type 'Tenosr'; did you mean 'Tensor'?\n"
        "    2 | - func: f(Tenosr x)\n"
        "      |           ^~~~~~\n"
        "ops.yaml:1:3: note: somewhere else\n"
        "    1 | - one\n"
        "      |   ^~~\n"
        "note: nowhere\n"
        "1 error\n");
}

TEST_CASE("the caret stands under the character after tabs and letters of several bytes") {
  Sources sources;
  const Source* source = sources.add("a", "\t\xC3\xA9x y\n");
  DiagnosticSink sink;
  sink.warning(Code::unknown_name, {source, 5, 6}, "here");
  CHECK(render(sink.all()[0]) ==
        "a:1:6: warning[OW0202]: here\n    1 | \t\xC3\xA9x y\n      | \t   ^\n");
}

TEST_CASE("long lines are cut around the caret") {
  Sources sources;
  std::string text = std::string(300, 'a') + "b" + std::string(300, 'c');
  const Source* source = sources.add("a", text);
  DiagnosticSink sink;
  sink.error(Code::unknown_name, {source, 300, 301}, "here");
  std::string shown = render(sink.all()[0]);
  CHECK(shown.find("| ..." + std::string(80, 'a') + "b") != std::string::npos);
  CHECK(shown.find("ccc...\n") != std::string::npos);
  CHECK(shown.find("| " + std::string(83, ' ') + "^\n") != std::string::npos);
}

TEST_CASE("colours are used on demand only") {
  Sources sources;
  const Source* source = sources.add("a", "x");
  DiagnosticSink sink;
  sink.error(Code::unknown_name, {source, 0, 1}, "here");
  CHECK(render(sink.all()[0]).find('\033') == std::string::npos);
  CHECK(render(sink.all()[0], {.color = true}).find("\033[1;31m") != std::string::npos);
}

TEST_CASE("diagnostics are sorted by file as first seen, then by place") {
  Sources sources;
  const Source* a = sources.add("a", "0123456789");
  const Source* b = sources.add("b", "0123456789");
  DiagnosticSink sink;
  sink.error(Code::unknown_name, {b, 5, 6}, "1");
  sink.error(Code::unknown_name, {a, 7, 8}, "2");
  sink.error(Code::unknown_name, {b, 2, 3}, "3");
  sink.warning(Code::unknown_name, {b, 2, 3}, "4");
  sink.sort();
  std::string order;
  for (const Diagnostic& d : sink.all()) order += d.message;
  CHECK(order == "3412");
  CHECK(sink.error_count() == 3);
  CHECK(render_all(sink).ends_with("3 errors, 1 warning\n"));
}

TEST_CASE("every code has a name of four digits and a title") {
  CHECK(code_name(Code::duplicate_key) == "OW0004");
  CHECK(code_name(Code::derivative_conflict) == "OW0407");
  CHECK(code_title(Code::duplicate_key) == "a key is given once");
}

TEST_CASE("edit distance counts swaps of neighbours once and stops at its limit") {
  CHECK(edit_distance("Tenosr", "Tensor", 3) == 1);
  CHECK(edit_distance("abc", "abc", 3) == 0);
  CHECK(edit_distance("abc", "axc", 3) == 1);
  CHECK(edit_distance("", "abc", 3) == 3);
  CHECK(edit_distance("abcdef", "ghijkl", 2) == 3);
}

TEST_CASE("suggestions are near or missing") {
  std::vector<std::string_view> names = {"sigmoid", "silu", "sin", "exp"};
  CHECK(closest("sigmod", names) == "sigmoid");
  CHECK(closest("exo", names) == "exp");
  CHECK(closest("convolution", names).empty());
  CHECK(closest("x", names).empty());
  CHECK(closest("", names).empty());
}

}  // namespace
}  // namespace opweave::codegen

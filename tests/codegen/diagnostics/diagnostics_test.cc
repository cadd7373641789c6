// Sources, positions, the text form of diagnostics, and suggestions.
#include <doctest/doctest.h>

#include "codegen/diagnostics/render.h"
#include "codegen/diagnostics/suggest.h"
#include "codegen/diagnostics/utf8.h"

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

// The lines of the excerpt of one span.
std::string excerpt_of(const std::string& text, uint32_t begin, uint32_t end) {
  Sources sources;
  const Source* source = sources.add("a", text);
  DiagnosticSink sink;
  sink.error(Code::unknown_name, {source, begin, end}, "here");
  const std::string shown = render(sink.all()[0]);
  return shown.substr(shown.find('\n') + 1);
}

TEST_CASE("the caret counts columns of the screen") {
  // Wide characters take two columns, combining marks none.
  CHECK(excerpt_of("\u6F22\u5B57 x", 7, 8) == "    1 | \u6F22\u5B57 x\n      |      ^\n");
  CHECK(excerpt_of("e\u0301 x", 4, 5) == "    1 | e\u0301 x\n      |   ^\n");
  CHECK(excerpt_of("a \u6F22\u5B57", 2, 8) == "    1 | a \u6F22\u5B57\n      |   ^~~~\n");
  CHECK(excerpt_of("a\tb\tc", 2, 5) == "    1 | a\tb\tc\n      |  \t^~~\n");
}

TEST_CASE("what a terminal could not show is replaced") {
  CHECK(excerpt_of("a\033[31mb\xFFz", 8, 9) == "    1 | a\uFFFD[31mb\uFFFDz\n      |         ^\n");
  CHECK(printable("a\tb\x07") == "a\tb\uFFFD");
  DiagnosticSink sink;
  sink.error(Code::unknown_name, {}, "'\033' is no name").suggest("\x9B");
  CHECK(render(sink.all()[0]) == "error[OW0202]: '\uFFFD' is no name; did you mean '\uFFFD'?\n");
}

TEST_CASE("an empty line has no excerpt") { CHECK(excerpt_of("", 0, 0).empty()); }

TEST_CASE("long lines are cut between characters") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "\u00E9";
  const std::string shown = excerpt_of(text, 201, 203);
  CHECK(!find_bad_utf8(shown));
  CHECK(shown.find("\uFFFD") == std::string::npos);
}

TEST_CASE("UTF-8 is checked and measured") {
  CHECK(!find_bad_utf8("a\u00E9\u6F22\U0001F600"));
  CHECK(find_bad_utf8("ab\xC3") == 2);
  CHECK(find_bad_utf8("a\xC0\x80") == 1);         // too long a spelling
  CHECK(find_bad_utf8("\xED\xA0\x80") == 0);      // half of a surrogate pair
  CHECK(find_bad_utf8("\xF4\x90\x80\x80") == 0);  // beyond Unicode
  CHECK(count_code_points("a\u00E9\u6F22") == 3);
  CHECK(character_start("a\u6F22b", 2) == 1);
  CHECK(character_start("a\u6F22b", 4) == 4);
  CHECK(character_start("ab", 2) == 2);
  CHECK(display_width(U'\u6F22') == 2);
  CHECK(display_width(U'\u0301') == 0);
}

TEST_CASE("a context points at what was being read, once, and the innermost one") {
  Sources sources;
  const Source* source = sources.add("a", "one two three");
  DiagnosticSink sink;
  sink.error(Code::unknown_name, {source, 0, 3}, "before");
  {
    Context outer(sink, {source, 4, 7}, "outer");
    sink.error(Code::unknown_name, {source, 0, 3}, "1");
    {
      Context inner(sink, {source, 8, 13}, "inner");
      sink.error(Code::unknown_name, {source, 0, 3}, "2").note({source, 0, 1}, "own");
    }
    sink.error(Code::unknown_name, {source, 0, 3}, "3").note({source, 4, 7}, "points there");
  }
  std::string notes;
  for (const Diagnostic& d : sink.all()) {
    notes += d.message + ":";
    for (const Note& note : d.notes) notes += " " + note.message;
    notes += "; ";
  }
  CHECK(notes == "before:; 1: outer; 2: own inner; 3: points there; ");
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
  for (Code code : all_codes()) {
    CHECK_FALSE(code_title(code).empty());
    CHECK(code_from_name(code_name(code)) == code);
  }
  CHECK(code_from_name("ow0004") == Code::duplicate_key);
  CHECK_FALSE(code_from_name("OW9999"));
  CHECK(code_name(Code::duplicate_key) == "OW0004");
  CHECK(code_name(Code::derivative_conflict) == "OW0407");
  CHECK(code_title(Code::duplicate_key) == "a key is given once");
}

TEST_CASE("of very many only the first are shown, and all are counted") {
  Sources sources;
  const Source* source = sources.add("f.yaml", "text\n");
  DiagnosticSink sink;
  for (int i = 0; i < 5; ++i)
    sink.error(Code::bad_value, {source, 0, 4}, "error " + std::to_string(i));
  sink.warning(Code::bad_value, {source, 0, 4}, "a warning");
  sink.keep_first(7);
  CHECK(render_all(sink).ends_with("5 errors, 1 warning\n"));
  sink.keep_first(2);
  const std::string text = render_all(sink);
  CHECK(text.find("error 1") != std::string::npos);
  CHECK(text.find("error 2") == std::string::npos);
  CHECK(text.ends_with("5 errors, 1 warning; the first 2 are shown\n"));
  CHECK(sink.error_count() == 5);
  CHECK(sink.warning_count() == 1);
}

TEST_CASE("a very long message is cut") {
  DiagnosticSink sink;
  sink.error(Code::bad_value, {}, std::string(100'000, 'x'));
  CHECK(render_all(sink).size() < 2'000);
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

TEST_CASE("suggestions look past case, underscores, order and ends of words") {
  using Names = std::vector<std::string_view>;
  CHECK(closest("keep_dim", Names{"dim", "keepdim"}) == "keepdim");
  CHECK(closest("KeepDim", Names{"dim", "keepdim"}) == "keepdim");
  CHECK(closest("dtype_out", Names{"out", "out_dtype"}) == "out_dtype");
  const Names dtypes = {"all", "floating", "integral", "float8", "float32", "float16", "int8"};
  CHECK(closest("float", dtypes) == "floating");
  CHECK(closest("floats", dtypes) == "floating");
  CHECK(closest("int", dtypes) == "integral");
  CHECK(closest("flaot32", dtypes) == "float32");
  CHECK(closest("Float32", dtypes) == "float32");
  CHECK(closest("float_32", dtypes) == "float32");
  CHECK(closest("minimum", Names{"max", "min"}) == "min");
  CHECK(closest("conv", Names{"conv1d", "sin"}) == "conv1d");  // where nothing else is near
  CHECK(closest("mi", Names{"minimum"}).empty());
  CHECK(closest("max_pool_backward", Names{"max"}).empty());
  CHECK(closest("sin", Names{"sin", "asin"}) == "asin");  // what was written is not what was meant
}

}  // namespace
}  // namespace opweave::codegen

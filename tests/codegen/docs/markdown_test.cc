// Handwritten pages as trees.
#include "codegen/docs/markdown.h"

#include <doctest/doctest.h>

namespace opweave::codegen {
namespace {

std::string printed(std::string_view text) {
  const auto link = [](const std::string& address, std::vector<Html> says) {
    return html("a", {{"href", address}}, std::move(says));
  };
  std::string out;
  for (const Html& node : read_markdown(text, link).body) out += print_html(node);
  return out;
}

MarkdownPage page(std::string_view text) {
  return read_markdown(text, [](const std::string&, std::vector<Html>) { return html("i"); });
}

TEST_CASE("blocks") {
  CHECK(printed("one\ntwo\n\nthree  \nfour") == "<p>one\ntwo</p><p>three<br>four</p>");
  CHECK(printed("- a\n- b\n") == "<ul><li>a</li><li>b</li></ul>");
  CHECK(printed("1. a\n") == "<ol><li>a</li></ol>");
  CHECK(printed("> a\n\n---\n") == "<blockquote><p>a</p></blockquote><hr>");
  CHECK(printed("```yaml\na:\n  b < c\n```\n") == "<pre><code>a:\n  b &lt; c\n</code></pre>");
}

TEST_CASE("spans") {
  CHECK(printed("**`a`** *b* ~~c~~") ==
        "<p><strong><code>a</code></strong> <em>b</em> <del>c</del></p>");
  CHECK(printed("[*x* y](z.md#w)") == "<p><a href=\"z.md#w\"><em>x</em> y</a></p>");
}

TEST_CASE("what is not markup is text") {
  CHECK(printed("a <b>c</b> & `<d>` snake_case_name") ==
        "<p>a &lt;b&gt;c&lt;/b&gt; &amp; <code>&lt;d&gt;</code> snake_case_name</p>");
}

TEST_CASE("tables scroll, bars in code are bars, and a head without names is left out") {
  CHECK(printed("| a | b |\n|---|---|\n| `x \\| y` | \\| |\n") ==
        "<div class=\"scroll\"><table><thead><tr><th>a</th><th>b</th></tr></thead>"
        "<tbody><tr><td><code>x | y</code></td><td>|</td></tr></tbody></table></div>");
  CHECK(printed("| | |\n|---|---|\n| a | b |\n") ==
        "<div class=\"scroll\"><table><tbody><tr><td>a</td><td>b</td></tr></tbody></table></div>");
  CHECK(printed("`x \\| y`") == "<p><code>x \\| y</code></p>");
}

TEST_CASE("headings have the ids that GitHub gives them") {
  const MarkdownPage read = page("# 1. The `a_b` & c-d\n\nOne\ntwo.\n\nThree.\n\n## X\n## X\n");
  REQUIRE(read.sections.size() == 3);
  CHECK(read.sections[0].id == "1-the-a_b--c-d");
  CHECK(read.sections[0].text == "One two.");
  CHECK(read.sections[1].id == "x");
  CHECK(read.sections[1].level == 2);
  CHECK(read.sections[1].text.empty());
  CHECK(read.sections[2].id == "x-1");
}

}  // namespace
}  // namespace opweave::codegen

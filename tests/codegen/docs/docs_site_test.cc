// The pages of the reference documentation.
#include <doctest/doctest.h>

#include <algorithm>

#include "codegen/docs/html.h"
#include "codegen/docs/site.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

constexpr const char* kOperators = R"entries(
# --- Arithmetic ---------------------------------
- func: mul.Tensor(Tensor self, Tensor other) -> Tensor
  variants: function, method
  expr: self * other
  doc: The product. It is `self * other`.
- func: mul.Scalar(Tensor self, Scalar other) -> Tensor
  expr: self * other
  samples: {self: real}
- func: gt(Tensor self, Scalar other) -> Tensor
  expr: self > other
- func: soft(Tensor self, *, float beta=1) -> Tensor
  python_module: nn
  expr: log1p(exp(self * beta)) / beta
- func: slope(Tensor self, float beta) -> Tensor
  internal: true
  expr: sigmoid(self * beta)
# --- Reductions ------
- func: sum(Tensor self, int[1] dim=[]) -> Tensor
  roles: {dim: dims_or_all}
  kernels: [cpu, meta]
  doc: <b> & "c"
- func: norm(Tensor self) -> Tensor
  composite: sum(mul(self, self))
- func: total_(Tensor(a!) self) -> Tensor(a!)
  kernels: [every_target]
  differentiable: false
  batching: none
- func: part(Tensor(a) self, int n) -> Tensor(a)
  kernels: [cpu]
  tags: nondeterministic
- func: each(Tensor self) -> Tensor
  kernels: [cpu]
  differentiable: false
  batching: loop
- func: seeded(Tensor self) -> Tensor
  kernels: [cpu]
  differentiable: false
  batching: {example: "mul(self, self)"}
- func: both(Tensor self) -> Tensor
  kernels: [cpu, gpu]
  differentiable: false
  batching: {batch: "mul(self, self)"}
- func: alike(Tensor self) -> Tensor
  kernels: [cpu, gpu]
  differentiable: false
  batching: same
- func: wide(Tensor self) -> Tensor
  kernels: [cpu]
  differentiable: false
  batching: pointwise
- func: pairs_backward(Tensor by, Tensor self, Tensor other) -> Tensor
  internal: true
  expr: by * self * other
- func: blend_rows(Tensor self, Tensor other) -> (Tensor values, Tensor counts)
  kernels: [cpu]
  samples:
    - {self: real(2), other: real(2)}
- func: units(int n, *, ScalarType? dtype=None) -> Tensor
  kernels: [cpu]
  samples:
    - {n: 2}
- func: noise(Tensor self) -> Tensor
  kernels: [cpu]
  differentiable: false
  tags: random
)entries";
constexpr const char* kDerivatives = R"(
- name: soft
  self: grad * slope(self, beta)
- name: sum
  self: grad * self
- name: part
  self: grad
  result: auto_linear
- name: blend_rows
  self: pairs_backward(grads[0], self, other)
  other: non_differentiable
  values: pairs_backward(self_t, self_p, other_p)
  output_differentiability: [true, false]
)";

struct Docs {
  std::string page(const std::string& name) const {
    for (const Topic& topic : site.topics()) {
      if (topic.name == name) return print_page(name, "../", topic_page(site, topic));
    }
    return "none";
  }
  bool says(const std::string& name, const std::string& text) const {
    return page(name).find(text) != std::string::npos;
  }
  Loaded loaded{kOperators, kDerivatives};
  DocsInput input{{{"kernels/cpu/a.cc", {"cpu/sum"}, {}},
                   {"kernels/cpu/b.cc", {"cpu/sum"}, {}},
                   {"kernels/cpu/c.cc", {"cpu/part", "cpu/seeded"}, {{"part", 7}, {"sum", 9}}},
                   {"kernels/gpu/d.cu", {"gpu"}, {{"alike", 12}}}},
                  {{"total_", "int64, float32"}},
                  {{"docs/a.md",
                    "# Guide A\n\nSays *a*. And b.\n\n## Part `one`\n\n[b](b.md#x), [c](../c.txt), "
                    "[d](../d)\n"},
                   {"docs/b.md", "# Guide B\n\n## X\n\n## Y\n\n## Z\n"}}};
  Site site{*loaded.model, input};
  Guides guides{input.guides};
};

TEST_CASE("the printer of HTML escapes what is text") {
  CHECK(print_html(html("p", "a < b && \"c\"")) == "<p>a &lt; b &amp;&amp; &quot;c&quot;</p>");
  CHECK(print_html(html("a", {{"href", "x\"&y"}}, {})) == "<a href=\"x&quot;&amp;y\"></a>");
  CHECK(print_html(html("br")) == "<br>");
  CHECK(print_html(html_math(math_number(2), false)) == "<math><mrow><mn>2</mn></mrow></math>");
  CHECK(script_string("</script>\"\\\n") == "\"\\u003c/script>\\u0022\\u005c\\u000a\"");
}

TEST_CASE("a page tells overloads, signatures, formulas and facts") {
  const Docs docs;
  CHECK(docs.says("mul", "<h2 id=\"mul_Tensor\">mul.Tensor</h2>"));
  CHECK(docs.says("mul", "It is <code>self * other</code>."));
  CHECK(docs.says(
      "mul", "opweave.mul(input, other, *, out=None) <span class=\"keep\">-&gt; Tensor</span>"));
  CHECK(
      docs.says("mul", "Tensor.mul(other, *, out=None) <span class=\"keep\">-&gt; Tensor</span>"));
  CHECK(docs.says("mul", "Tensor.mul_(other) <span class=\"keep\">-&gt; Tensor</span>"));
  CHECK(docs.says("mul", "Tensor ow::mul(const Tensor&amp; self, const Tensor&amp; other)"));
  CHECK(docs.says("mul", "Tensor Tensor::mul(const Tensor&amp; other) const"));
  CHECK(docs.says("mul", "Tensor&amp; Tensor::mul_(const Tensor&amp; other)\n"));
  CHECK(docs.says("mul", "<math display=\"block\">"));
  CHECK(docs.says("mul", "<td>generated from its expression, for every target</td>"));
  CHECK(docs.says("mul", "<td>other, self: 8 bytes per element in float32</td>"));
  CHECK(docs.says("mul", "<summary>What tests call it with</summary>"));
  CHECK(docs.says("mul", "<h3>Forward mode</h3>"));
  CHECK(docs.says("gt", "bool; computed in the promoted dtype of the arguments"));
  CHECK(docs.says("soft", "opweave.nn.functional.soft(input, *, beta=1, out=None)"));
  CHECK(docs.says("soft",
                  "Equal to the derivative of the expression by algebra where both are finite: "));
  CHECK(docs.says("mul", "<pre class=\"lines\"><code>mul.Tensor(Tensor self, Tensor other) <span"));
  CHECK(docs.says("mul", "<td>by its gradients, of the tangents</td>"));
  CHECK(docs.says("soft", "integers and truth values become floats"));
}

TEST_CASE("and where it is implemented, what it shares and how it runs on batches") {
  const Docs docs;
  CHECK(docs.says("sum", "<p>&lt;b&gt; &amp; &quot;c&quot;</p>"));
  CHECK(docs.says("sum",
                  "cpu: <code>kernels/cpu/a.cc</code>, <code>kernels/cpu/b.cc</code><br>"
                  "meta: handwritten"));
  CHECK(docs.says("part", "cpu: <code>kernels/cpu/c.cc:7</code></td>"));
  CHECK(docs.says("seeded", "cpu: <code>kernels/cpu/c.cc</code></td>"));
  CHECK(docs.says("alike", "cpu: handwritten<br>gpu: <code>kernels/gpu/d.cu:12</code></td>"));
  CHECK(docs.says("both", "gpu: handwritten</td>"));
  CHECK(docs.says("sum", "grad is the gradient of the result."));
  CHECK(docs.says(
      "part", "<mo form=\"prefix\" lspace=\"0\" rspace=\"0.1em\">d</mo><mi>result</mi><mo>=</mo>"));
  CHECK(docs.says("blend_rows", "<p>dvalues = pairs_backward(dself, self, other)</p>"));
  CHECK(docs.says("part", "d stands before tangents."));
  CHECK(!docs.says("sum", "<h3>Forward mode</h3>"));
  CHECK(!docs.says("seeded", "Forward mode"));
  CHECK(docs.says("norm", "yes, through the operators that it calls"));
  CHECK(docs.says("norm", "<td>a formula over other operators</td>"));
  CHECK(docs.says("norm", "<a href=\"../ops/mul.html\">mul</a>"));
  CHECK(docs.says("mul", "<a href=\"../ops/norm.html\">norm</a>"));
  CHECK(docs.says("sum", "all examples at once, with its dimensions moved behind them"));
  CHECK(docs.says("sum", "<td>by two backward passes</td>"));
  CHECK(docs.says("sum", "<td>those that its kernel takes</td>"));
  CHECK(docs.says("norm", "<td>those of the operators that it calls</td>"));
  CHECK(docs.says("blend_rows", "<p>grad_self = pairs_backward("));
  CHECK(docs.says("blend_rows", "one example after the other"));
  CHECK(docs.says("blend_rows", "grad₀ is the gradient of the first result."));
  CHECK(docs.says("blend_rows", "<td>by a rule of its own</td>"));
  CHECK(docs.says("blend_rows", "pairs_<wbr>backward</a>"));
  CHECK(docs.says("part", "<td>by the operator itself, of the tangents</td>"));
  CHECK(docs.says("units", "<td>as the argument dtype says</td>"));
  CHECK(docs.says("units", "as ever: it takes no tensor"));
  CHECK(docs.says("noise", "one draw for all examples or one for each"));
  CHECK(docs.says("total_", "<td>int64, float32</td>"));
  CHECK(docs.says("total_", "no: its results never require a gradient"));
  CHECK(docs.says("total_", "not under vmap, or as its kernel says"));
  CHECK(docs.says("part", "the result shares memory with its argument"));
  CHECK(docs.says("each", "one example after the other"));
  CHECK(docs.says("part", "<td>nondeterministic</td>"));
  CHECK(docs.says("seeded", "by a formula for one example"));
  CHECK(docs.says("both", "by a formula for tensors with the examples in front"));
  CHECK(docs.says("alike", "by itself, whatever stands in front"));
  CHECK(docs.says("wide", "all examples at once"));
  CHECK(docs.says("slope", "Arithmetic, used by formulas only"));
}

TEST_CASE("the index has the sections of the file, and search an entry for every page") {
  const Docs docs;
  const std::string index = print_page("all", "", index_page(docs.site, docs.guides));
  CHECK(index.find("<h2>Arithmetic</h2>") < index.find("<h2>Reductions</h2>"));
  CHECK(index.find("<a href=\"ops/sum.html\">sum</a>") != std::string::npos);
  CHECK(index.find("<summary>Used by formulas alone (2)</summary>") != std::string::npos);
  const std::string search = search_index(docs.site, docs.guides);
  CHECK(index.find("<a href=\"guides/b.html\">Guide B</a>") < index.find("Arithmetic"));
  CHECK(search.find("[\"Guide A\",\"guides/a.html\",\"Guides\",\"Says a.\"],\n") !=
        std::string::npos);
  CHECK(
      search.find("[\"Part one\",\"guides/a.html#part-one\",\"Guide A\",\"b, c (c.txt), d\"],\n") !=
      std::string::npos);
  CHECK(search.find("[\"mul\",\"ops/mul.html\",\"Arithmetic\",\"The product.\"],\n") !=
        std::string::npos);
}

TEST_CASE("guides lead to one another, and name the files that are no pages") {
  const Docs docs;
  const auto& guides = docs.guides.all();
  REQUIRE(guides.size() == 2);
  CHECK(guides[0].title == "Guide A");
  CHECK(guides[1].page == "guides/b.html");
  CHECK(print_html(guides[0].main[0]) ==
        "<article><h1 id=\"guide-a\">Guide A</h1><p>Says <em>a</em>. And b.</p>"
        "<h2 id=\"part-one\">Part <code>one</code></h2>"
        "<p><a href=\"../guides/b.html#x\">b</a>, <span>c (<code>c.txt</code>)</span>, "
        "<code>d</code></p></article>");
  CHECK(print_html(guides[1].main[0])
            .starts_with("<article><h1 id=\"guide-b\">Guide B</h1><nav aria-label=\"Sections\">"
                         "<ul class=\"names\"><li><a href=\"#x\">X</a></li>"));
}

TEST_CASE("all files of the documentation") {
  const Docs docs;
  const std::vector<EmittedFile> files = emit_docs(*docs.loaded.model, docs.input);
  CHECK(files.size() == docs.site.topics().size() + docs.guides.all().size() + 4);
  CHECK(files.front().path == "index.html");
  CHECK(files.front().text.starts_with("<!DOCTYPE html>\n<html lang=\"en\"><head>"));
  const auto style = std::ranges::find(files, "style.css", &EmittedFile::path);
  REQUIRE(style != files.end());
  CHECK(style->text.find("prefers-color-scheme: dark") != std::string::npos);
}

}  // namespace
}  // namespace opweave::codegen

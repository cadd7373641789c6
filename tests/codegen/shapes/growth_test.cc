// Rules whose values double with every line end with a refusal, soon.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <chrono>

#include "codegen/shapes/shapes.h"
#include "tests/codegen/support/load.h"

namespace opweave::codegen {
namespace {

// Forty lines, each made of the one before as `{0}`.
std::string rule(std::string_view first, const std::string& step, std::string_view result) {
  std::string text =
      "- func: f(Tensor self) -> Tensor\n  kernels: [cpu]\n  differentiable: false\n"
      "  samples: {self: real}\n  let:\n";
  std::string last(first);
  for (int i = 0; i < 40; ++i) {
    text += fmt::format("    v{}: {}\n", i, last);
    last = fmt::format(fmt::runtime(step), fmt::format("v{}", i));
  }
  return text + fmt::format(fmt::runtime(std::string(result)), last);
}

std::string answer(const std::string& rule) {
  const Loaded loaded(rule);
  DiagnosticSink sink;
  const auto begin = std::chrono::steady_clock::now();
  const std::string text = shapes_text("f([N, M])", *loaded.model, *loaded.sources, sink);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
  return sink.has_errors() ? sink.all()[0].message : text;
}

TEST_CASE("products of sizes end where 64 bits do") {
  const std::string why = "a size is out of the range of 64-bit integers";
  CHECK(answer(rule("self.size(0)", "{0} * {0}", "  result: \"[{}]\"\n")) == why);
  CHECK(answer(rule("self.size(0)", "({0} + self.size(1)) * ({0} + 1)", "  result: \"[{}]\"\n")) ==
        why);
}

TEST_CASE("lists and conditions end where nobody wants to read on") {
  const std::string why = "working out the sizes takes more than 1000000 steps or list elements";
  CHECK(answer(rule("self.sizes()", "concat({0}, {0})", "  result: \"{}\"\n")) == why);
  CHECK(answer(rule("self.size(0) > 5", "{0} && ({0} || self.size(1) == 7)",
                    "  require:\n    {}: no\n  result: self.sizes()\n")) == why);
}

TEST_CASE("a condition twice is one") {
  CHECK(answer(rule("self.size(0) > 5", "{0} && {0}",
                    "  require:\n    {}: no\n  result: self.sizes()\n")) ==
        "result: [N, M] float32\nwhere 5 < N\n");
}

}  // namespace
}  // namespace opweave::codegen
